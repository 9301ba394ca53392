/**
 * How far the wall clock was set forward since the last look: by an operator, by NTP after a paused machine, or because
 * the machine slept, which can't be told apart.
 * Invariant: what is reported is no slewing (at most a thousandth) and no pause between two readings.
 */

import type { Clock } from "../../runtime/ports.ts";

/** Less is slewing, or reading the clocks. */
const LEAST_STEP_MS = 100;
const SLEW = 0.001;
/** Two clocks that are read at once differ by no more than this. */
const AT_ONCE_MS = 2;
const READINGS = 10;

interface Reading {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export class ClockSteps {
  readonly #clock: Clock;
  #last: Reading;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#last = this.#read();
  }

  /** ms, 0 where it was not set forward; each step is told once. */
  forwardMs(): number {
    const before = this.#last;
    const now = this.#last = this.#read();
    const passedMs = now.monotonicMs - before.monotonicMs;
    const stepMs = now.wallMs - before.wallMs - passedMs;
    return stepMs > LEAST_STEP_MS + SLEW * passedMs ? Math.ceil(stepMs) : 0;
  }

  /** Read anew when the process was held up between the two. */
  #read(): Reading {
    for (let reading = 1;; reading++) {
      const monotonicMs = this.#clock.monotonicMs();
      const wallMs = this.#clock.wallMs();
      if (reading === READINGS || this.#clock.monotonicMs() - monotonicMs <= AT_ONCE_MS) return { wallMs, monotonicMs };
    }
  }
}
