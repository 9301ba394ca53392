/**
 * The frontier alone: a coordinator on a libSQL file (or in memory), and workers that lease, pretend to have fetched, and complete
 * with outlinks. No HTTP, no scan: what is measured is accepting links and settling pages durably.
 * Invariant: every completion is acknowledged, so every page counted is on disk.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Coordinator } from "../coordinator/ports.ts";
import { LIMITS, type Outcome, type Target } from "../protocol/mod.ts";
import { nativeDigest, systemClock } from "../runtime/node.ts";
import { benchOutcome, benchSpec, openBenchCoordinator } from "./bench_coordinator.ts";
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

/** One row: pages settled and links offered a second. */
export async function benchFrontier(given: Partial<FrontierBenchOptions> = {}): Promise<Row[]> {
  const options = { ...DEFAULTS, ...given };
  const folder = mkdtempSync(join(tmpdir(), "outrider-frontier-"));
  try {
    const coordinator = await openBenchCoordinator(options.store === "memory" ? undefined : folder);
    try {
      return [await run(coordinator, options)];
    } finally {
      await coordinator.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const urlOf = (host: number, page: number) =>
  `http://10.0.${host >> 8}.${host & 255}/section-${page % 37}/page-${page}.html`;

async function run(coordinator: Coordinator, options: FrontierBenchOptions): Promise<Row> {
  const before = processUsage()!;
  const startedMs = performance.now();
  const seeds = Array.from({ length: options.hosts }, (_, host) => urlOf(host, 0));
  await coordinator.createCrawl(CRAWL, benchSpec(seeds));
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
      const outcomes = lease.targets.map((target) => outcomeOf(target, options));
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

function outcomeOf(target: Target, options: FrontierBenchOptions): Outcome {
  const contentHash = nativeDigest.sha256Hex(new TextEncoder().encode(target.url));
  return benchOutcome(target, { contentHash, outlinks: target.kind === "robots" ? [] : linksOf(target, options) });
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
