/**
 * One request under a lease: sent when the lease allows, counted by its pace whatever comes of it.
 * Invariant: a request that was lost with a kept connection is sent once more at most, as a start of its own (ADR 30).
 */

import { LIMITS, type Target } from "../protocol/mod.ts";
import type { LeaseHold } from "./lease_hold.ts";
import type { EdgeParts } from "./parts.ts";
import type { Exchange, FetchFailure, FetchLimits, FetchRequest } from "./ports.ts";
import { SITEMAP_LIMITS } from "./sitemap/sitemap.ts";

/** An exchange or failure, with the wall clock at its start (the WARC-Date). */
export interface Answered {
  readonly answer: Exchange | FetchFailure;
  readonly fetchedAt: number;
  /** The answer has changed the lease's cookies: the same URL may be answered otherwise now. */
  readonly hasNewCookies?: boolean;
  /** Requests that were sent before this one and lost with kept connections: starts all the same. */
  readonly lost?: number;
}

export interface ToAsk {
  readonly url: string;
  readonly target: Target;
  /** A redirect led there: the request goes on with what the lease has begun. */
  readonly isHop: boolean;
}

/** Asks for `url` on the lease's host; undefined when the lease allows no further request. */
export function ask(hold: LeaseHold, parts: EdgeParts, what: ToAsk): Promise<Answered | undefined> {
  return onceMoreIfLost((isAgain) => askOnce(hold, parts, isAgain ? { ...what, isHop: true } : what));
}

/**
 * What `asking` comes to, when a request that a kept connection took with it doesn't count (RFC 9112 9.3.1: GET may be
 * repeated, but not over and over). `asking` sees to the pace each time; where it can't ask any more nothing is known.
 */
export async function onceMoreIfLost<None extends "refused" | undefined>(
  asking: (isAgain: boolean) => Promise<Answered | None>,
): Promise<Answered | None> {
  const first = await asking(false);
  if (typeof first !== "object" || first.answer.ok || first.answer.lost !== true) return first;
  const again = await asking(true);
  if (typeof again === "object") return { ...again, lost: 1 };
  const detail = `${first.answer.detail} It couldn't be sent anew.`;
  return { ...first, answer: { ...first.answer, failure: "aborted", detail, sent: false }, lost: 1 };
}

/** Requests that an answer cost, those before it included. */
export function requestsOf({ answer, lost = 0 }: Answered): number {
  return lost + (answer.ok || answer.sent ? 1 : 0);
}

async function askOnce(hold: LeaseHold, parts: EdgeParts, what: ToAsk): Promise<Answered | undefined> {
  const { url, target, isHop } = what;
  if (!(await (isHop ? hold.mayGoOn() : hold.mayStart()))) return undefined;
  const { clock } = parts;
  const { pace } = hold;
  const started = clock.monotonicMs();
  let answered: Answered;
  try {
    answered = await send(hold, parts, { url, target, onSent: () => pace.sent(clock.monotonicMs()) });
  } catch (error) {
    // Local trouble: others of the lease may wait for this request to be over.
    pace.responded(started, 0);
    throw error;
  }
  const { timings } = answered.answer;
  const seenMs = answered.answer.ok ? timings.firstByteMs ?? timings.totalMs : timings.totalMs;
  pace.responded(timings.startedAt + seenMs, timings.totalMs);
  return answered;
}

export interface ToSend {
  readonly url: string;
  readonly target: Target;
  /** Monotonic ms after which it isn't sent any more. */
  readonly sendBy?: number;
  readonly onSent?: () => void;
}

/**
 * A crawl may want short pages only: what it goes by, robots.txt and sitemaps, is read as long as ever (RFC 9309 2.5). A
 * sitemap may unpack to five times what a page may (sitemaps.org); on the wire it is bounded like any body.
 */
function limitsOf({ kind }: Target, { settings: { fetchLimits } }: EdgeParts): FetchLimits {
  if (kind === "page") return fetchLimits;
  const decoded = kind === "sitemap" ? SITEMAP_LIMITS.bytes : LIMITS.decodedBytes;
  return {
    ...fetchLimits,
    wireBytes: Math.max(fetchLimits.wireBytes, LIMITS.wireBytes),
    decodedBytes: Math.max(fetchLimits.decodedBytes, decoded),
  };
}

/** Sends the request now; the caller has seen to the pace. */
export async function send(hold: LeaseHold, parts: EdgeParts, what: ToSend): Promise<Answered> {
  const { lease: { crawl }, cookies } = hold;
  const { url, target } = what;
  const fetchedAt = parts.clock.wallMs();
  const answer = await parts.fetcher.fetch({
    url,
    headers: headersOf(hold, what),
    limits: limitsOf(target, parts),
    onlyOpened: !crawl.polite,
    admitAddress: hold.addresses.admit,
    ...(what.sendBy === undefined ? {} : { sendBy: what.sendBy }),
    ...(what.onSent === undefined ? {} : { onSent: what.onSent }),
    ...(hold.unwanted === undefined || target.kind !== "page" ? {} : { unwanted: hold.unwanted }),
  });
  if (!answer.ok || cookies === undefined || target.kind === "robots") return { answer, fetchedAt };
  return { answer, fetchedAt, hasNewCookies: cookies.take(url, answer.headers) };
}

/**
 * Validators are of the target's own URL: where a redirect led elsewhere, 304 would confirm what was never had.
 * robots.txt is the same for everybody, so it is asked for without cookies.
 */
function headersOf({ headers, cookies }: LeaseHold, { url, target }: ToSend): FetchRequest["headers"] {
  const plain = headers.of(url === target.url ? target : { kind: target.kind });
  const cookie = target.kind === "robots" ? undefined : cookies?.of(url);
  return cookie === undefined ? plain : [...plain, ["Cookie", cookie]];
}
