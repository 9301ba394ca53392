/**
 * Is it the web, or is it us? Failures that may be this machine's are held back until it is known; while it is this machine
 * nothing is leased, and what failed goes back untouched.
 * Invariants: a failure is the host's only after something else was heard of the network since, or where there is nothing
 * to compare it with (fewer than LEAST_HOSTS hosts and no resolver that answered before, or no host that did); trouble ends by itself, when a probe or an
 * answer shows that it is over. Nothing is sent to a host to find out: a TCP connection to an address that answered before
 * is opened and closed, one at a time for each host, rarer and rarer (ADR 27).
 */

import type { Clock, Logger } from "../../runtime/ports.ts";
import type { Exchange, FetchFailure, NetworkProbe } from "../ports.ts";
import { Bugs } from "./bugs.ts";
import { type Suspected, suspectedOf } from "./suspicion.ts";
import { Witnesses } from "./witnesses.ts";

export interface LocalTrouble {
  /** `machine`: its disk, its memory, its blob store. */
  readonly part: Suspected | "machine";
  /** What was found, as a sentence. */
  readonly sentence: string;
  /** How long it lasts; 0 = it has just begun. */
  readonly forMs: number;
  /** Something has answered since this process began. */
  readonly hasWorked: boolean;
}

export interface HealthParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly probe: NetworkProbe;
  /** Rejects with a sentence when what was fetched couldn't be stored. */
  readonly probeStore?: () => Promise<void>;
  /** Told when trouble begins, and again each time that it is found not to be over. */
  readonly onTrouble: (trouble: LocalTrouble) => void;
}

/** Hosts that must fail, and none answer, before this machine is suspected: one or two may well be dead (E70). */
export const LEAST_HOSTS = 3;
/** So long an answer of another host is waited for before one is asked: in a busy crawl it comes at once. */
const LISTEN_MS = 500;
const LISTEN_STEP_MS = 50;
const PROBE_MS = 3_000;
const WITNESSES_ASKED = 3;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
/** Hosts that failed longer ago say nothing about now. */
const FAILING_MS = 300_000;
const FAILING_MOST = 1_000;
/** Where there is reason to doubt that it is this machine, the hosts get the blame after so long: a crawl must end. */
const PATIENCE_MS = 600_000;

interface Trouble {
  readonly part: Suspected | "machine";
  sentence: string;
  readonly since: number;
  retryAt: number;
  waitMs: number;
}

interface Probing {
  readonly startedAt: number;
  readonly isWell: Promise<boolean>;
}

export class Health {
  readonly bugs: Bugs = new Bugs();
  readonly #parts: HealthParts;
  readonly #witnesses = new Witnesses();
  /** Hosts without an answer since they failed, by monotonic ms of the failure. */
  readonly #failing = new Map<string, number>();
  readonly #probing = new Map<Suspected, Probing>();
  #trouble: Trouble | undefined;
  /** The newest answer, and the newest of any other host. */
  #newest = { host: "", at: -Infinity };
  #newestOther = -Infinity;
  /** When trouble with the network was last over, monotonic ms. */
  #wellSince = -Infinity;
  /** Patience is over: hosts are blamed until one answers. */
  #isResigned = false;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** Nothing is to be begun. */
  get isUnwell(): boolean {
    return this.#trouble !== undefined;
  }

  /** What is wrong, as a sentence; "" when nothing is. */
  get sentence(): string {
    return this.#trouble?.sentence ?? "";
  }

  /** Hosts that answered, of those that are remembered. */
  get hostsAnswered(): number {
    return this.#witnesses.size;
  }

  /** Notes what came of a request. True: it is this machine that failed, not the host; may take seconds to tell. */
  judge(host: string, answer: Exchange | FetchFailure): false | Promise<boolean> {
    if (!answer.ok) return this.#isOurs(host, answer);
    this.#answered(host, answer);
    return false;
  }

  /** A host has answered, whatever it said. */
  #answered(host: string, { url, remoteAddress }: Pick<Exchange, "url" | "remoteAddress">): void {
    const at = this.#parts.clock.monotonicMs();
    if (this.#newest.host !== host) {
      this.#newestOther = this.#newest.at;
      this.#witnesses.answered({ host, address: remoteAddress, port: portOf(url) });
    }
    this.#newest = { host, at };
    this.#failing.delete(host);
    this.#isResigned = false;
    if (this.#trouble?.part === "link") this.#end("a host has answered");
  }

  async #isOurs(host: string, failure: FetchFailure): Promise<boolean> {
    const failedAt = this.#parts.clock.monotonicMs();
    const suspected = suspectedOf(failure);
    if (this.#trouble?.part === "resolver" && this.#parts.probe.resolvedAt() > this.#trouble.since) {
      this.#end("a resolver has answered");
    }
    if (suspected === undefined) return false;
    // It was begun while nothing could be reached, whatever can be now.
    if (failure.timings.startedAt < this.#wellSince) return true;
    this.#noteFailing(host, failedAt);
    if (this.#isResigned) return false;
    if (this.#isKnownToBe(suspected)) return true;
    const isFew = this.#hostsMet(host) < LEAST_HOSTS;
    if (isFew && this.#parts.probe.resolvedAt() === -Infinity) return false;
    if (await this.#isHeard(suspected, host, failedAt)) return false;
    if (this.#isKnownToBe(suspected)) return true;
    // Too few hosts to compare; but a resolver that has answered before and is silent now is far from all of them.
    const part = isFew ? "resolver" : suspected;
    if (await this.#isWell(part, failedAt)) return false;
    if (!this.#isEnough(part)) return false;
    this.#begin(part, sentenceOf(part, this.#failing.size, failure.detail));
    return true;
  }

  /** This machine couldn't do what it must: its disk is full, its store can't be reached. */
  machineFailed(sentence: string): void {
    if (this.#trouble === undefined) this.#begin("machine", sentence);
  }

  /** Looks whether it is over, when it is time to; ms until it is to be looked again, 0 = it is over. */
  async check(): Promise<number> {
    const trouble = this.#trouble;
    if (trouble === undefined) return 0;
    const waitMs = trouble.retryAt - this.#parts.clock.monotonicMs();
    if (waitMs > 0) return waitMs;
    const found = await this.#stillWrong(trouble);
    if (this.#trouble !== trouble) return 0;
    if (found === undefined) {
      this.#end("a probe went well");
      return 0;
    }
    if (await this.#isPatienceOver(trouble)) return 0;
    trouble.sentence = found;
    trouble.waitMs = Math.min(LAST_RETRY_MS, 2 * trouble.waitMs);
    trouble.retryAt = this.#parts.clock.monotonicMs() + trouble.waitMs;
    this.#tell(trouble, trouble.retryAt - trouble.waitMs - trouble.since);
    return trouble.waitMs;
  }

  /** So many hosts fail that it can't be theirs; a resolver that has answered before and is silent now fails for all. */
  #isEnough(suspected: Suspected): boolean {
    const isSilent = suspected === "resolver" && this.#parts.probe.resolvedAt() > -Infinity;
    return isSilent || this.#failing.size >= LEAST_HOSTS;
  }

  #isKnownToBe(suspected: Suspected): boolean {
    const part = this.#trouble?.part;
    return part === suspected || (part === "resolver" && suspected === "link") ||
      (part === "link" && suspected === "resolver");
  }

  #noteFailing(host: string, now: number): void {
    this.#failing.delete(host);
    this.#failing.set(host, now);
    for (const [name, at] of this.#failing) {
      if (now - at <= FAILING_MS && this.#failing.size <= FAILING_MOST) break;
      this.#failing.delete(name);
    }
  }

  #hostsMet(host: string): number {
    const failing = [...this.#failing.keys()].filter((name) => !this.#witnesses.has(name)).length;
    return failing + this.#witnesses.size + (this.#failing.has(host) ? 0 : 1);
  }

  /** Something was heard of the network after the failure, without asking for it. */
  async #isHeard(suspected: Suspected, host: string, failedAt: number): Promise<boolean> {
    const { clock, probe } = this.#parts;
    const heardAt = () =>
      suspected === "resolver" ? probe.resolvedAt() : this.#newest.host === host ? this.#newestOther : this.#newest.at;
    for (let waitedMs = 0; waitedMs < LISTEN_MS; waitedMs += LISTEN_STEP_MS) {
      if (heardAt() > failedAt) return true;
      if (this.#isKnownToBe(suspected)) return false;
      await clock.sleep(LISTEN_STEP_MS);
    }
    return heardAt() > failedAt;
  }

  /** What a probe says that began after `failedAt`; all that wait share it. */
  async #isWell(suspected: Suspected, failedAt: number): Promise<boolean> {
    for (;;) {
      const last = this.#probing.get(suspected);
      if (last !== undefined && last.startedAt >= failedAt) return await last.isWell;
      await last?.isWell;
      if (this.#probing.get(suspected) !== last) continue;
      const startedAt = this.#parts.clock.monotonicMs();
      this.#probing.set(suspected, { startedAt, isWell: this.#probeNow(suspected, startedAt) });
    }
  }

  async #probeNow(suspected: Suspected, now: number): Promise<boolean> {
    const { probe } = this.#parts;
    if (suspected === "resolver") return await probe.resolves(PROBE_MS);
    const others = this.#witnesses.toAsk(WITNESSES_ASKED, now, new Set(this.#failing.keys()));
    // Where all fail they are asked themselves, as they are for the end of trouble: whoever takes a connection and then
    // says nothing can be reached. With nobody to ask, the host has to take the blame.
    const asked = others.length > 0 ? others : this.#witnesses.toAsk(WITNESSES_ASKED, now);
    if (asked.length === 0) return true;
    const stand = await Promise.all(asked.map(({ address, port }) => probe.connects(address, port, PROBE_MS)));
    for (const [index, { host }] of asked.entries()) if (!stand[index]) this.#noteFailing(host, now);
    return stand.includes(true);
  }

  /** What is still wrong; undefined = nothing. */
  async #stillWrong(trouble: Trouble): Promise<string | undefined> {
    const { clock, probe, probeStore } = this.#parts;
    const now = clock.monotonicMs();
    if (trouble.part === "machine") {
      try {
        await probeStore?.();
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    }
    if (trouble.part === "resolver") return await probe.resolves(PROBE_MS) ? undefined : trouble.sentence;
    const asked = this.#witnesses.toAsk(WITNESSES_ASKED, now);
    const stand = await Promise.all(asked.map(({ address, port }) => probe.connects(address, port, PROBE_MS)));
    for (const [index, { host }] of asked.entries()) if (stand[index]) this.#failing.delete(host);
    return stand.includes(true) ? undefined : trouble.sentence;
  }

  async #isPatienceOver(trouble: Trouble): Promise<boolean> {
    const { clock, log } = this.#parts;
    const now = clock.monotonicMs();
    if (trouble.part === "machine" || now - trouble.since < PATIENCE_MS) return false;
    if (!(await this.#isDoubtful(trouble.part, now))) return false;
    log.warn("nothing shows that this machine is cut off; hosts that fail are blamed again", {
      forMs: now - trouble.since,
    });
    this.#isResigned = true;
    if (this.#trouble === trouble) this.#trouble = undefined;
    return true;
  }

  /** It may be the hosts after all. */
  async #isDoubtful(part: Suspected, now: number): Promise<boolean> {
    const { probe } = this.#parts;
    if (part === "link") return !this.#witnesses.areSpread || await probe.resolves(PROBE_MS);
    const names = this.#witnesses.toAsk(WITNESSES_ASKED, now).map(({ host }) => host).filter(isName);
    return names.length > 0 && await probe.knows(names, PROBE_MS);
  }

  #begin(part: Trouble["part"], sentence: string): void {
    if (this.#trouble !== undefined) return;
    const since = this.#parts.clock.monotonicMs();
    this.#trouble = { part, sentence, since, retryAt: since + FIRST_RETRY_MS, waitMs: FIRST_RETRY_MS };
    this.#parts.log.error("local trouble; leasing pauses", { part, trouble: sentence });
    this.#tell(this.#trouble, 0);
  }

  #end(why: string): void {
    const { part, since } = this.#trouble!;
    this.#trouble = undefined;
    const now = this.#parts.clock.monotonicMs();
    if (part !== "machine") this.#wellSince = now;
    const lastedMs = Math.round(now - since);
    this.#parts.log.info("local trouble is over; leasing goes on", { part, why, lastedMs });
  }

  #tell({ part, sentence }: Trouble, forMs: number): void {
    this.#parts.onTrouble({ part, sentence, forMs, hasWorked: this.#witnesses.size > 0 });
  }
}

function sentenceOf(suspected: Suspected, hosts: number, detail: string): string {
  const what = suspected === "resolver"
    ? "No resolver answers"
    : `Nothing can be reached: ${hosts} hosts fail at once, also such as answered before`;
  return `${what}; this machine's ${
    suspected === "resolver" ? "resolver or link" : "link"
  } is suspected. Last: ${detail}`;
}

/** Asked of a resolver; a literal, or a name of this machine, isn't. */
function isName(host: string): boolean {
  return /[a-z]$/i.test(host) && host.includes(".");
}

function portOf(url: string): number {
  const [, scheme, port] = /^(https?):\/\/[^/?#]*?(?::(\d+))?(?:[/?#]|$)/.exec(url) ?? [];
  return port === undefined ? (scheme === "https" ? 443 : 80) : Number(port);
}
