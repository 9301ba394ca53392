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
  /** Monotonic ms at which the present connection attempt ends. */
  connectBy = Infinity;
  readonly admitAddress: AdmitAddress | undefined;
  /** Monotonic ms after which nothing is sent any more. */
  readonly sendBy: number;
  ended: Ending | undefined;
  onEnd: ((why: Ending) => void) | undefined;
  readonly #wallAt: number;
  #idleFromMs = NOT_IDLE;

  constructor(request: Pick<FetchRequest, "limits" | "admitAddress" | "sendBy">, startedAt: number) {
    const { limits } = request;
    this.limits = limits;
    this.admitAddress = request.admitAddress;
    this.sendBy = request.sendBy ?? Infinity;
    this.startedAt = startedAt;
    this.#wallAt = startedAt + limits.wallMs;
  }

  /** Something arrived (or is awaited from now): `idleMs` of the idle clock. */
  touch(idleMs: number): void {
    this.#idleFromMs = idleMs;
  }

  check(nowMs: number, idleMs: number): void {
    if (nowMs >= this.#wallAt) this.end("wall_timeout");
    else if (nowMs >= this.connectBy) this.end("connect_timeout");
    else if (this.#idleFromMs !== NOT_IDLE && idleMs - this.#idleFromMs >= this.limits.idleMs) this.end("read_timeout");
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
