/**
 * A whole crawl of the synthetic web (delay 0, everything on) beside the reference loop, taking turns against one
 * server process, so that both meet the same machine.
 * Invariant: every figure of both comes from the same counters: pages from the server's log, CPU and memory from the
 * kernel; a run that didn't fetch the whole ground truth says so in its row.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { outriderArguments } from "../tests/support/outrider_process.ts";
import { coverageOf } from "../tests/support/web_checks.ts";
import { runArguments, spawnWeb } from "../tests/support/web_server.ts";
import type { WebProcess } from "../tests/support/web_server.ts";
import { measure } from "./measured_process.ts";
import type { Measured } from "./measured_process.ts";
import { median } from "./report/table.ts";
import type { Row } from "./report/table.ts";
import { executable } from "./watched_crawl.ts";
import { groundTruth } from "./web/mod.ts";
import type { GroundTruth, RequestEntry, WebConfig } from "./web/mod.ts";

export interface CrawlBenchOptions {
  readonly web: Partial<WebConfig>;
  /** Executables: "deno", "bun". */
  readonly runtimes: readonly string[];
  readonly rounds: number;
  /** Server on the last core, clients on the others. */
  readonly pin: boolean;
  /** Told after each run. */
  readonly onRun: (sentence: string) => void;
}

const LIMIT_MS = 600_000;
const LOOP = fileURLToPath(new URL("reference_loop.ts", import.meta.url));
const CONTESTANTS = ["reference loop", "outrider crawl"] as const;
type Contestant = (typeof CONTESTANTS)[number];

interface Run {
  readonly pages: number;
  readonly missing: number;
  readonly wholePagesPerSecond: number;
  readonly activePagesPerSecond: number;
  readonly cpuSecondsPerThousand: number;
  readonly peakRssMb: number;
}

/** One row for each runtime and contestant: medians over the rounds, and the ratio to the reference loop. */
export async function benchCrawl(options: CrawlBenchOptions): Promise<Row[]> {
  const lastCore = cpus().length - 1;
  const web = await spawnWeb({ ...options.web, hostForm: "address" }, {
    warm: true,
    ...(options.pin && lastCore > 0 ? { core: lastCore } : {}),
  });
  try {
    const truth = groundTruth(web.config);
    const rows: Row[] = [];
    for (const runtime of options.runtimes) rows.push(...await benchRuntime(web, truth, runtime, options));
    return rows;
  } finally {
    await web.stop();
  }
}

async function benchRuntime(
  web: WebProcess,
  truth: GroundTruth,
  runtime: string,
  options: CrawlBenchOptions,
): Promise<Row[]> {
  const runs: Record<Contestant, Run[]> = { "reference loop": [], "outrider crawl": [] };
  for (let round = 1; round <= options.rounds; round++) {
    for (const contestant of CONTESTANTS) {
      const run = await runOne(web, truth, contestant, { runtime, pin: options.pin });
      runs[contestant].push(run);
      options.onRun(
        `${runtime}, round ${round} of ${options.rounds}, ${contestant}: ` +
          `${run.wholePagesPerSecond.toFixed(0)} pages/s over ${run.pages} pages`,
      );
    }
  }
  return CONTESTANTS.map((contestant) => rowOf(runtime, contestant, runs));
}

interface Seat {
  readonly runtime: string;
  readonly pin: boolean;
}

async function runOne(web: WebProcess, truth: GroundTruth, contestant: Contestant, seat: Seat): Promise<Run> {
  await web.reset();
  const folder = mkdtempSync(join(tmpdir(), "outrider-bench-"));
  try {
    const measured = await measure(commandOf(web, contestant, seat, folder), { limitMs: LIMIT_MS });
    if (measured.exitCode !== 0) {
      throw new Error(`The ${contestant} was run on ${seat.runtime}; it ended with code ${measured.exitCode}, not 0.`);
    }
    return runOf(measured, await web.log(), truth);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function commandOf(web: WebProcess, contestant: Contestant, seat: Seat, folder: string): string[] {
  const own = executable(seat.runtime);
  const pinned = seat.pin && cpus().length > 1 ? ["taskset", "-c", `0-${cpus().length - 2}`] : [];
  if (contestant === "reference loop") return [...pinned, own, ...runArguments(seat.runtime, LOOP), web.seed];
  const flags = ["--scope", "any", "--delay-ms", "0", "--allow-address", "127.0.0.0/8", "--data", folder, "--json"];
  return [...pinned, own, ...outriderArguments(seat.runtime), "crawl", web.seed, ...flags];
}

function runOf(measured: Measured, log: readonly RequestEntry[], truth: GroundTruth): Run {
  const { missing } = coverageOf(log, truth);
  const pages = log.filter((entry) => entry.status === 200 && !entry.kind.startsWith("robots"));
  const firstMs = pages.reduce((least, entry) => Math.min(least, entry.startMs), Infinity);
  const lastMs = pages.reduce((most, entry) => Math.max(most, entry.endMs), 0);
  return {
    pages: pages.length,
    missing: missing.length,
    wholePagesPerSecond: pages.length / measured.wallSeconds,
    activePagesPerSecond: (pages.length * 1000) / (lastMs - firstMs),
    cpuSecondsPerThousand: (measured.cpuSeconds * 1000) / pages.length,
    peakRssMb: measured.peakRssMb,
  };
}

function rowOf(runtime: string, contestant: Contestant, runs: Record<Contestant, readonly Run[]>): Row {
  const middle = (of: Contestant, field: keyof Run) => median(runs[of].map((run) => run[field]));
  const ratio = (field: keyof Run) => middle(contestant, field) / middle("reference loop", field);
  return {
    runtime,
    crawler: contestant,
    pages: middle(contestant, "pages"),
    missing: middle(contestant, "missing"),
    "pages/s": middle(contestant, "wholePagesPerSecond"),
    "of loop": ratio("wholePagesPerSecond"),
    "pages/s active": middle(contestant, "activePagesPerSecond"),
    "of loop active": ratio("activePagesPerSecond"),
    "CPU s/1000": middle(contestant, "cpuSecondsPerThousand"),
    "peak RSS MB": middle(contestant, "peakRssMb"),
  };
}
