/**
 * Names to addresses, with a cache of its own: getaddrinfo (hosts file included) tells no TTL.
 * Invariant: an answer, good or bad, is kept for a bounded time and the cache holds a bounded number of names; one
 * look-up per name is under way at a time. It judges no address: that is the guard's work.
 */

import { lookup } from "node:dns/promises";
import type { Clock } from "../../runtime/ports.ts";
import { parseAddress } from "../../protocol/ip_address.ts";
import { canonicalName, overrideFinder, type ResolveOverride } from "./resolve_override.ts";

export type Resolution =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly detail: string };

export interface Resolver {
  /** Never rejects. `host` is a name, not an address. */
  resolve(host: string): Promise<Resolution>;
}

/** All addresses of a name in the order of preference; rejects with an error whose `code` is getaddrinfo's. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export interface ResolverOptions {
  readonly clock: Clock;
  readonly lookup?: Lookup;
  readonly overrides?: readonly ResolveOverride[];
  readonly positiveTtlMs?: number;
  /** Failures are asked again after this: a name that is dead now may live in a minute. */
  readonly negativeTtlMs?: number;
  readonly maxNames?: number;
}

const POSITIVE_TTL_MS = 60_000;
const NEGATIVE_TTL_MS = 15_000;
const MAX_NAMES = 20_000;
/** A look-up that hasn't answered by then is given up for lost and asked anew. */
const LOST_AFTER_MS = 60_000;
/** Addresses that are kept of one answer: more are never tried within one connect timeout. */
const MAX_ADDRESSES = 16;

export const systemLookup: Lookup = async (host) => (await lookup(host, { all: true })).map((one) => one.address);

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

interface Entry {
  readonly answer: Promise<Resolution>;
  expiresAt: number;
}

/** A resolver over `lookup` (getaddrinfo when absent). */
export function createResolver(options: ResolverOptions): Resolver {
  const { clock, lookup: ask = systemLookup, maxNames = MAX_NAMES } = options;
  const overridden = overrideFinder(options.overrides ?? []);
  const entries = new Map<string, Entry>();

  async function askFor(host: string): Promise<Resolution> {
    try {
      return judge(host, await ask(host));
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string };
      return { ok: false, detail: `Resolving ${host} failed with ${code ?? message ?? "an unknown error"}.` };
    }
  }

  function remember(name: string): Entry {
    const entry: Entry = { answer: askFor(name), expiresAt: clock.monotonicMs() + LOST_AFTER_MS };
    entries.delete(name);
    entries.set(name, entry);
    if (entries.size > maxNames) entries.delete(entries.keys().next().value!);
    entry.answer.then(({ ok }) => {
      const ttlMs = ok ? options.positiveTtlMs ?? POSITIVE_TTL_MS : options.negativeTtlMs ?? NEGATIVE_TTL_MS;
      entry.expiresAt = clock.monotonicMs() + ttlMs;
    });
    return entry;
  }

  return {
    resolve(host) {
      const name = canonicalName(host);
      const fixed = overridden(name);
      if (fixed) return Promise.resolve(judge(name, fixed));
      const known = entries.get(name);
      if (known && known.expiresAt > clock.monotonicMs()) return known.answer;
      return remember(name).answer;
    },
  };
}
