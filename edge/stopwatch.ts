/**
 * Elapsed time that a suspended machine can't hide: the larger of monotonic and wall time, since on some systems the
 * monotonic clock stands still while the machine sleeps.
 */

import type { Clock } from "../runtime/ports.ts";

export class Stopwatch {
  readonly #clock: Clock;
  readonly #monotonic: number;
  readonly #wall: number;

  constructor(clock: Clock, agoMs = 0) {
    this.#clock = clock;
    this.#monotonic = clock.monotonicMs() - agoMs;
    this.#wall = clock.wallMs() - agoMs;
  }

  /** ms since the start, never less than either clock says. */
  elapsedMs(): number {
    return Math.max(this.#clock.monotonicMs() - this.#monotonic, this.#clock.wallMs() - this.#wall);
  }

  /** A stopwatch that starts now; take it *before* sending what it measures. */
  static start(clock: Clock): Stopwatch {
    return new Stopwatch(clock);
  }

  /** As if it had been started `agoMs` ago. */
  static startedAgo(clock: Clock, agoMs: number): Stopwatch {
    return new Stopwatch(clock, agoMs);
  }
}
