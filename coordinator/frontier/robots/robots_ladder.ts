/**
 * What an origin's robots.txt answer means from now on: RFC 9309 2.3.1 and 2.4 as promise 7 reads them.
 * Invariant: pure; a failure never excludes a URL, it only makes the origin wait; only after 30 days of unbroken
 * failure does the last good copy, or its absence, count again.
 */

import type { OriginRow } from "../../ports.ts";
import type { HostKey, Origin, RobotsClass } from "../../../protocol/mod.ts";
import type { FrontierLimits } from "../settings.ts";

export interface RobotsAnswer {
  readonly class: RobotsClass;
  /** Of a body of class `rules`. */
  readonly digest: string;
  readonly sitemaps: readonly string[];
  /** Clamped; 0 = none. */
  readonly retryAfterMs: number;
  /** Nobody has ever answered at this origin: as with any URL that can't be connected to, it is soon known (E70). */
  readonly isUnmet?: boolean;
  /** It wasn't asked to the end for a reason of ours (a redirect to a host that is busy): no failure of the origin's. */
  readonly isOurs?: boolean;
}

export interface RobotsContext {
  readonly slot: number;
  readonly origin: Origin;
  readonly host: HostKey;
  readonly epoch: number;
  readonly now: number;
  readonly limits: FrontierLimits;
}

/** The origin's new row; the old one itself when the answer is older than what is known. */
export function originAfter(before: OriginRow | undefined, answer: RobotsAnswer, context: RobotsContext): OriginRow {
  if (before !== undefined && before.epoch > context.epoch) return before;
  if (answer.class === "unreachable") return failedOrigin(before, answer, context);
  const { slot, origin, host, epoch, now, limits } = context;
  return {
    slot,
    origin,
    host,
    class: answer.class,
    digest: answer.digest,
    lastGoodDigest: answer.digest,
    fetchedAt: now,
    expiresAt: now + limits.robotsTtlMs,
    failingSince: 0,
    retryAt: 0,
    retryMs: 0,
    epoch,
    sitemaps: answer.sitemaps,
  };
}

/**
 * Unreachable: all disallowed (RFC 9309 2.3.1.4), tried again with a wait that doubles up to 12 h. After 30 days of it
 * the last good copy counts, or the file counts as absent, while the tries go on.
 */
function failedOrigin(before: OriginRow | undefined, answer: RobotsAnswer, context: RobotsContext): OriginRow {
  const { slot, origin, host, epoch, now, limits } = context;
  const isFirst = before === undefined || before.failingSince === 0;
  const failingSince = answer.isOurs ? before?.failingSince ?? 0 : isFirst ? now : before.failingSince;
  const firstMs = answer.isUnmet ? limits.retryMs : limits.robotsRetryMs;
  const retryMs = isFirst || answer.isOurs ? firstMs : Math.min(limits.robotsRetryMaxMs, 2 * before.retryMs);
  const retryAt = now + Math.max(retryMs, answer.retryAfterMs);
  const lastGoodDigest = before?.lastGoodDigest ?? "";
  const gaveUp = failingSince > 0 && now - failingSince >= limits.robotsGiveUpMs;
  const fallback: RobotsClass = lastGoodDigest === "" ? "allow_all" : "rules";
  return {
    slot,
    origin,
    host,
    class: gaveUp ? fallback : "unreachable",
    digest: gaveUp ? lastGoodDigest : "",
    lastGoodDigest,
    fetchedAt: now,
    expiresAt: gaveUp ? retryAt : now,
    failingSince,
    retryAt,
    retryMs,
    epoch,
    sitemaps: before?.sitemaps ?? [],
  };
}

export type OriginVerdict =
  | { readonly kind: "fresh"; readonly row: OriginRow }
  | { readonly kind: "needed" }
  | { readonly kind: "blocked"; readonly until: number };

const NEEDED: OriginVerdict = { kind: "needed" };

/** May pages of this origin be leased now: with what is known, with a robots target first, or not before `until`. */
export function originVerdict(row: OriginRow | undefined, now: number): OriginVerdict {
  if (row === undefined) return NEEDED;
  if (row.class === "unreachable") return row.retryAt > now ? { kind: "blocked", until: row.retryAt } : NEEDED;
  return row.expiresAt > now ? { kind: "fresh", row } : NEEDED;
}
