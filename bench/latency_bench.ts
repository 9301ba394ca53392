/**
 * Crawls of a slow synthetic web: how many fetches one edge holds in flight, how many pages a second come of it, and what
 * they cost.
 * Invariant: what is in flight is told by the server's log, between a quarter and three quarters of the time from the first
 * request to the last answer, so that neither the start nor the tail of a crawl counts.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outriderArguments } from "../tests/support/outrider_process.ts";
import { spawnWeb } from "../tests/support/web_server.ts";
import { measure } from "./measured_process.ts";
import type { Row } from "./report/table.ts";
import { executable } from "./watched_crawl.ts";
import type { RequestEntry } from "./web/mod.ts";

interface Trial {
  /** Every answer waits this long. */
  readonly latencyMs: number;
  /** Hosts crawled at once, and requests of each: their product is what may be in flight. */
  readonly hosts: number;
  readonly parallel: number;
  readonly pages: number;
  /** Hosts of the web: enough of them that none of the hands waits for one that still has pages. */
  readonly webHosts: number;
}

/** One lease is one host, and a worker holds at most 1,024: beyond that a host gets several requests at once. */
const TRIALS: readonly Trial[] = [
  { latencyMs: 500, hosts: 50, parallel: 1, pages: 4_000, webHosts: 200 },
  { latencyMs: 2_000, hosts: 825, parallel: 1, pages: 16_500, webHosts: 1_650 },
  { latencyMs: 500, hosts: 825, parallel: 1, pages: 16_500, webHosts: 1_650 },
  { latencyMs: 5_000, hosts: 1_000, parallel: 3, pages: 20_000, webHosts: 2_000 },
];
const LIMIT_MS = 600_000;

export interface LatencyBenchOptions {
  readonly runtimes: readonly string[];
  readonly onRun: (sentence: string) => void;
}

/** One row for each runtime and trial. */
export async function benchLatency({ runtimes, onRun }: LatencyBenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const trial of TRIALS) {
    const { latencyMs, webHosts, pages } = trial;
    const web = await spawnWeb({ latencyMs, pages, hosts: webHosts, hostForm: "address" }, { warm: true });
    try {
      for (const runtime of runtimes) {
        await web.reset();
        const row = await runTrial(runtime, trial, web.seed, () => web.log());
        rows.push(row);
        onRun(JSON.stringify(row));
      }
    } finally {
      await web.stop();
    }
  }
  return rows;
}

async function runTrial(
  runtime: string,
  trial: Trial,
  seed: string,
  logOf: () => Promise<readonly RequestEntry[]>,
): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "outrider-latency-"));
  try {
    const limits = ["--delay-ms", "0", "--hosts", String(trial.hosts), "--max-parallel", String(trial.parallel)];
    const args = ["crawl", seed, "--scope", "any", ...limits, "--allow-address", "127.0.0.0/8", "--data", folder];
    const command = [executable(runtime), ...outriderArguments(runtime), ...args, "--json"];
    const { exitCode, cpuSeconds, peakRssMb } = await measure(command, { limitMs: LIMIT_MS });
    if (exitCode !== 0) throw new Error(`A crawl was run on ${runtime}; it ended with code ${exitCode}, not 0.`);
    const log = await logOf();
    const pages = log.filter(isPage);
    const middle = middleOf(log);
    return {
      runtime,
      "answer ms": trial.latencyMs,
      "at once": trial.hosts * trial.parallel,
      "in flight": middle.inFlight,
      "most in flight": mostInFlight(log),
      "pages/s": middle.pagesPerSecond,
      "at most": (trial.hosts * trial.parallel * 1000) / trial.latencyMs,
      pages: pages.length,
      "CPU s/1000": (1000 * cpuSeconds) / pages.length,
      "peak RSS MB": peakRssMb,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isPage(entry: RequestEntry): boolean {
  return entry.status === 200 && !entry.kind.startsWith("robots");
}

/** The most requests that the server had unanswered at one time. */
export function mostInFlight(log: readonly Pick<RequestEntry, "startMs" | "endMs">[]): number {
  const ends = log.map(({ endMs }) => endMs).sort((a, b) => a - b);
  const starts = log.map(({ startMs }) => startMs).sort((a, b) => a - b);
  let [most, over] = [0, 0];
  starts.forEach((startMs, begun) => {
    while (over < ends.length && ends[over]! <= startMs) over++;
    most = Math.max(most, begun + 1 - over);
  });
  return most;
}

/** Mean of the requests in flight, and pages answered a second, in the middle half of the time. */
export function middleOf(log: readonly RequestEntry[]): { inFlight: number; pagesPerSecond: number } {
  const first = log.reduce((least, { startMs }) => Math.min(least, startMs), Infinity);
  const last = log.reduce((most, { endMs }) => Math.max(most, endMs), 0);
  const [from, to] = [first + (last - first) / 4, last - (last - first) / 4];
  let heldMs = 0;
  for (const { startMs, endMs } of log) heldMs += Math.max(0, Math.min(endMs, to) - Math.max(startMs, from));
  const answered = log.filter((entry) => isPage(entry) && entry.endMs >= from && entry.endMs < to).length;
  return { inFlight: heldMs / (to - from), pagesPerSecond: (1000 * answered) / (to - from) };
}
