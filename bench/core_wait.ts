/**
 * What the calling thread had of the cores: how long it ran, and how long it was ready to run while others had them.
 * Invariant: the kernel's own figures (sched-stats, 5th section), not an estimate; 0 for ever where there are none.
 */

import { readFileSync } from "node:fs";

export interface CoreUse {
  readonly ranMs: number;
  readonly waitedMs: number;
}

/** Since the thread began. */
export function coreUse(): CoreUse {
  try {
    const [ran, waited] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ").map(Number);
    return { ranMs: ran! / 1e6, waitedMs: waited! / 1e6 };
  } catch {
    return { ranMs: 0, waitedMs: 0 };
  }
}
