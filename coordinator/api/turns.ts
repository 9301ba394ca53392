/**
 * Who only asks gives way to edges: of what comes at once, one request a turn of the event loop is worked on, so that a lease
 * or a completion waits for one at most.
 * Invariant: in the order in which they came; none waits while nothing else is done.
 */

import type { Clock } from "../../runtime/ports.ts";

/** Resolves when it is the caller's turn. */
export function createTurns({ sleep }: Pick<Clock, "sleep">): () => Promise<void> | undefined {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const next = async () => {
    do {
      await sleep(0);
      const first = waiting.shift();
      if (first === undefined) isTaken = false;
      else first();
    } while (isTaken);
  };
  return () => {
    if (isTaken) return new Promise((resolve) => void waiting.push(resolve));
    isTaken = true;
    void next();
    return undefined;
  };
}
