/**
 * The frontier alone: a coordinator on a libSQL file (or in memory), and workers that lease, pretend to have fetched, and complete
 * with outlinks. No HTTP, no scan: what is measured is accepting links and settling pages durably.
 * Invariant: every completion is acknowledged, so every page counted is on disk.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { type CoordinatorOptions, openCoordinator } from "../coordinator/frontier/coordinator.ts";
import type { Coordinator } from "../coordinator/ports.ts";
import { openLibsqlControlStore } from "../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardStore } from "../coordinator/store/libsql_shard_store.ts";
import { MemoryControlStore } from "../coordinator/store/memory_control_store.ts";
import { MemoryShardStore } from "../coordinator/store/memory_shard_store.ts";
import { loadCore } from "../core-wasm/mod.ts";
import type { CrawlSpec, Lease, Outcome, Target } from "../protocol/mod.ts";
import { LIMITS } from "../protocol/mod.ts";
import { nativeDigest, systemClock, systemRandom } from "../runtime/node.ts";
import type { Logger } from "../runtime/ports.ts";
import { processUsage } from "./process_usage.ts";
import type { Row } from "./report/table.ts";
import { hash32 } from "./web/chance.ts";

export interface FrontierBenchOptions {
  readonly hosts: number;
  /** Pages that are settled before it ends. */
  readonly pages: number;
  readonly linksPerPage: number;
  readonly workers: number;
  /** memory: the decisions alone, nothing durable. */
  readonly store: "libsql" | "memory";
}

const DEFAULTS: FrontierBenchOptions = { hosts: 200, pages: 10_000, linksPerPage: 60, workers: 8, store: "libsql" };
/** URLs that exist, for each page that is settled: links repeat as they do on real sites. */
const UNIVERSE = 3;
const CRAWL = "bench";

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** One row: pages settled and links offered a second. */
export async function benchFrontier(given: Partial<FrontierBenchOptions> = {}): Promise<Row[]> {
  const options = { ...DEFAULTS, ...given };
  const folder = mkdtempSync(join(tmpdir(), "outrider-frontier-"));
  try {
    const coordinator = await open(options.store, folder);
    try {
      return [await run(coordinator, options)];
    } finally {
      await coordinator.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function open(store: FrontierBenchOptions["store"], folder: string): Promise<Coordinator> {
  return await openCoordinator({
    core: await loadCore(),
    log: silent,
    settings: {},
    clock: systemClock,
    random: systemRandom,
    digest: nativeDigest,
    ...(store === "memory" ? memoryStores() : libsqlStores(folder)),
  });
}

function memoryStores(): Pick<CoordinatorOptions, "controlStore" | "shardStores"> {
  return { controlStore: new MemoryControlStore(), shardStores: [new MemoryShardStore()] };
}

function libsqlStores(folder: string): Pick<CoordinatorOptions, "controlStore" | "shardStores"> {
  return {
    controlStore: openLibsqlControlStore({ location: join(folder, "control.db") }),
    shardStores: [openLibsqlShardStore({ location: join(folder, "shard.db"), clock: systemClock })],
  };
}

function specOf(hosts: number): CrawlSpec {
  return {
    seeds: Array.from({ length: hosts }, (_, host) => urlOf(host, 0)),
    scope: { kind: "any", domains: [], include: [], exclude: [] },
    priority: 0.5,
    politeness: { delay_ms: 0, delay_factor: 0, delay_cap_ms: LIMITS.delayCapMs, max_parallel: 1 },
    user_agent: "Outrider/bench",
    product_token: "outrider",
    embeds: false,
    respect_rel_nofollow: false,
  };
}

const urlOf = (host: number, page: number) =>
  `http://10.0.${host >> 8}.${host & 255}/section-${page % 37}/page-${page}.html`;

async function run(coordinator: Coordinator, options: FrontierBenchOptions): Promise<Row> {
  const before = processUsage()!;
  const startedMs = performance.now();
  await coordinator.createCrawl(CRAWL, specOf(options.hosts));
  const tally = { pages: 0, links: 0, leases: 0 };
  await Promise.all(
    Array.from({ length: options.workers }, (_, i) => work(coordinator, options, `worker-${i}`, tally)),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const after = processUsage()!;
  return {
    store: options.store,
    hosts: options.hosts,
    pages: tally.pages,
    "pages/s": tally.pages / seconds,
    "links/s": tally.links / seconds,
    leases: tally.leases,
    accepted: coordinator.stats(CRAWL)!.accepted,
    "pages/CPU s": tally.pages / (after.cpuSeconds - before.cpuSeconds),
    "CPU s/1000 pages": ((after.cpuSeconds - before.cpuSeconds) * 1000) / tally.pages,
    "peak RSS MB": after.peakRssMb,
  };
}

interface Tally {
  pages: number;
  links: number;
  leases: number;
}

async function work(coordinator: Coordinator, options: FrontierBenchOptions, id: string, tally: Tally): Promise<void> {
  while (tally.pages < options.pages) {
    const reply = await coordinator.lease({
      worker_id: id,
      region: "bench",
      max: LIMITS.targetsPerLease * 4,
      max_leases: 4,
      holding: 0,
    });
    if (reply.leases.length === 0) await systemClock.sleep(Math.min(10, reply.retry_after_ms));
    for (const lease of reply.leases) {
      const outcomes = lease.targets.map((target) => outcomeOf(target, lease, options));
      await coordinator.complete({
        worker_id: id,
        lease_id: lease.lease_id,
        epoch: lease.epoch,
        slot: lease.slot,
        outcomes,
        done: true,
      });
      tally.leases++;
      tally.pages += outcomes.filter((outcome) => outcome.status === "fetched").length;
      tally.links += outcomes.reduce(
        (sum, outcome) => sum + (outcome.status === "fetched" ? outcome.outlinks.length : 0),
        0,
      );
    }
  }
}

function outcomeOf(target: Target, lease: Lease, options: FrontierBenchOptions): Outcome {
  const base = { target_id: target.target_id, requests: 1, timings: { started_ago_ms: 1, total_ms: 1 } };
  if (target.kind === "robots") {
    return { ...base, status: "robots", http_code: 404, origin: new URL(target.url).origin, class: "allow_all" };
  }
  const digest = nativeDigest.sha256Hex(new TextEncoder().encode(target.url));
  return {
    ...base,
    status: "fetched",
    http_code: 200,
    outlinks: linksOf(target, options),
    capture: {
      fetched_at: systemClock.wallMs(),
      record: { storage_key: `warc/bench-${lease.slot}.warc.gz`, offset: 0, length: 1000 },
      content_hash: digest,
      payload_digest: `sha1:${"A".repeat(32)}`,
      length: 20_000,
      wire_length: 6000,
      content_type: "text/html",
    },
  };
}

/** Four in five on the same host, as on the synthetic web. */
function linksOf(target: Target, options: FrontierBenchOptions): string[] {
  const [, high = "0", low = "0", page = "0"] = /10\.0\.(\d+)\.(\d+)\/.*-(\d+)\.html/.exec(target.url) ?? [];
  const own = Number(high) * 256 + Number(low);
  const pagesPerHost = Math.ceil((options.pages * UNIVERSE) / options.hosts);
  const links = Array.from({ length: options.linksPerPage }, (_, i) => {
    const draw = hash32(own, Number(page), i);
    const host = draw % 5 === 0 ? (draw >>> 8) % options.hosts : own;
    return urlOf(host, (draw >>> 4) % pagesPerHost);
  });
  return [...new Set(links)];
}
