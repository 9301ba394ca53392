/**
 * A frontier with a long queue, on a libSQL file with `synchronous=FULL`: accepting URLs, a restart until the first lease,
 * leases with completions alone, and both together with links to check.
 * Invariant: every completion is acknowledged, so what is counted is on disk; the load is not throttled, CPU time is told
 * for the work of one second.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Coordinator } from "../coordinator/ports.ts";
import { type Lease, LIMITS } from "../protocol/mod.ts";
import { systemClock } from "../runtime/node.ts";
import { benchOutcome, benchSpec, openBenchCoordinator } from "./bench_coordinator.ts";
import { processUsage } from "./process_usage.ts";
import type { Row } from "./report/table.ts";
import { hash32 } from "./web/chance.ts";

export interface QueueBenchOptions {
  /** URLs queued before anything is leased. */
  readonly queued: number;
  readonly hosts: number;
  /** Pages settled in each of the measurements. */
  readonly pairs: number;
  readonly workers: number;
}

const CRAWL = "bench";
const SEEDS_PER_REQUEST = 10_000;
/** DESIGN: 5,000 leases, 5,000 completions and 100,000 checks a second. */
const COMBINED_PAIRS = 5_000;
const COMBINED_LINKS = 20;
const SEEN_SHARE = 95;

const urlOf = (host: number, page: number) => `http://www.host-${host}.example/section-${page % 37}/page-${page}.html`;

export async function benchQueue(options: QueueBenchOptions): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "outrider-queue-"));
  try {
    const rows = [await fill(folder, options)];
    rows.push(await restart(folder));
    for (const linksPerPage of [0, COMBINED_LINKS]) {
      for (const targetsPerLease of [50, 1]) {
        rows.push(await pairs(folder, { ...options, targetsPerLease, linksPerPage }));
      }
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(work: () => Promise<void>): Promise<{ cpuSeconds: number; seconds: number }> {
  const before = processUsage()!.cpuSeconds;
  const startedMs = performance.now();
  await work();
  return { cpuSeconds: processUsage()!.cpuSeconds - before, seconds: (performance.now() - startedMs) / 1000 };
}

function row(what: string, count: number, used: { cpuSeconds: number; seconds: number }, over: Row = {}): Row {
  return {
    what,
    count,
    "per CPU s": count / used.cpuSeconds,
    "CPU s": used.cpuSeconds,
    seconds: used.seconds,
    "CPU s for 1 s of the load": "",
    "peak RSS MB": processUsage()!.peakRssMb,
    ...over,
  };
}

async function fill(folder: string, { queued, hosts }: QueueBenchOptions): Promise<Row> {
  const coordinator = await openBenchCoordinator(folder);
  const perHost = Math.ceil(queued / hosts);
  const used = await measured(async () => {
    await coordinator.createCrawl(CRAWL, benchSpec([urlOf(0, 0)]));
    for (let from = 0; from < queued; from += SEEDS_PER_REQUEST) {
      const count = Math.min(SEEDS_PER_REQUEST, queued - from);
      const urls = Array.from(
        { length: count },
        (_, i) => urlOf(Math.floor((from + i) / perHost), (from + i) % perHost),
      );
      await coordinator.addSeeds(CRAWL, urls, { discoveredFrom: urlOf(0, 0) });
    }
  });
  await coordinator.close();
  return row("URLs accepted, whole rows", queued, used);
}

/** Databases opened, shard loaded, one lease granted. */
async function restart(folder: string): Promise<Row> {
  let coordinator: Coordinator | undefined;
  const used = await measured(async () => {
    coordinator = await openBenchCoordinator(folder);
    const reply = await coordinator.lease(leaseRequest("restart"));
    if (reply.leases.length === 0) throw new Error(`Leasing after the restart: got nothing (${reply.reason}).`);
    await coordinator.release({
      worker_id: "restart",
      reason: "measured",
      leases: reply.leases.map(({ lease_id, epoch, slot }) => ({ lease_id, epoch, slot })),
    });
  });
  await coordinator!.close();
  return row("restart to the first lease", 1, used);
}

function leaseRequest(workerId: string) {
  return { worker_id: workerId, region: "bench", max: 4096, max_leases: LIMITS.leasesPerReply, holding: 0 };
}

interface PairsOptions extends QueueBenchOptions {
  readonly targetsPerLease: number;
  readonly linksPerPage: number;
}

async function pairs(folder: string, options: PairsOptions): Promise<Row> {
  const limits = { ...LIMITS, targetsPerLease: options.targetsPerLease };
  const coordinator = await openBenchCoordinator(folder, { limits });
  try {
    // The hosts' robots.txt first: it isn't what is measured.
    await work(coordinator, options, Math.ceil(options.hosts / 4));
    let settled = 0;
    const used = await measured(async () => {
      settled = await work(coordinator, options, options.pairs);
    });
    const { targetsPerLease, linksPerPage } = options;
    const isCombined = linksPerPage > 0;
    const what = isCombined
      ? `pairs with ${linksPerPage} links each, ${SEEN_SHARE} % seen`
      : "lease + completion pairs";
    return row(`${what}, ${targetsPerLease} pages a lease`, settled, used, {
      ...(isCombined ? { "CPU s for 1 s of the load": (COMBINED_PAIRS * used.cpuSeconds) / settled } : {}),
    });
  } finally {
    await coordinator.close();
  }
}

/** Workers that lease and complete until `wanted` pages are settled; how many were: whole replies are. */
async function work(coordinator: Coordinator, options: PairsOptions, wanted: number): Promise<number> {
  let pages = 0;
  const one = async (workerId: string) => {
    while (pages < wanted) {
      const reply = await coordinator.lease(leaseRequest(workerId));
      if (reply.leases.length === 0) {
        if (coordinator.stats(CRAWL)?.state !== "running") {
          throw new Error(`Leasing ${wanted} pages: the queue ran dry after ${pages}; a larger --queued is wanted.`);
        }
        await systemClock.sleep(Math.max(1, Math.min(10, reply.retry_after_ms)));
        continue;
      }
      await Promise.all(reply.leases.map(async (lease) => {
        pages += lease.targets.filter(({ kind }) => kind === "page").length;
        await complete(coordinator, workerId, lease, options);
      }));
    }
  };
  await Promise.all(Array.from({ length: options.workers }, (_, i) => one(`worker-${i}`)));
  return pages;
}

let serial = 0;

async function complete(
  coordinator: Coordinator,
  workerId: string,
  lease: Lease,
  options: PairsOptions,
): Promise<void> {
  const outcomes = lease.targets.map((target) =>
    benchOutcome(target, {
      contentHash: (++serial).toString(16).padStart(64, "0"),
      outlinks: linksOf(target.url, options),
    })
  );
  const { lease_id, epoch, slot } = lease;
  await coordinator.complete({ worker_id: workerId, lease_id, epoch, slot, outcomes, done: true });
}

/** Nine in ten on the page's own host, as pages have them. */
function linksOf(url: string, { queued, hosts, linksPerPage }: PairsOptions): string[] {
  const own = Number(/host-(\d+)/.exec(url)?.[1] ?? 0);
  const perHost = Math.ceil(queued / hosts);
  return Array.from({ length: linksPerPage }, () => {
    const draw = hash32(own, ++serial, 5);
    const host = draw % 10 === 0 ? (draw >>> 8) % hosts : own;
    const isSeen = (draw >>> 4) % 100 < SEEN_SHARE;
    return isSeen ? urlOf(host, (draw >>> 9) % perHost) : `${urlOf(host, 0)}?new=${serial}`;
  });
}
