/**
 * Ctrl-C and SIGTERM: the first stops cleanly, the second at once.
 */

import process from "node:process";

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
  const stop = (why: string) => {
    if (reason === "") reason = why;
    controller.abort();
  };
  const heard = (name: string) => () => {
    if (controller.signal.aborted) process.exit(130);
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
