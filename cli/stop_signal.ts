/**
 * Ctrl-C and SIGTERM: the first stops cleanly, the second at once. `deno task` passes a signal on that the whole process
 * group got already (from systemd, `timeout`, `kill -- -PGID`): what comes so soon after the first is no second one.
 */

import process from "node:process";

/** A signal within this time of the first is the first one again, ms. */
const SAME_MS = 300;

export interface StopSignal {
  readonly signal: AbortSignal;
  /** Stops from within, with a reason for the summary. */
  stop(reason: string): void;
  /** Why it stopped; "" while it runs. */
  reason(): string;
  /** Gives the signals back to the runtime. */
  dispose(): void;
}

/** `onFirst` is told of the first signal, so that a person sees that it was heard. */
export function listenForStop(onFirst: () => void): StopSignal {
  const controller = new AbortController();
  let reason = "";
  let firstAt = -Infinity;
  const stop = (why: string) => {
    if (reason === "") reason = why;
    controller.abort();
  };
  const heard = (name: string) => () => {
    if (performance.now() - firstAt < SAME_MS) return;
    if (controller.signal.aborted) process.exit(130);
    firstAt = performance.now();
    onFirst();
    stop(name === "SIGINT" ? "stopped by Ctrl-C" : "stopped by SIGTERM");
  };
  const handlers = [["SIGINT", heard("SIGINT")], ["SIGTERM", heard("SIGTERM")]] as const;
  for (const [name, handler] of handlers) process.on(name, handler);
  return {
    signal: controller.signal,
    stop,
    reason: () => reason,
    dispose: () => {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}
