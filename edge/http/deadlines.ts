/**
 * One coarse clock tick for all fetches under way, in place of several timers each.
 * Invariant: a watch is checked at every tick while it is registered; the idle clock never runs faster than the
 * event loop delivers data, so a stalled process doesn't blame the hosts; no tick is pending when nothing is watched
 * and `close` has resolved.
 */

import type { Clock } from "../../runtime/ports.ts";

export interface Watch {
  /** `nowMs` is monotonic; `idleMs` is the idle clock. May remove itself or others. */
  check(nowMs: number, idleMs: number): void;
}

const TICK_MS = 50;
/** A later tick than this counts as a stall of this process, not as silence of the hosts. */
const LONGEST_TICK_MS = 500;

export class Deadlines {
  readonly #clock: Clock;
  readonly #watches = new Set<Watch>();
  readonly #stop = new AbortController();
  #loop: Promise<void> | undefined;
  #idleMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The idle clock: ms, advanced by each tick. */
  get idleMs(): number {
    return this.#idleMs;
  }

  add(watch: Watch): void {
    this.#watches.add(watch);
    this.#loop ??= this.#run();
  }

  delete(watch: Watch): void {
    this.#watches.delete(watch);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    let last = this.#clock.monotonicMs();
    while (this.#watches.size > 0) {
      await this.#clock.sleep(TICK_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) break;
      const now = this.#clock.monotonicMs();
      this.#idleMs += Math.min(now - last, LONGEST_TICK_MS);
      last = now;
      for (const watch of this.#watches) watch.check(now, this.#idleMs);
    }
    this.#loop = undefined;
  }
}
