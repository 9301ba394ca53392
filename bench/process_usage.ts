/**
 * What this process has used so far, as the kernel counts it.
 * Invariant: peak memory is the kernel's high-water mark, not a sample.
 */

import { readFileSync } from "node:fs";
import process from "node:process";

export interface ProcessUsage {
  /** User and system time of all threads, seconds. */
  readonly cpuSeconds: number;
  /** VmHWM, MB of 1,048,576 bytes; 0 where /proc has none. */
  readonly peakRssMb: number;
}

/** `pid` absent: this process. Undefined when the process has gone or there is no /proc. */
export function processUsage(pid: number | "self" = "self"): ProcessUsage | undefined {
  if (pid === "self") {
    const { user, system } = process.cpuUsage();
    return { cpuSeconds: (user + system) / 1e6, peakRssMb: peakRssMb(pid) };
  }
  try {
    // proc(5): fields 14 and 15 are utime and stime in ticks of 1/100 s; the name before them may hold blanks.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100, peakRssMb: peakRssMb(pid) };
  } catch {
    return undefined;
  }
}

function peakRssMb(pid: number | "self"): number {
  try {
    const line = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Math.round(Number(line?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
