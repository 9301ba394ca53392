/**
 * How long the calling thread was ready to run and no core was free: what other work on the machine costs it.
 * Invariant: the kernel's own figure (sched-stats, 5th section), not an estimate; 0 for ever where there is none.
 */

import { readFileSync } from "node:fs";

/** Ms since the thread began. */
export function coreWaitMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}
