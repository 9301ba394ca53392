/**
 * Spreads queries in time: a burst of thousands overflows the receive buffers of small resolvers, and those that are
 * dropped cost a second each.
 * Invariant: at most `BURST` at once, and from then on one every `GAP_MS`; first come, first served.
 */

import type { Clock } from "../../../runtime/ports.ts";

const BURST = 64;
/** 5,000 a second. */
const GAP_MS = 0.2;

export class SendGate {
  readonly #clock: Clock;
  #nextAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when one more may be sent, or the signal is aborted. */
  async pass(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonicMs();
    this.#nextAt = Math.max(this.#nextAt, now - BURST * GAP_MS) + GAP_MS;
    const waitMs = this.#nextAt - now;
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
  }
}
