/**
 * A clock that only moves when a test says so.
 * Invariant: `advance` wakes sleepers in order of time, and waits after each until nothing runs any more.
 */

import { setImmediate } from "node:timers";
import type { Clock } from "../../runtime/ports.ts";

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** 2030-01-01T00:00:00Z. */
const START_MS = 1_893_456_000_000;

export class VirtualClock implements Clock {
  #now = START_MS;
  #yielding = 0;
  readonly #sleepers = new Set<Sleeper>();

  wallMs(): number {
    return this.#now;
  }

  monotonicMs(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    if (ms <= 0) return this.#macrotask();
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { at: this.#now + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }

  async #macrotask(): Promise<void> {
    this.#yielding++;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#yielding--;
  }

  /** Resolves when everything that runs without the clock has run. */
  async settle(): Promise<void> {
    let quiet = 0;
    while (quiet < 3) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      quiet = this.#yielding === 0 ? quiet + 1 : 0;
    }
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    for (;;) {
      const next = [...this.#sleepers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await this.settle();
    }
    this.#now = end;
  }
}
