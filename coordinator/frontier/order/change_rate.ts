/**
 * How often a page changes, from what its captures showed.
 * Invariant: pure; the estimate is finite and above 0, however few or many changes were seen.
 */

import type { UrlRow } from "../../ports.ts";

/** What a URL's row keeps of the captures of its content. */
export type ChangeStatistics = Pick<UrlRow, "visits" | "changes" | "watchedMs" | "lastContentHash" | "lastFetchAt">;

/** Hex digits of a content hash that a row keeps: 64 bits are enough to tell two versions of one page apart. */
const HASH_DIGITS = 16;
const DAY_MS = 86_400_000;
/** What is assumed of a page that was seen once: a change a week. */
const UNKNOWN_PER_DAY = 1 / 7;
/** A page that never changed in many visits still may: once in ten years. */
const LEAST_PER_DAY = 1 / 3650;

/** The statistics after one more answer with content, at `now` (wall ms). */
export function afterVisit(
  before: ChangeStatistics,
  contentHash: string,
  now: number,
): Pick<UrlRow, "visits" | "changes" | "watchedMs" | "lastContentHash"> {
  const lastContentHash = contentHash.slice(0, HASH_DIGITS);
  if (before.visits === 0) return { visits: 1, changes: 0, watchedMs: 0, lastContentHash };
  const hasChanged = before.lastContentHash !== lastContentHash;
  return {
    visits: before.visits + 1,
    changes: before.changes + (hasChanged ? 1 : 0),
    watchedMs: before.watchedMs + Math.max(0, now - before.lastFetchAt),
    lastContentHash,
  };
}

/**
 * Changes a day. Counting the changes that were seen would miss those that two visits straddle; this is the estimator of
 * Cho and Garcia-Molina, "Estimating frequency of change" (2003), section 4.2, which is nearly free of bias and defined
 * also where every visit or none saw a change.
 */
export function changesPerDay({ visits, changes, watchedMs }: ChangeStatistics): number {
  const intervals = visits - 1;
  if (intervals < 1 || watchedMs <= 0) return UNKNOWN_PER_DAY;
  const meanDays = watchedMs / intervals / DAY_MS;
  const same = intervals - Math.min(changes, intervals);
  return Math.max(LEAST_PER_DAY, -Math.log((same + 0.5) / (intervals + 0.5)) / meanDays);
}
