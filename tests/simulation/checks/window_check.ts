/**
 * The clocks of registered domains and addresses, at the servers: starts per window, and requests under way at once.
 * Invariant: a window is half open; requests of an edge that died are over, as its connections are.
 */

import type { Process } from "../machine.ts";
import type { Verdict } from "./verdict.ts";

export interface WindowLimit {
  readonly inFlight: number;
  readonly gapMs: number;
}

/** One request, from its arrival until its last byte is sent or its connection is gone. */
export interface Flight {
  readonly at: number;
  readonly by: Process;
  isOver: boolean;
}

export class WindowCheck {
  readonly #verdict: Verdict;
  readonly #kind: string;
  readonly #limit: WindowLimit;
  readonly #flights = new Map<string, Flight[]>();

  /** `kind`: what the groups are, for the sentence. */
  constructor(verdict: Verdict, kind: string, limit: WindowLimit) {
    this.#verdict = verdict;
    this.#kind = kind;
    this.#limit = limit;
  }

  /** A request starts; `toleranceMs` is how much closer starts may seem than they were sent. */
  started(group: string, flight: Flight, toleranceMs: number): void {
    const { inFlight, gapMs } = this.#limit;
    const from = flight.at - inFlight * gapMs + toleranceMs;
    const kept = (this.#flights.get(group) ?? []).filter((one) => one.at > from || isUnderWay(one));
    kept.push(flight);
    this.#flights.set(group, kept);
    const starts = kept.filter(({ at }) => at > from).length;
    const underWay = kept.filter(isUnderWay).length;
    this.#verdict.expect(
      starts <= inFlight,
      () => `${starts} requests started on ${this.#kind} ${group} within ${inFlight * gapMs} ms; ${inFlight} may`,
    );
    this.#verdict.expect(
      underWay <= inFlight,
      () => `${underWay} requests are under way on ${this.#kind} ${group}; ${inFlight} may be`,
    );
  }
}

function isUnderWay({ by, isOver }: Flight): boolean {
  return by.alive && !isOver;
}
