/**
 * Origins where nobody answers: no connection in as many tries as a URL gets, and never an answer before. Their URLs are
 * given up as any URL is that can't be connected to, so that a crawl with a dead seed ends in minutes (E70, E76).
 * Invariant: an origin that ever answered, with whatever status, is never dead: promise 7 makes it wait. Counts are of
 * this process; a restart only makes the verdict later.
 */

import { type FailureClass, FAILURES, type Origin } from "../../../protocol/mod.ts";

/** Failures that say that there is no server to talk to. */
const NO_CONNECTION: ReadonlySet<FailureClass> = new Set<FailureClass>([
  "dns",
  "connect_refused",
  "connect_timeout",
  "tls",
  "address_refused",
  "bad_url",
]);

const ANSWERED = -1;

interface Tries {
  count: number;
  reason: string;
}

export class DeadOrigins {
  readonly #tries = new Map<Origin, Tries>();
  readonly #attempts: number;

  /** `attempts`: tries of one URL before it is dead. */
  constructor(attempts: number) {
    this.#attempts = attempts;
  }

  /** Nobody has ever answered there, this time neither. */
  isUnmet(origin: Origin, failure: FailureClass | undefined): boolean {
    return failure !== undefined && NO_CONNECTION.has(failure) && this.#tries.get(origin)?.count !== ANSWERED;
  }

  answered(origin: Origin): void {
    this.#tries.set(origin, { count: ANSWERED, reason: "" });
  }

  /** Its robots.txt couldn't be had; `failure` is undefined when a server answered with a failing status. */
  failed(origin: Origin, failure: FailureClass | undefined): void {
    if (failure === undefined || !NO_CONNECTION.has(failure)) return this.answered(origin);
    const tries = this.#tries.get(origin);
    if (tries?.count === ANSWERED) return;
    const count = FAILURES[failure].retry ? (tries?.count ?? 0) + 1 : this.#attempts;
    const words = failure === "bad_url"
      ? ": no request can be made of its name"
      : failure === "address_refused"
      ? ": its address isn't public, or the crawl has no delay, and no --allow-address opens it"
      : ` in ${count === 1 ? "1 try" : `${count} tries`}`;
    this.#tries.set(origin, { count, reason: `${failure}: no connection to ${origin}${words}` });
  }

  forget(origin: Origin): void {
    this.#tries.delete(origin);
  }

  /** Why the URLs of this origin are given up; undefined = they aren't. */
  reason(origin: Origin): string | undefined {
    const tries = this.#tries.get(origin);
    return tries !== undefined && tries.count >= this.#attempts ? tries.reason : undefined;
  }
}
