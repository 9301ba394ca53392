/**
 * One coarse clock tick for all fetches under way, in place of several timers each.
 * Invariant: a watch that is due is checked at every tick while it is registered; the idle clock never runs faster than
 * the event loop delivers data, so a stalled process doesn't blame the hosts; no tick is pending when nothing is watched
 * and `close` has resolved. Watches whose time is far are looked at a few times a second only: thousands of silent hosts
 * cost next to nothing.
 */

import type { Clock } from "../../runtime/ports.ts";

export interface Watch {
  /** Monotonic ms before which there is nothing to check. */
  readonly dueAt: number;
  /** Set while it is registered: to be called when `dueAt` has become sooner otherwise than by `check`. */
  onSooner: ((watch: Watch) => void) | undefined;
  /** `nowMs` is monotonic; `idleMs` is the idle clock. May remove itself or others. */
  check(nowMs: number, idleMs: number): void;
}

const TICK_MS = 50;
/** What is due later than this lies aside, and is looked at every `ASIDE_TICKS` ticks. */
const ASIDE_MS = 1000;
const ASIDE_TICKS = 10;
/** A later tick than this counts as a stall of this process, not as silence of the hosts. */
const LONGEST_TICK_MS = 500;

export class Deadlines {
  readonly #clock: Clock;
  readonly #near = new Set<Watch>();
  readonly #aside = new Set<Watch>();
  readonly #sooner = (watch: Watch): void => {
    if (this.#aside.delete(watch)) this.#near.add(watch);
  };
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
    this.#near.add(watch);
    watch.onSooner = this.#sooner;
    this.#loop ??= this.#run();
  }

  delete(watch: Watch): void {
    watch.onSooner = undefined;
    if (!this.#near.delete(watch)) this.#aside.delete(watch);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    let last = this.#clock.monotonicMs();
    for (let tick = 0; this.#near.size + this.#aside.size > 0; tick++) {
      await this.#clock.sleep(TICK_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) break;
      const now = this.#clock.monotonicMs();
      this.#idleMs += Math.min(now - last, LONGEST_TICK_MS);
      last = now;
      if (tick % ASIDE_TICKS === 0) {
        for (const watch of this.#aside) if (watch.dueAt <= now + ASIDE_MS) this.#sooner(watch);
      }
      for (const watch of this.#near) this.#look(watch, now);
    }
    this.#loop = undefined;
  }

  #look(watch: Watch, now: number): void {
    if (now >= watch.dueAt) watch.check(now, this.#idleMs);
    // A check may have removed it.
    if (watch.dueAt > now + ASIDE_MS && this.#near.delete(watch)) this.#aside.add(watch);
  }
}
