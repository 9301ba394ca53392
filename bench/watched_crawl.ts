/**
 * A crawl in a process of its own that is looked at while it runs: pages from its own progress lines, memory, CPU, open
 * files and sockets from the kernel.
 * Invariant: a sample is taken at each progress line, so that every figure of it is of the same moment.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers";
import { outriderArguments } from "../tests/support/outrider_process.ts";
import { processUsage } from "./process_usage.ts";

export interface Sample {
  /** Seconds since the process was started. */
  readonly atSeconds: number;
  /** Pages with status 2xx so far. */
  readonly pages: number;
  /** Of all threads, so far. */
  readonly cpuSeconds: number;
  /** VmRSS, MB of 1,048,576 bytes. */
  readonly rssMb: number;
  /** Open files, sockets among them. */
  readonly files: number;
  readonly sockets: number;
}

export interface WatchedCrawl {
  /** Every sample, in order. */
  readonly samples: readonly Sample[];
  /** The closing line's fields; undefined when there was none. */
  readonly summary: Readonly<Record<string, unknown>> | undefined;
  /** Exit code, or the name of the signal that ended it. */
  readonly ended: number | string;
}

export interface WatchOptions {
  /** Executable: "deno", "bun" or a path. */
  readonly runtime: string;
  /** Arguments behind `outrider crawl`; `--json` is added. */
  readonly args: readonly string[];
  /** Told to stop (SIGINT) after this long. Default: never. */
  readonly stopAfterMs?: number;
  readonly onSample?: (sample: Sample) => void;
}

/** The running executable for its own name, so that nothing has to be on the PATH. */
export function executable(runtime: string): string {
  const own = new RegExp(`${runtime}(\\.exe)?$`).test(process.execPath);
  return own ? process.execPath : runtime;
}

/** Runs the crawl to its end. */
export async function watchCrawl(options: WatchOptions): Promise<WatchedCrawl> {
  const args = [...outriderArguments(options.runtime), "crawl", ...options.args, "--json"];
  const startedMs = performance.now();
  const child = spawn(executable(options.runtime), args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  // By its id: on Deno a child that was sent a signal through its handle counts as ended by it, whatever it made of it.
  const stopping = options.stopAfterMs === undefined
    ? undefined
    : setTimeout(() => process.kill(child.pid!, "SIGINT"), options.stopAfterMs);
  const samples: Sample[] = [];
  let summary: Record<string, unknown> | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line);
    if (told.type === "summary") summary = told;
    const sample = told.type === "progress" ? sampleOf(child.pid!, told.pages, startedMs) : undefined;
    if (sample === undefined) continue;
    samples.push(sample);
    options.onSample?.(sample);
  }
  const [code, signal] = await ended;
  clearTimeout(stopping);
  return { samples, summary, ended: code ?? signal };
}

function sampleOf(pid: number, pages: number, startedMs: number): Sample | undefined {
  const usage = processUsage(pid);
  if (usage === undefined) return undefined;
  const { cpuSeconds } = usage;
  try {
    const names = readdirSync(`/proc/${pid}/fd`);
    const sockets = names.filter((name) => targetOf(`/proc/${pid}/fd/${name}`).startsWith("socket:")).length;
    const kb = Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    const atSeconds = (performance.now() - startedMs) / 1000;
    return { atSeconds, pages, cpuSeconds, rssMb: kb / 1024, files: names.length, sockets };
  } catch {
    return undefined;
  }
}

/** What a descriptor stands for; "" when it was closed meanwhile. */
function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
