/**
 * What is known of one host as each region sees it: how long a connection takes, and whether it is refused there.
 * Invariant: pure; lists are replaced, never changed, since rows of the store share them. At most `REGIONS_PER_HOST`
 * regions are kept; a fact can only be about the host whose lease it was reported under (promise 12).
 */

import type { RegionFacts } from "../../host_ports.ts";

/** Regions that are remembered for a host; the one that was asked longest ago is forgotten first. */
export const REGIONS_PER_HOST = 8;
/** Connect times that are remembered for a region. */
const TIMES_KEPT = 5;

/** Weights of what looks like a region that isn't served: a connection that failed, and a 403 or 451. */
const FAILED_CONNECTION = 3;
const FORBIDDEN = 1;
/** Sum of weights in a row, without an answer between, at which a region is suspected: two connections, or six answers. */
const SUSPECT_AT = 6;
/** How long it stays suspected; then it is tried again. */
const SUSPECT_MS = 86_400_000;

/** How exactly it is known when a region was answered last. */
const ANSWER_STEP_MS = 60_000;

export type Refusal = "connection" | "forbidden";

type Facts = readonly RegionFacts[];

function unknown(region: string): RegionFacts {
  return { region, connectTimesMs: [], tries: 0, refusals: 0, refusedSince: 0, answeredAt: 0, leasedAt: 0 };
}

export function factsOf(facts: Facts, region: string): RegionFacts | undefined {
  return facts.find((one) => one.region === region);
}

function replaced(facts: Facts, region: string, change: (before: RegionFacts) => RegionFacts): Facts {
  const before = factsOf(facts, region);
  const others = facts.filter((one) => one !== before);
  if (before === undefined && others.length >= REGIONS_PER_HOST) {
    const oldest = others.reduce((a, b) => (b.leasedAt < a.leasedAt ? b : a));
    others.splice(others.indexOf(oldest), 1);
  }
  return [...others, change(before ?? unknown(region))];
}

/** The host is leased to the region at `now`. */
export function noteLeased(facts: Facts, region: string, now: number): Facts {
  return replaced(facts, region, (before) => ({ ...before, tries: before.tries + 1, leasedAt: now }));
}

/** A new connection's TCP time, already clamped, ms. */
export function noteConnectTime(facts: Facts, region: string, connectMs: number): Facts {
  const ms = Math.round(connectMs * 10) / 10;
  return replaced(facts, region, (before) => ({
    ...before,
    connectTimesMs: [...before.connectTimesMs, ms].slice(-TIMES_KEPT),
  }));
}

/** The host answered there at `now`, and not with a refusal. Not every answer is worth a change. */
export function noteAnswered(facts: Facts, region: string, now: number): Facts {
  const known = factsOf(facts, region);
  if (known !== undefined && known.refusals === 0 && now - known.answeredAt < ANSWER_STEP_MS) return facts;
  return replaced(facts, region, (before) => ({ ...before, refusals: 0, refusedSince: 0, answeredAt: now }));
}

/** The host refused the region at `now`. */
export function noteRefused(facts: Facts, region: string, what: { refusal: Refusal; now: number }): Facts {
  const { refusal, now } = what;
  return replaced(facts, region, (before) => {
    const isNew = before.refusals === 0 || now - before.refusedSince >= SUSPECT_MS;
    const refusals = (isNew ? 0 : before.refusals) + (refusal === "connection" ? FAILED_CONNECTION : FORBIDDEN);
    return { ...before, refusals, refusedSince: isNew ? now : before.refusedSince };
  });
}

/** Regions that are geo-blocked begin anew when they are tried again: by probes, with no connect times known. */
export function forgetBlocked(facts: Facts, now: number): Facts {
  if (!facts.some((one) => one.connectTimesMs.length > 0 && isGeoBlocked(facts, one.region, now))) return facts;
  return facts.map((one) => isGeoBlocked(facts, one.region, now) ? { ...one, connectTimesMs: [], tries: 0 } : one);
}

/** Refusals in a row, and nothing else, of late. */
export function isSuspect(facts: Facts, region: string, now: number): boolean {
  const one = factsOf(facts, region);
  return one !== undefined && one.refusals >= SUSPECT_AT && now - one.refusedSince < SUSPECT_MS;
}

/** Suspect, while another region has been answered since the refusals began: it is the region, not the host. */
export function isGeoBlocked(facts: Facts, region: string, now: number): boolean {
  if (!isSuspect(facts, region, now)) return false;
  const since = factsOf(facts, region)!.refusedSince;
  return facts.some((one) => one.region !== region && one.answeredAt > since);
}

/** Least of the last five connect times, since noise only adds; Infinity = none is known. */
export function connectMsOf(facts: Facts, region: string): number {
  return Math.min(...factsOf(facts, region)?.connectTimesMs ?? []);
}

/** The last connect time; Infinity = none is known. */
export function lastConnectMs(facts: Facts, region: string): number {
  return factsOf(facts, region)?.connectTimesMs.at(-1) ?? Infinity;
}

/** The larger of the last two: what can be counted on; Infinity = fewer are known. */
export function provenConnectMs(facts: Facts, region: string): number {
  const times = factsOf(facts, region)?.connectTimesMs ?? [];
  return times.length < 2 ? Infinity : Math.max(...times.slice(-2));
}
