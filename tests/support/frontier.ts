/**
 * A coordinator on memory stores, a virtual clock and the real core, for scenario tests; and outcomes to feed it.
 * Invariant: nothing here decides anything; two runs with the same calls give the same answers.
 */

import type { Core } from "../../core-wasm/core.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import {
  type CoordinatorOptions,
  type FrontierCoordinator,
  openCoordinator,
} from "../../coordinator/frontier/coordinator.ts";
import type { Coordinator, ShardStore } from "../../coordinator/ports.ts";
import { MemoryControlDisk, MemoryControlStore } from "../../coordinator/store/memory_control_store.ts";
import { MemoryShardDisk, MemoryShardStore } from "../../coordinator/store/memory_shard_store.ts";
import type {
  CompletionReply,
  CrawlSpec,
  Fetched,
  Lease,
  LeaseReply,
  LeaseRequest,
  Outcome,
  PermitReply,
  RobotsFetched,
  Target,
} from "../../protocol/mod.ts";
import { hmacSigner, nativeDigest } from "../../runtime/node.ts";
import type { Logger, Random, Signer } from "../../runtime/ports.ts";
import { VirtualClock } from "./virtual_clock.ts";

let loaded: Promise<Core> | undefined;

/** One core for all tests of a process. */
export function testCore(): Promise<Core> {
  return loaded ??= loadCore();
}

export const silentLog: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Numbers that are the same in every run. */
export function countingRandom(): Random {
  let count = 0;
  return {
    next: () => (++count * 0.618_033_988_749_895) % 1,
    hex: (bytes) => (++count).toString(16).padStart(2 * bytes, "0").slice(-2 * bytes),
  };
}

export interface World {
  readonly clock: VirtualClock;
  readonly disks: readonly MemoryShardDisk[];
  readonly control: MemoryControlDisk;
  readonly random: Random;
}

export function newWorld(shards = 1): World {
  return {
    clock: new VirtualClock(),
    disks: Array.from({ length: shards }, () => new MemoryShardDisk()),
    control: new MemoryControlDisk(),
    random: countingRandom(),
  };
}

/** Where the coordinator that owns a shard alone is said to be. */
export const baseOfShard = (shard: number): string => `http://c${shard}.test/`;

/** Signs as all coordinators of tests do. */
export const testSigner: Signer = hmacSigner("5e".repeat(32));

/**
 * Starts a coordinator on what lies on the world's disks; `wrap` may put something between it and a store. `owns`: those
 * shards alone; the others belong to coordinators at `baseOfShard`.
 */
export async function start(
  world: World,
  options: {
    settings?: CoordinatorOptions["settings"];
    wrap?: (store: ShardStore) => ShardStore;
    owns?: readonly number[];
  } = {},
): Promise<FrontierCoordinator> {
  const { owns } = options;
  const wrap = options.wrap ?? ((store) => store);
  return await openCoordinator({
    core: await testCore(),
    shardStores: world.disks.map((disk, shard) =>
      owns?.includes(shard) === false ? undefined : wrap(new MemoryShardStore(disk))
    ),
    ...(owns === undefined ? {} : {
      signer: testSigner,
      owners: world.disks.map((_, shard) => ({ url: baseOfShard(shard), term: 1 })),
    }),
    controlStore: new MemoryControlStore(world.control),
    clock: world.clock,
    random: world.random,
    digest: nativeDigest,
    log: silentLog,
    settings: { groupCommitMs: 0, ...options.settings },
  });
}

/** A crawl of the seeds' hosts, 1 s apart, no factor. */
export function spec(seeds: readonly string[], change: Partial<CrawlSpec> = {}): CrawlSpec {
  return {
    seeds,
    scope: { kind: "host", domains: [], include: [], exclude: [] },
    priority: 0.5,
    politeness: { delay_ms: 1_000, delay_factor: 0, delay_cap_ms: 60_000, max_parallel: 1 },
    user_agent: "Outrider/0 (+https://example.org/)",
    product_token: "outrider",
    embeds: false,
    respect_rel_nofollow: false,
    ...change,
  };
}

export function ask(coordinator: Coordinator, change: Partial<LeaseRequest> = {}): Promise<LeaseReply> {
  return coordinator.lease({ worker_id: "w1", region: "test", max: 50, max_leases: 8, holding: 0, ...change });
}

let captures = 0;

export function fetched(target: Target, outlinks: readonly string[] = [], change: Partial<Fetched> = {}): Fetched {
  captures++;
  return {
    status: "fetched",
    target_id: target.target_id,
    http_code: 200,
    requests: 1,
    outlinks,
    capture: {
      fetched_at: 1_893_456_000_000,
      record: { storage_key: "warc/a.warc.gz", offset: captures * 100, length: 100 },
      content_hash: captures.toString(16).padStart(64, "0"),
      payload_digest: "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
      length: 10,
      wire_length: 10,
      content_type: "text/html",
    },
    ...change,
  };
}

/** robots.txt was answered with 404, unless changed. */
export function robots(target: Target, change: Partial<RobotsFetched> = {}): RobotsFetched {
  return {
    status: "robots",
    target_id: target.target_id,
    origin: target.target_id.slice("robots:".length),
    class: "allow_all",
    http_code: 404,
    requests: 1,
    ...change,
  };
}

export function complete(
  coordinator: Coordinator,
  lease: Lease,
  outcomes: readonly Outcome[],
  change: { done?: boolean; last_start_ago_ms?: number; gap_ms?: number } = {},
): Promise<CompletionReply> {
  const { lease_id, epoch, slot } = lease;
  return coordinator.complete({ worker_id: "w1", lease_id, epoch, slot, outcomes, done: true, ...change });
}

/** Asks for one request under the lease on another host. */
export function visit(coordinator: Coordinator, lease: Lease, host: string, worker_id = "w1"): Promise<PermitReply> {
  const { lease_id, epoch, slot } = lease;
  return coordinator.permit({ worker_id, lease_id, epoch, slot, host, domain: "forged.example" });
}

/** Answers every target of a lease: robots.txt with 404, pages with 200 and the links that `site` has for them. */
export function answerAll(
  coordinator: Coordinator,
  lease: Lease,
  site: (url: string) => readonly string[] = () => [],
): Promise<CompletionReply> {
  const outcomes = lease.targets.map((target) =>
    target.kind === "robots" ? robots(target) : fetched(target, site(target.url))
  );
  return complete(coordinator, lease, outcomes, { last_start_ago_ms: 0 });
}

/** Leases and answers until nothing is leased for `quietMs` of virtual time; returns the URLs of all pages, in order. */
export async function crawlAll(
  coordinator: Coordinator,
  world: World,
  site: (url: string) => readonly string[],
  quietMs = 20_000,
): Promise<string[]> {
  const urls: string[] = [];
  for (let quiet = 0; quiet < quietMs; quiet += 500) {
    const reply = await ask(coordinator);
    for (const lease of reply.leases) {
      quiet = 0;
      urls.push(...lease.targets.filter(({ kind }) => kind === "page").map(({ url }) => url));
      await answerAll(coordinator, lease, site);
    }
    if (reply.outbox.length > 0) {
      quiet = 0;
      await coordinator.deliverOutbox({ worker_id: "w1", rows: reply.outbox });
      await coordinator.ackOutbox({
        worker_id: "w1",
        rows: reply.outbox.map(({ lease_id, seq }) => ({ lease_id, seq })),
      });
    }
    await world.clock.advance(500);
  }
  return urls;
}
