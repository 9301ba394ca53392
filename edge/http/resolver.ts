/**
 * Names to addresses, with a cache of its own.
 * Invariant: an answer, good or bad, is kept for its TTL within bounds, and the cache holds a bounded number of names;
 * one look-up per name is under way at a time, and one that is slow holds up nobody but those who wait for its name. It
 * judges no address: that is the guard's work.
 */

import { lookup } from "node:dns/promises";
import type { Clock } from "../../runtime/ports.ts";
import { parseAddress } from "../../protocol/ip_address.ts";
import { canonicalName, overrideFinder, type ResolveOverride } from "./resolve_override.ts";

export type Resolution =
  | { readonly ok: true; readonly addresses: readonly string[] }
  /** `unanswered`: no resolver answered, so nothing is known of the name; it isn't kept. */
  | { readonly ok: false; readonly detail: string; readonly unanswered?: boolean };

export interface Resolver {
  /** Never rejects. `host` is a name, not an address. */
  resolve(host: string): Promise<Resolution>;
}

/** What a look-up found. */
export interface Found {
  /** In the order of preference. */
  readonly addresses: readonly string[];
  /** Absent: the source tells none. */
  readonly ttlMs?: number;
  /** Resolves with all of it when `addresses` are only those that came first. Never rejects but with a LookupFailure. */
  readonly rest?: Promise<Found>;
}

/** Why a name has no address. `code`: ENOTFOUND, ENODATA, SERVFAIL, ETIMEOUT and so on. */
export class LookupFailure extends Error {
  override readonly name = "LookupFailure";
  readonly code: string;
  /** How long the answer holds, where the source says it. */
  readonly ttlMs: number | undefined;

  constructor(code: string, message: string, ttlMs?: number) {
    super(message);
    this.code = code;
    this.ttlMs = ttlMs;
  }
}

/** Looks a name up. Rejects with an error that has a `code`; a LookupFailure where there is more to say. */
export type Lookup = (host: string) => Promise<Found>;

export interface ResolverOptions {
  readonly clock: Clock;
  readonly lookup?: Lookup;
  readonly overrides?: readonly ResolveOverride[];
  /** How long answers without a TTL are kept. */
  readonly positiveTtlMs?: number;
  /** The same for failures: a name that is dead now may live in a minute. */
  readonly negativeTtlMs?: number;
  readonly maxNames?: number;
}

const POSITIVE_TTL_MS = 60_000;
const NEGATIVE_TTL_MS = 15_000;
/**
 * Bounds of the TTLs that servers name. A zero would ask anew for each page; an address that is kept for long is asked
 * though it has moved. A failure isn't believed for longer than a few minutes (RFC 2308 7).
 */
const TTL_MS = { least: 10_000, most: 3_600_000 };
const FAILURE_TTL_MS = { least: 5_000, most: 300_000 };
/** In the last part of its time an answer that is used is asked for anew, so that nobody waits when it is over. */
const PREFETCH_PART = 0.1;
const MAX_NAMES = 20_000;
/** A look-up that hasn't answered by then is given up for lost and asked anew. */
const LOST_AFTER_MS = 60_000;
/** Addresses that are kept of one answer: more are never tried within one connect timeout. */
const MAX_ADDRESSES = 16;

/** getaddrinfo: hosts file and all that the system knows, without TTLs, in the runtime's few threads. */
export const systemLookup: Lookup = async (host) => ({
  addresses: (await lookup(host, { all: true })).map((one) => one.address),
});

/** The error says that there is no such name, or that it has no address: a resolver did answer. */
export function isAnswer(error: unknown): boolean {
  return /^(?:DNS_)?(?:ENOTFOUND|ENODATA|ENONAME|EBADNAME|EAI_NONAME|EAI_NODATA)$/.test(
    String((error as { code?: unknown }).code),
  );
}

/** 0.0.0.0 and :: mean "no address"; some resolvers answer so for blocked names. */
function isUnspecified(address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && bytes.every((byte) => byte === 0);
}

function judge(host: string, answers: readonly string[]): Resolution {
  const usable = answers.filter((one) => parseAddress(one) !== undefined && !isUnspecified(one));
  if (usable.length > 0) return { ok: true, addresses: [...new Set(usable)].slice(0, MAX_ADDRESSES) };
  const found = answers.length === 0 ? "no address" : `only ${answers.slice(0, 3).join(", ")}, which no host has`;
  return { ok: false, detail: `Resolving ${host} found ${found}; wanted an address to connect to.` };
}

/** `message` is "" where the code says all. */
function failed(host: string, failure: LookupFailure): Resolution {
  const { code, message } = failure;
  const detail = `Resolving ${host} failed with ${code}${message === "" ? "" : ` (${message})`}.`;
  return isAnswer(failure) ? { ok: false, detail } : { ok: false, detail, unanswered: true };
}

function failureOf(error: unknown): LookupFailure {
  if (error instanceof LookupFailure) return error;
  const { code, message } = error as { code?: string; message?: string };
  return new LookupFailure(code ?? message ?? "an unknown error", "");
}

function within(ttlMs: number, { least, most }: { readonly least: number; readonly most: number }): number {
  return Math.min(most, Math.max(least, ttlMs));
}

interface Entry {
  answer: Promise<Resolution>;
  expiresAt: number;
  /** From then on it is asked for anew when it is used; Infinity: not, or it is being done. */
  renewAt: number;
}

/** A resolver over `lookup` (getaddrinfo when absent). */
export function createResolver(options: ResolverOptions): Resolver {
  return new CachingResolver(options);
}

class CachingResolver implements Resolver {
  readonly #options: ResolverOptions;
  readonly #clock: Clock;
  readonly #ask: Lookup;
  readonly #overridden: (name: string) => readonly string[] | undefined;
  /** In the order in which they were asked for. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: ResolverOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#ask = options.lookup ?? systemLookup;
    this.#overridden = overrideFinder(options.overrides ?? []);
  }

  resolve(host: string): Promise<Resolution> {
    const name = canonicalName(host);
    const fixed = this.#overridden(name);
    if (fixed) return Promise.resolve(judge(name, fixed));
    const now = this.#clock.monotonicMs();
    const known = this.#entries.get(name);
    if (known === undefined || known.expiresAt <= now) return this.#remember(name).answer;
    if (known.renewAt <= now) void this.#renew(name, known);
    return known.answer;
  }

  #remember(name: string): Entry {
    const entry: Entry = {
      answer: this.#looked(name).then((found) => this.#take(name, entry, found)),
      expiresAt: this.#clock.monotonicMs() + LOST_AFTER_MS,
      renewAt: Infinity,
    };
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    const { maxNames = MAX_NAMES } = this.#options;
    if (this.#entries.size > maxNames) this.#entries.delete(this.#entries.keys().next().value!);
    return entry;
  }

  async #looked(name: string): Promise<Found | LookupFailure> {
    try {
      return await this.#ask(name);
    } catch (error) {
      return failureOf(error);
    }
  }

  /** What a look-up's end means for its entry; what comes late of it is taken in then. */
  #take(name: string, entry: Entry, found: Found | LookupFailure): Resolution {
    const answer = found instanceof LookupFailure ? failed(name, found) : judge(name, found.addresses);
    if (!answer.ok && answer.unanswered === true) entry.expiresAt = -Infinity;
    else this.#expire(entry, found, answer.ok);
    if (found instanceof LookupFailure || found.rest === undefined) return answer;
    found.rest.then(
      (whole) => {
        if (whole.addresses.length > found.addresses.length) {
          entry.answer = Promise.resolve(this.#take(name, entry, whole));
        }
      },
      () => {},
    );
    return answer;
  }

  #expire(entry: Entry, { ttlMs }: Found | LookupFailure, ok: boolean): void {
    const { positiveTtlMs = POSITIVE_TTL_MS, negativeTtlMs = NEGATIVE_TTL_MS } = this.#options;
    const unsaid = ok ? positiveTtlMs : negativeTtlMs;
    const keptMs = ttlMs === undefined ? unsaid : within(ttlMs, ok ? TTL_MS : FAILURE_TTL_MS);
    const now = this.#clock.monotonicMs();
    entry.expiresAt = now + keptMs;
    entry.renewAt = ok ? now + keptMs * (1 - PREFETCH_PART) : Infinity;
  }

  /** Asks anew while the old answer still counts; it goes on counting to its end when nothing better comes. */
  async #renew(name: string, entry: Entry): Promise<void> {
    entry.renewAt = Infinity;
    const found = await this.#looked(name);
    if (found instanceof LookupFailure || !judge(name, found.addresses).ok) return;
    entry.answer = Promise.resolve(this.#take(name, entry, found));
  }
}
