/**
 * What one seed is about: its web, its crawls, its machines, its settings and which troubles come how often.
 * Invariant: each seed has only some kinds of trouble, so that one kind can't hide what another does.
 */

import { FRONTIER_DEFAULTS, type FrontierSettings } from "../../coordinator/frontier/settings.ts";
import type { CrawlSpec } from "../../protocol/mod.ts";
import { LIMITS } from "../../protocol/mod.ts";
import { Chance } from "./chance.ts";
import { GOOD_NETWORK, type NetworkFaults } from "./network.ts";
import { GOOD_STORE, type StoreFaults } from "./slow_store.ts";
import { planWeb, type WebPlan } from "./web_plan.ts";

export interface CrawlPlan {
  readonly id: string;
  readonly spec: CrawlSpec;
}

/** Kinds of trouble that come as single events. */
export const TROUBLES = [
  "edge dies",
  "coordinator dies",
  "edge is suspended",
  "edge is cut off",
  "clock jumps",
  "disk fails",
  "host paused",
  "crawl paused",
  "host slowed",
] as const;

/** What comes only where several coordinators share databases. */
export const CLUSTER_TROUBLES = [
  "coordinator is suspended",
  "coordinator loses its databases",
  "shard is down",
  "directory is down",
  "coordinator stops",
  "slot moves",
] as const;

export type Trouble = (typeof TROUBLES)[number] | (typeof CLUSTER_TROUBLES)[number] | "edge loses the web";

export interface Scenario {
  readonly seed: number;
  readonly plan: WebPlan;
  readonly crawls: readonly CrawlPlan[];
  readonly coordinators: number;
  readonly shards: number;
  readonly edges: number;
  readonly maxLeases: number;
  readonly maxTargets: number;
  readonly delayMs: number;
  readonly settings: Partial<FrontierSettings>;
  readonly troubles: readonly Trouble[];
  /** Mean ms between two of them. */
  readonly troubleEveryMs: number;
  /** Virtual ms after which faults stop. */
  readonly troubledMs: number;
  readonly network: NetworkFaults;
  readonly store: StoreFaults;
}

/** Seeds from here on are about several coordinators. */
export const CLUSTER_SEEDS = 1_000_000;

export function scenarioOf(seed: number): Scenario {
  return seed < CLUSTER_SEEDS ? loneScenario(seed) : clusterScenario(seed);
}

/** The web, crawls and edges of a seed for one coordinator, with two or three of them, and more shards. */
function clusterScenario(seed: number): Scenario {
  const chance = new Chance(Math.imul(seed, 0x2c1b3c6d) ^ 0x297a2d39);
  const lone = loneScenario(seed - CLUSTER_SEEDS);
  const own = CLUSTER_TROUBLES.filter(() => chance.is(0.4));
  return {
    ...lone,
    seed,
    coordinators: 2 + chance.below(2),
    shards: 2 + chance.below(3),
    troubles: [...lone.troubles, ...own, ...own],
  };
}

function loneScenario(seed: number): Scenario {
  const chance = new Chance(Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995);
  const isSleepy = chance.is(0.2);
  const plan = planWeb(Math.imul(seed, 0x85ebca6b) ^ 0x27d4eb2f, isSleepy);
  const delayMs = chance.pick([500, 1_000, 1_000, 2_000]);
  const count = chance.is(0.3) ? 2 : 1;
  const some = (most: number) => chance.is(0.5) ? chance.next() * most : 0;
  const scenario: Scenario = {
    seed,
    plan,
    crawls: Array.from({ length: count }, (_, i) => planCrawl(chance, plan, { id: `c${i}`, delayMs })),
    coordinators: 1,
    shards: 1 + chance.below(3),
    edges: 1 + chance.below(3),
    maxLeases: 1 + chance.below(5),
    maxTargets: 4 + chance.below(60),
    delayMs,
    settings: planSettings(chance),
    troubles: [...TROUBLES.filter(() => chance.is(0.45)), ...losesWeb(seed)],
    troubleEveryMs: 4_000 + chance.below(40_000),
    troubledMs: 20_000 + chance.below(160_000),
    network: { lost: some(0.08), reset: some(0.1), late: some(0.06), doubled: some(0.15) },
    store: { failed: some(0.05), answerLost: some(0.05), late: some(0.05), read: some(0.02) },
  };
  return isSleepy ? sleepy(scenario) : withSpareAttempts(scenario);
}

/** An outage that is over before it was judged costs one try (ADR 27), and the pages of a plan fail twice by themselves. */
function withSpareAttempts(scenario: Scenario): Scenario {
  if (!scenario.troubles.includes("edge loses the web")) return scenario;
  const { settings } = scenario;
  return { ...scenario, settings: { ...settings, limits: { ...settings.limits!, attempts: LIMITS.attempts + 3 } } };
}

/** By a chance of its own, so that the other seeds stay what they were. */
function losesWeb(seed: number): Trouble[] {
  return new Chance(Math.imul(seed, 0xc2b2ae3d) ^ 0x1b873593).is(0.25) ? ["edge loses the web"] : [];
}

/** Long leases, and edges that are suspended in the midst of them: little else may disturb that. */
function sleepy(scenario: Scenario): Scenario {
  const { settings } = scenario;
  return {
    ...scenario,
    edges: 3,
    maxTargets: 100,
    settings: {
      ...settings,
      headsPerQueue: FRONTIER_DEFAULTS.headsPerQueue,
      headsPerShard: FRONTIER_DEFAULTS.headsPerShard,
      limits: { ...settings.limits!, targetsPerLease: 50 },
    },
    troubles: ["edge is suspended"],
    troubleEveryMs: 30_000,
    troubledMs: 400_000,
    network: GOOD_NETWORK,
    store: GOOD_STORE,
  };
}

function planCrawl(chance: Chance, plan: WebPlan, { id, delayMs }: { id: string; delayMs: number }): CrawlPlan {
  const seeds = id === "c0" ? plan.seeds : plan.seeds.slice(0, 1);
  return {
    id,
    spec: {
      seeds,
      scope: { kind: "any", domains: [], include: [], exclude: [] },
      priority: chance.pick([0.1, 0.5, 1]),
      politeness: {
        delay_ms: delayMs,
        delay_factor: chance.pick([0, 0, 2]),
        delay_cap_ms: 20_000,
        max_parallel: chance.pick([1, 1, 2, 4]),
      },
      user_agent: "Outrider/0 (+https://example.org/)",
      product_token: "outrider",
      embeds: false,
      respect_rel_nofollow: false,
      ...(chance.is(0.15) ? { max_pages: 3 + chance.below(15) } : {}),
    },
  };
}

/** Small RAM, so that everything that spills does so. */
function planSettings(chance: Chance): Partial<FrontierSettings> {
  return {
    limits: {
      ...LIMITS,
      robotsTtlMs: chance.pick([LIMITS.robotsTtlMs, 900_000]),
      // Shorter than in earnest, where a crawl may wait for hours; still longer than a lease.
      robotsRetryMaxMs: 600_000,
      backoffMaxMs: chance.pick([20_000, 120_000]),
      targetsPerLease: chance.pick([3, 12, 50]),
      // Tighter than a host's own delay, where hosts share a site or a machine.
      domainInFlight: chance.pick([2, 4]),
      domainGapMs: chance.pick([250, 600]),
      ipInFlight: chance.pick([2, 8]),
      ipGapMs: chance.pick([100, 400]),
    },
    headsPerQueue: chance.pick([2, 16, FRONTIER_DEFAULTS.headsPerQueue]),
    headsPerShard: chance.pick([8, FRONTIER_DEFAULTS.headsPerShard]),
    headsWhenFull: 2,
    seenCacheKeys: chance.pick([4, 16, 1024]),
    // Every run has a filter, which is a WebAssembly instance of its own.
    seenMemtableKeys: chance.pick([12, 1024, 1024]),
    seenSnapshotKeys: chance.pick([8, 64, 4096]),
    seenSnapshotMs: chance.pick([5_000, 60_000]),
    inLinkEntries: 64,
    contentKeys: 64,
    groupCommitMs: chance.pick([0, 20, 50]),
    operationsPerCommit: chance.pick([1, 4, 1_000]),
    sweepMs: chance.pick([1_000, 4_000, 8_000]),
    keysUnderWorker: true,
  };
}
