/**
 * The time limits of one fetch and the one way to end it early.
 * Invariant: `onEnd` is called at most once, with the first limit that was passed; whoever waits sets it for as long
 * as it waits, and finds `ended` set if it comes too late.
 */

import type { AdmitAddress, FetchLimits, FetchRequest } from "../ports.ts";
import type { Watch } from "./deadlines.ts";

export type Ending = "connect_timeout" | "read_timeout" | "wall_timeout" | "aborted";

const NOT_IDLE = -1;

export class FetchTask implements Watch {
  readonly limits: FetchLimits;
  /** Monotonic ms. */
  readonly startedAt: number;
  /** The soonest that a limit can be passed. */
  dueAt: number;
  onSooner: Watch["onSooner"];
  readonly admitAddress: AdmitAddress | undefined;
  /** Monotonic ms after which nothing is sent any more. */
  readonly sendBy: number;
  ended: Ending | undefined;
  onEnd: ((why: Ending) => void) | undefined;
  readonly #wallAt: number;
  #connectBy = Infinity;
  #idleFromMs = NOT_IDLE;

  constructor(request: Pick<FetchRequest, "limits" | "admitAddress" | "sendBy">, startedAt: number) {
    const { limits } = request;
    this.limits = limits;
    this.admitAddress = request.admitAddress;
    this.sendBy = request.sendBy ?? Infinity;
    this.startedAt = startedAt;
    this.dueAt = this.#wallAt = startedAt + limits.wallMs;
  }

  /** Monotonic ms at which the present connection attempt ends. */
  get connectBy(): number {
    return this.#connectBy;
  }

  set connectBy(at: number) {
    this.#connectBy = at;
    if (at < this.dueAt) this.#due(at);
  }

  #due(at: number): void {
    this.dueAt = at;
    this.onSooner?.(this);
  }

  /** Something arrived (or is awaited from now): `idleMs` of the idle clock. */
  touch(idleMs: number): void {
    // Where it is on the monotonic clock is told at the next tick; that it has moved on needn't be.
    if (this.#idleFromMs === NOT_IDLE) this.#due(-Infinity);
    this.#idleFromMs = idleMs;
  }

  check(nowMs: number, idleMs: number): void {
    if (nowMs >= this.#wallAt) this.end("wall_timeout");
    else if (nowMs >= this.#connectBy) this.end("connect_timeout");
    else {
      // The idle clock is never faster than the monotonic one, so it can't come to its limit before that time.
      const leftMs = this.#idleFromMs === NOT_IDLE ? Infinity : this.limits.idleMs - (idleMs - this.#idleFromMs);
      if (leftMs <= 0) this.end("read_timeout");
      else this.dueAt = Math.min(this.#wallAt, this.#connectBy, nowMs + leftMs);
    }
  }

  /** May a request go to `address` now? A task that ended meanwhile may not. */
  async admits(address: string): Promise<boolean> {
    const answer = this.admitAddress?.(address) ?? true;
    return answer === true || (await this.race(answer)) === true;
  }

  end(why: Ending): void {
    if (this.ended) return;
    this.ended = why;
    this.onEnd?.(why);
  }

  /** `work`'s value, or why the task ended before; a rejection of `work` passes through. */
  async race<T>(work: Promise<T>): Promise<T | Ending> {
    if (this.ended) return this.ended;
    try {
      return await new Promise<T | Ending>((resolve, reject) => {
        this.onEnd = resolve;
        work.then(resolve, reject);
      });
    } finally {
      this.onEnd = undefined;
    }
  }
}
