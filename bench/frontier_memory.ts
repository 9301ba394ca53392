/**
 * `deno run -A --v8-flags=--expose-gc bench/frontier_memory.ts [hosts] [urlsPerHost]`, or `bun --expose-gc run …`: what the
 * frontier keeps in RAM for queued URLs, on a libSQL file, after they were accepted and after a restart. One JSON line
 * each.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { openCoordinator } from "../coordinator/frontier/coordinator.ts";
import type { Coordinator } from "../coordinator/ports.ts";
import { openLibsqlControlStore } from "../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardStore } from "../coordinator/store/libsql_shard_store.ts";
import { loadCore } from "../core-wasm/mod.ts";
import { LIMITS } from "../protocol/mod.ts";
import { nativeDigest, systemClock, systemRandom } from "../runtime/node.ts";
import type { Logger } from "../runtime/ports.ts";

const [hosts = 100_000, urlsPerHost = 10] = process.argv.slice(2).map(Number);
const URLS_PER_CALL = 10_000;
const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const gc = (globalThis as { gc?: () => void }).gc;
if (gc === undefined) throw new Error("Measuring memory: no gc() was found; run with --v8-flags=--expose-gc.");

async function heapBytes(): Promise<number> {
  await systemClock.sleep(200);
  gc!();
  return process.memoryUsage().heapUsed;
}

async function open(folder: string): Promise<Coordinator> {
  return await openCoordinator({
    core: await loadCore(),
    log: silent,
    settings: {},
    clock: systemClock,
    random: systemRandom,
    digest: nativeDigest,
    controlStore: openLibsqlControlStore({ location: join(folder, "control.db") }),
    shardStores: [openLibsqlShardStore({ location: join(folder, "shard.db"), clock: systemClock })],
  });
}

/** Round by round, as pages of many hosts bring them: one URL of each host, then the next. */
async function fill(coordinator: Coordinator): Promise<void> {
  await coordinator.createCrawl("bench", {
    seeds: ["https://h0.example/"],
    scope: { kind: "any", domains: [], include: [], exclude: [] },
    priority: 0.5,
    politeness: { delay_ms: 1_000, delay_factor: 0, delay_cap_ms: LIMITS.delayCapMs, max_parallel: 1 },
    user_agent: "Outrider/bench",
    product_token: "outrider",
    embeds: false,
    respect_rel_nofollow: false,
  });
  for (let from = 0; from < hosts * urlsPerHost; from += URLS_PER_CALL) {
    const urls = Array.from({ length: Math.min(URLS_PER_CALL, hosts * urlsPerHost - from) }, (_, i) => {
      const host = (from + i) % hosts;
      return `https://h${host}.example/section-${host % 37}/page-${Math.floor((from + i) / hosts)}.html`;
    });
    await coordinator.addSeeds("bench", urls, { discoveredFrom: "https://h0.example/" });
  }
}

function tell(when: string, heap: number, empty: number, queued: number): void {
  const rssMb = Math.round(process.memoryUsage().rss / 2 ** 20);
  const bytes = heap - empty;
  console.log(JSON.stringify({
    when,
    hosts,
    queued,
    heapMb: Math.round(bytes / 2 ** 20),
    bytesPerHost: Math.round(bytes / hosts),
    rssMb,
  }));
}

const folder = mkdtempSync(join(tmpdir(), "outrider-memory-"));

async function accepted(empty: number): Promise<void> {
  const coordinator = await open(folder);
  await fill(coordinator);
  tell("accepted", await heapBytes(), empty, coordinator.stats("bench")!.queued);
  await coordinator.close();
}

async function restarted(empty: number): Promise<void> {
  const startedMs = systemClock.monotonicMs();
  const coordinator = await open(folder);
  const loadMs = Math.round(systemClock.monotonicMs() - startedMs);
  tell(`restarted in ${loadMs} ms`, await heapBytes(), empty, coordinator.stats("bench")!.queued);
  await coordinator.close();
}

try {
  await loadCore();
  const empty = await heapBytes();
  await accepted(empty);
  await restarted(empty);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
