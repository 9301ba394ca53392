/**
 * What API requests do to leases inside the coordinator, without what other work on the machine does to them.
 *
 *   deno run -A bench/api_lease_bench.ts [--rate=2000] [--rounds=8] [--round-ms=4000] [--leases=100] [--held-ms=300]      (or: bun …)
 *
 * A coordinator with its API in this process, edges and readers (api_load_bench.ts) in others; rounds with and without
 * readers take turns. A lease is timed from when its request reached the API's handler until its answer is there; told twice:
 * as it was, and without the time for which this thread was ready to run and others had the cores, by the kernel's count.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { listingThread } from "../cli/listing_thread.ts";
import { startApi } from "../coordinator/api/server.ts";
import { openCoordinator } from "../coordinator/frontier/coordinator.ts";
import { openLibsqlControlStore } from "../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardStore } from "../coordinator/store/libsql_shard_store.ts";
import { loadCore } from "../core-wasm/mod.ts";
import { nativeDigest, systemClock, systemRandom } from "../runtime/node.ts";
import type { Serve } from "../runtime/ports.ts";
import { serve } from "../runtime/serve.ts";
import { silentLog } from "../tests/support/control_plane.ts";
import { runArguments } from "../tests/support/web_server.ts";
import { benchSpec } from "./bench_coordinator.ts";
import { coreUse } from "./core_wait.ts";

const flag = (name: string, otherwise: number): number => {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? otherwise : Number(given.split("=")[1]);
};
const ROUNDS = flag("rounds", 8);
const ROUND_MS = flag("round-ms", 4000);
const HOSTS = 200;
/** Until what was begun is under way. */
const SETTLE_MS = 1500;
const LEASE = "/v1/frontier/lease";

const WAYS = ["quiet", "loaded"] as const;

interface Figures {
  readonly ms: number[];
  /** Without waits for a core. */
  readonly ownMs: number[];
  requests: number;
  ranMs: number;
}

const figures = { quiet: none(), loaded: none() };
let into: Figures | undefined;

function none(): Figures {
  return { ms: [], ownMs: [], requests: 0, ranMs: 0 };
}

/** Serves, and times leases. */
const timed: Serve = (options) =>
  serve({
    ...options,
    handler: async (request, remoteAddress) => {
      const found = into;
      const began = systemClock.monotonicMs();
      const isLease = request.url.endsWith(LEASE);
      const before = isLease ? coreUse().waitedMs : 0;
      const response = await options.handler(request, remoteAddress);
      if (found === undefined) return response;
      if (!request.url.includes("/v1/frontier/")) found.requests++;
      if (!isLease) return response;
      const ms = systemClock.monotonicMs() - began;
      found.ms.push(ms);
      found.ownMs.push(Math.max(0, ms - (coreUse().waitedMs - before)));
      return response;
    },
  });

function helper(flags: readonly string[]): ChildProcess {
  const file = fileURLToPath(new URL("./api_load_bench.ts", import.meta.url));
  const args = [...runArguments(process.execPath, file), ...flags, ...process.argv.slice(2)];
  return spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
}

async function measure(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const control = openLibsqlControlStore({ location: `${folder}/control.db` });
  const listings = listingThread();
  const location = `${folder}/frontier-0.db`;
  const options = { clock: systemClock, random: systemRandom, digest: nativeDigest, log: silentLog };
  const coordinator = await openCoordinator({
    ...options,
    core: await loadCore(),
    settings: {},
    controlStore: control,
    shardStores: [openLibsqlShardStore({ location, clock: systemClock, reader: listings.reader })],
  });
  await coordinator.createCrawl(
    "bench",
    benchSpec(Array.from({ length: HOSTS }, (_, i) => `http://127.1.0.${i}/page-0`)),
  );
  const server = await startApi({
    ...options,
    coordinator,
    idempotency: control,
    operators: control,
    tokens: [],
    corsOrigins: [],
    hostnames: [],
    defaults: { version: "bench", openedAddresses: true },
    serve: timed,
    hostname: "127.0.0.1",
    port: 0,
  });
  const edges = helper([`--edges=${server.url}`]);
  try {
    await systemClock.sleep(SETTLE_MS);
    for (let round = 0; round < ROUNDS; round++) for (const way of WAYS) await oneRound(way, server.url);
    report();
  } finally {
    edges.kill("SIGKILL");
    listings.close();
  }
}

async function oneRound(way: typeof WAYS[number], base: string): Promise<void> {
  const load = way === "loaded" ? helper([`--load=${base}`]) : undefined;
  await systemClock.sleep(SETTLE_MS);
  const before = coreUse().ranMs;
  into = figures[way];
  await systemClock.sleep(ROUND_MS);
  into = undefined;
  figures[way].ranMs += coreUse().ranMs - before;
  load?.kill("SIGKILL");
  await systemClock.sleep(SETTLE_MS / 3);
}

function report(): void {
  const at = (times: readonly number[], share: number) =>
    times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))]!;
  for (const way of WAYS) {
    const { ms, ownMs, requests, ranMs } = figures[way];
    const spread = (times: readonly number[]) =>
      [0.1, 0.5, 0.95].map((share) => at(times, share).toFixed(2)).join(", ");
    const seconds = ROUNDS * ROUND_MS / 1000;
    console.log(
      `${way.padEnd(6)} ${ms.length} leases, ms (p10, median, p95): ${spread(ms)}; without waits for a core ${
        spread(ownMs)
      }; ${(requests / seconds).toFixed(0)} API requests a second; this thread ${
        (ranMs / seconds / 10).toFixed(0)
      } % of a core`,
    );
  }
  const ratio = (name: "ms" | "ownMs") => (at(figures.loaded[name], 0.5) / at(figures.quiet[name], 0.5)).toFixed(2);
  console.log(`leases take ${ratio("ms")} of the time; without waits for a core ${ratio("ownMs")}`);
}

const folder = mkdtempSync(`${tmpdir()}/outrider-lease-`);
try {
  await measure(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);
