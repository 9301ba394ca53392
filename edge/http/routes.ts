/**
 * Whether this machine has an IPv6 address of its own: without one, IPv6 is tried last (RFC 6724 asks for the same).
 * Invariant: only the order of tries rests on it; looked at anew from time to time, as machines move.
 */

import { networkInterfaces } from "node:os";
import type { Clock } from "../../runtime/ports.ts";

const LOOK_MS = 60_000;

export class Routes {
  readonly #clock: Clock;
  #lookedAt = -Infinity;
  #hasIpv6 = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hasIpv6(): boolean {
    const now = this.#clock.monotonicMs();
    if (now - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = now;
      const all = Object.values(networkInterfaces()).flat();
      this.#hasIpv6 = all.some((one) => one?.family === "IPv6" && !one.internal && !/^fe[89ab]/i.test(one.address));
    }
    return this.#hasIpv6;
  }
}
