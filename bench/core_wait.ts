/**
 * What the calling thread had of the cores: how long it ran, and how long it was ready to run while others had them.
 * Invariant: the kernel's own figures (sched-stats, 5th section), not an estimate; 0 for ever where there are none.
 */

import { readFileSync } from "node:fs";
import { systemClock } from "../runtime/node.ts";

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

interface Look extends CoreUse {
  readonly at: number;
}

/** What a thread had of the cores in the course of time. Between two looks it slept first: it waits when it is woken up. */
export class CoreCourse {
  #looks: Look[] = [];

  constructor() {
    this.look();
  }

  /** To be called before the thread sleeps, and when it goes on. */
  look(): void {
    this.#looks.push({ at: systemClock.monotonicMs(), ...coreUse() });
  }

  /** From `at` (monotonic ms, no earlier than in the last call) until now. */
  since(at: number): CoreUse {
    this.look();
    const next = Math.max(1, this.#looks.findIndex((look) => look.at >= at));
    this.#looks = this.#looks.slice(next - 1);
    const [before, after] = this.#looks as [Look, Look];
    const now = this.#looks.at(-1)!;
    const since = (of: (use: CoreUse) => number) =>
      of(now) - of(after) + Math.min(of(after) - of(before), after.at - at);
    return { ranMs: since((use) => use.ranMs), waitedMs: since((use) => use.waitedMs) };
  }
}
