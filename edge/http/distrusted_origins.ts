/**
 * Origins that end connections which they had let us keep: each of their requests gets a new one for a while.
 * Invariant: bounded, the one that was added longest ago goes first; each is forgotten by its time, as it may have been
 * a restart.
 */

import type { Clock } from "../../runtime/ports.ts";

const FOR_MS = 600_000;
const MOST = 4096;

export class DistrustedOrigins {
  readonly #clock: Clock;
  readonly #most: number;
  /** Monotonic ms, in the order of their ends. */
  readonly #until = new Map<string, number>();

  constructor(clock: Clock, most = MOST) {
    this.#clock = clock;
    this.#most = most;
  }

  get size(): number {
    return this.#until.size;
  }

  add(key: string): void {
    this.#until.delete(key);
    this.#until.set(key, this.#clock.monotonicMs() + FOR_MS);
    if (this.#until.size > this.#most) this.#until.delete(this.#until.keys().next().value!);
  }

  has(key: string): boolean {
    if (this.#until.size === 0) return false;
    const until = this.#until.get(key);
    if (until === undefined) return false;
    if (this.#clock.monotonicMs() < until) return true;
    this.#until.delete(key);
    return false;
  }
}
