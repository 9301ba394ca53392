/**
 * A child process and what it used: wall clock, CPU of all its threads, peak memory.
 * Invariant: CPU and peak are the kernel's own counters, read every `SAMPLE_MS` until the process ends; what it used
 * after the last reading (at most `SAMPLE_MS` of each core) is not counted.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
import { processUsage } from "./process_usage.ts";

const SAMPLE_MS = 20;

export interface Measured {
  readonly stdout: string;
  readonly exitCode: number;
  /** Spawn to exit. */
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakRssMb: number;
}

export interface MeasureOptions {
  /** The process is killed after this long. */
  readonly limitMs: number;
}

/** Runs `command` to its end. Throws a sentence when it is killed at the limit. */
export async function measure(command: readonly string[], options: MeasureOptions): Promise<Measured> {
  const startedMs = performance.now();
  const child = spawn(command[0]!, command.slice(1), { stdio: ["ignore", "pipe", "inherit"] });
  const parts: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => parts.push(text));
  let usage = { cpuSeconds: 0, peakRssMb: 0 };
  const sample = () => {
    const now = child.pid === undefined ? undefined : processUsage(child.pid);
    // A process that has ended but isn't reaped shows its CPU, and no memory.
    if (now) usage = { cpuSeconds: now.cpuSeconds, peakRssMb: Math.max(usage.peakRssMb, now.peakRssMb) };
  };
  const sampling = setInterval(sample, SAMPLE_MS);
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, options.limitMs);
  const [exitCode] = await once(child, "close");
  const wallSeconds = (performance.now() - startedMs) / 1000;
  clearInterval(sampling);
  clearTimeout(limit);
  if (late) throw new Error(`${command.join(" ")} was run; it had not ended after ${options.limitMs / 1000} s.`);
  return { stdout: parts.join(""), exitCode: exitCode ?? -1, wallSeconds, ...usage };
}
