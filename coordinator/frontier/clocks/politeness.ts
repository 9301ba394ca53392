/**
 * How far apart requests on one host are: the gap, its growth by failures, and the earliest next start.
 * Invariant: pure; what an edge reports can only make a host wait longer than the coordinator's own bookkeeping says.
 */

import { type FailureClass, FAILURES, type Politeness } from "../../../protocol/mod.ts";
import type { FrontierLimits } from "../settings.ts";

/** The politeness clocks of one host, as HostRow has them. */
export interface HostClocks {
  crawlDelayMs: number;
  responseMs: number;
  backoffMs: number;
  failuresInRow: number;
  successesInRow: number;
  policyDelayMs: number;
  nextStartAt: number;
}

/** Weight of a newer, faster response; a slower one counts in full, so that the gap after a crash is never too short. */
const RESPONSE_WEIGHT = 0.25;

/** Least ms between two starts: the largest of crawl's delay, operator's policy, Crawl-delay (clamped) and back-off. */
export function gapMs(host: Readonly<HostClocks>, delayMs: number, limits: FrontierLimits): number {
  return Math.max(delayMs, host.policyDelayMs, Math.min(host.crawlDelayMs, limits.crawlDelayMaxMs), host.backoffMs, 0);
}

/**
 * Least ms from the last start under a lease to whatever starts next: the lease's gap, or what was learned under it (a
 * Crawl-delay, an operator's policy, back-off) where that is more.
 */
export function closingGapMs(
  lease: { readonly gapMs: number; readonly host: Readonly<HostClocks> },
  limits: FrontierLimits,
): number {
  return gapMs(lease.host, lease.gapMs, limits);
}

/** The gap that an edge will likely keep, given how slowly the host answers: what lease sizes are worked out by. */
export function likelyGapMs(gap: number, responseMs: number, politeness: Politeness): number {
  if (politeness.delay_ms <= 0) return gap;
  return Math.max(gap, Math.min(politeness.delay_cap_ms, politeness.delay_factor * responseMs));
}

/**
 * Least ms from what an edge that fell silent may have started last to whatever starts next: the gap that it likely
 * kept, as nobody told.
 */
export function abandonedGapMs(
  lease: { readonly gapMs: number; readonly host: Readonly<HostClocks> },
  politeness: Politeness | undefined,
  limits: FrontierLimits,
): number {
  const gap = closingGapMs(lease, limits);
  return politeness === undefined ? gap : likelyGapMs(gap, lease.host.responseMs, politeness);
}

/** How many request starts fit into a lease so that the last can still end within it; at least 1. */
export function startsThatFit(likelyGap: number, limits: FrontierLimits): number {
  if (likelyGap <= 0) return Number.MAX_SAFE_INTEGER;
  return 1 + Math.floor((limits.leaseMs - limits.fetchWallMs) / likelyGap);
}

/** What an edge says about the pace under its lease, not yet believed. */
export interface ReportedPace {
  readonly lastStartAgoMs: number | undefined;
  readonly gapMs: number | undefined;
}

/** What the coordinator knows itself about the lease. */
export interface LeasePace {
  /** Wall ms at which the first request was allowed. */
  readonly firstStartAt: number;
  /** Requests reported so far. */
  readonly requests: number;
  readonly gapMs: number;
  readonly delayCapMs: number;
  /** See `closingGapMs`. */
  readonly closingGapMs: number;
}

/**
 * Wall ms before which no further request may start: the later of our own count (first start + requests x gap) and of
 * what the edge says, clamped to what is possible (promise 12). `lastStartAgoMs` can't lie before the lease's start;
 * without it, a request may have started right now.
 */
export function nextStartAt(lease: LeasePace, reported: ReportedPace, now: number): number {
  if (lease.requests === 0 && reported.lastStartAgoMs === undefined) return lease.firstStartAt;
  const least = Math.max(lease.gapMs, lease.closingGapMs);
  const gap = clamp(reported.gapMs, { least, most: Math.max(least, lease.delayCapMs), otherwise: least });
  const age = Math.max(0, now - lease.firstStartAt);
  const ago = clamp(reported.lastStartAgoMs, { least: 0, most: age, otherwise: 0 });
  return Math.max(lease.firstStartAt + lease.requests * lease.gapMs, now - ago + gap);
}

/** `value` within bounds; `otherwise` when it is no number. */
export function clamp(
  value: number | undefined,
  bounds: { readonly least: number; readonly most: number; readonly otherwise: number },
): number {
  if (value === undefined || Number.isNaN(value)) return bounds.otherwise;
  return Math.min(bounds.most, Math.max(bounds.least, value));
}

/** A response came: successes add up, and every `backoffHalvesAfter` of them halve the back-off. */
export function noteSuccess(host: HostClocks, limits: FrontierLimits): void {
  host.failuresInRow = 0;
  if (host.backoffMs === 0) {
    host.successesInRow = 0;
    return;
  }
  if (++host.successesInRow < limits.backoffHalvesAfter) return;
  host.successesInRow = 0;
  const half = Math.floor(host.backoffMs / 2);
  host.backoffMs = half < limits.backoffMs ? 0 : half;
}

/**
 * A failure came: by its class's policy the back-off doubles up to its cap, and no request starts before it is over.
 * `retryAfterMs` is already clamped, 0 = none; it binds the host whatever the class.
 */
export function noteFailure(
  host: HostClocks,
  failure: { readonly class: FailureClass; readonly retryAfterMs: number },
  at: { readonly now: number; readonly limits: FrontierLimits },
): void {
  host.successesInRow = 0;
  const { backoff } = FAILURES[failure.class];
  const { limits, now } = at;
  if (failure.retryAfterMs > 0) host.nextStartAt = Math.max(host.nextStartAt, now + failure.retryAfterMs);
  // It says nothing of how the host fares: a timeout after it is the first, not the second in a row.
  if (backoff === "never") return;
  host.failuresInRow++;
  if (backoff === "repeated" && host.failuresInRow < 2) return;
  host.backoffMs = host.backoffMs === 0 ? limits.backoffMs : Math.min(limits.backoffMaxMs, 2 * host.backoffMs);
  host.nextStartAt = Math.max(host.nextStartAt, now + host.backoffMs);
}

/** Notes how slowly the host answers of late: at least the last response time. `totalMs` is clamped to what a fetch may last. */
export function noteResponseTime(host: HostClocks, totalMs: number | undefined, limits: FrontierLimits): void {
  const ms = clamp(totalMs, { least: 0, most: limits.fetchWallMs, otherwise: -1 });
  if (ms < 0) return;
  host.responseMs = Math.max(ms, Math.round(host.responseMs + RESPONSE_WEIGHT * (ms - host.responseMs)));
}

/** A Retry-After of the edge: 0 when it is absent, negative, zero or no number; clamped from above (E50). */
export function retryAfter(ms: number | undefined, limits: FrontierLimits): number {
  return ms === undefined || !(ms > 0) ? 0 : Math.min(Math.round(ms), limits.retryAfterMaxMs);
}

/** Wait before try number `attempts` + 1 of a URL: doubles with each try. */
export function urlRetryMs(attempts: number, retryAfterMs: number, limits: FrontierLimits): number {
  return Math.max(limits.retryMs * 2 ** Math.max(0, attempts - 1), retryAfterMs);
}
