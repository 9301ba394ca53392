/**
 * Connects to one of several addresses of a host, in the way of RFC 8305: the next one is tried when the one before has
 * failed, or hasn't answered soon; whichever stands first is used.
 * Invariant: at most one attempt's connection survives, and none when the fetch ends before; an address is asked for
 * its permit before anything is sent to it.
 */

import type { Clock } from "../../runtime/ports.ts";
import { endingFailure, notAdmitted, tooLate, type Trouble } from "./failures.ts";
import type { FetchTask } from "./fetch_task.ts";

/** One connection that is being opened. */
export interface Attempt<Connected> {
  /** Rejects only for trouble of this machine's. */
  readonly settled: Promise<Connected | Trouble>;
  /** Gives it up, or closes what it has opened. */
  cancel(): void;
}

export interface RaceOptions<Connected> {
  readonly task: FetchTask;
  readonly clock: Clock;
  /** `scheme://host[:port]`. */
  readonly origin: string;
  readonly addresses: readonly string[];
  readonly start: (address: string) => Attempt<Connected>;
}

/** RFC 8305 5: how long an attempt is waited for before the next one begins beside it. */
const ATTEMPT_DELAY_MS = 250;
/** After another failure the other addresses wouldn't do better: a certificate is the host's. */
const NEXT_MAY_WORK: readonly string[] = ["connect_refused", "connect_timeout", "connect_reset"];

interface Running<Connected> {
  readonly address: string;
  readonly attempt: Attempt<Connected>;
  readonly ended: Promise<Ended<Connected>>;
}

interface Ended<Connected> {
  readonly by: Running<Connected>;
  readonly result: Connected | Trouble;
}

export class AddressRace<Connected extends object> {
  readonly #options: RaceOptions<Connected>;
  readonly #running = new Set<Running<Connected>>();
  #lost: Trouble | undefined;
  #lastAddress = "";

  constructor(options: RaceOptions<Connected>) {
    this.#options = options;
  }

  /** The first connection that stands, or why there is none. */
  async run(): Promise<Connected | Trouble> {
    const { addresses, clock, origin, task } = this.#options;
    let winner: Running<Connected> | undefined;
    try {
      for (const address of addresses) {
        const isAdmitted = await this.#admits(address);
        if (task.ended) return this.#ended();
        if (!isAdmitted) {
          this.#lost ??= notAdmitted(address, origin);
          continue;
        }
        if (clock.monotonicMs() >= task.sendBy) return tooLate(origin);
        this.#start(address);
        const end = await this.#next(address !== addresses.at(-1));
        if (end === undefined) continue;
        if ("by" in end) winner = end.by;
        return "by" in end ? end.result : end;
      }
      // The last ones weren't admitted; others may still be under way.
      const end = await this.#next(false);
      if (end === undefined) return this.#lost!;
      if ("by" in end) winner = end.by;
      return "by" in end ? end.result : end;
    } finally {
      for (const one of this.#running) if (one !== winner) one.attempt.cancel();
    }
  }

  /** Where nothing is being opened meanwhile, the time that the permit takes is nobody's connect time. */
  async #admits(address: string): Promise<boolean> {
    const { task, clock } = this.#options;
    if (task.admitAddress === undefined) return true;
    if (this.#running.size > 0) return await task.admits(address);
    const connectBy = task.connectBy;
    const asked = clock.monotonicMs();
    task.connectBy = Infinity;
    const isAdmitted = await task.admits(address);
    task.connectBy = Math.min(task.sendBy, connectBy + clock.monotonicMs() - asked);
    return isAdmitted;
  }

  #start(address: string): void {
    const attempt = this.#options.start(address);
    this.#lastAddress = address;
    const running: Running<Connected> = {
      address,
      attempt,
      ended: attempt.settled.then((result) => ({ by: running, result })),
    };
    // Whoever is given up has no listener any more.
    running.ended.catch(() => {});
    this.#running.add(running);
  }

  /**
   * Who wins, or what ends the race. Undefined: the next address' turn, since all have failed or, with `mayPass`, since
   * those under way had their time.
   */
  async #next(mayPass: boolean): Promise<Ended<Connected> | Trouble | undefined> {
    const { task, clock } = this.#options;
    const waited = new AbortController();
    const pass = mayPass ? clock.sleep(ATTEMPT_DELAY_MS, waited.signal).then(() => "pass" as const) : undefined;
    try {
      while (this.#running.size > 0) {
        const ends = [...this.#running].map(({ ended }) => ended);
        const first = await task.race(Promise.race(pass === undefined ? ends : [...ends, pass]));
        if (first === "pass") return undefined;
        if (typeof first === "string") return this.#ended();
        if (!isTrouble(first.result)) return first;
        this.#running.delete(first.by);
        this.#lost = first.result;
        if (!NEXT_MAY_WORK.includes(first.result.failure)) return first.result;
      }
      return undefined;
    } finally {
      waited.abort();
    }
  }

  #ended(): Trouble {
    const { task, origin } = this.#options;
    const address = this.#lastAddress;
    if (address === "") return endingFailure(task.ended!, task, `Connecting to ${origin}`, false);
    const trouble = endingFailure(task.ended!, task, `Connecting to ${origin} at ${address}`, true);
    return { ...trouble, remoteAddress: address };
  }
}

function isTrouble(result: object): result is Trouble {
  return "failure" in result;
}
