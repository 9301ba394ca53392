/**
 * Counts of one crawl in one shard, committed with the data that they count.
 * Invariant: accepted = queued + leased + settled at any commit.
 */

import type { CrawlCounters } from "../ports.ts";
import type { CrawlId } from "../../protocol/mod.ts";

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

export type Counts = Omit<Mutable<CrawlCounters>, "rejectedByReason" | "errorsByClass" | "leasesByRegion"> & {
  rejectedByReason: Record<string, number>;
  errorsByClass: Record<string, number>;
  leasesByRegion: Record<string, number>;
};

/** The names of a Counts that are plain sums. */
const SUMS = [
  "accepted",
  "settled",
  "fetched",
  "pages",
  "sitemaps",
  "redirected",
  "excluded",
  "dead",
  "bytes",
  "requests",
  "sent",
  "received",
  "leasesPlaced",
  "leasesHome",
] as const;

export function newCounts(crawlId: CrawlId): Counts {
  return {
    crawlId,
    accepted: 0,
    settled: 0,
    fetched: 0,
    pages: 0,
    sitemaps: 0,
    redirected: 0,
    excluded: 0,
    dead: 0,
    bytes: 0,
    requests: 0,
    sent: 0,
    received: 0,
    rejectedByReason: {},
    errorsByClass: {},
    leasesByRegion: {},
    leasesPlaced: 0,
    leasesHome: 0,
  };
}

/** A copy that later changes don't touch. */
export function copyCounts(counts: CrawlCounters): Counts {
  return {
    ...counts,
    rejectedByReason: { ...counts.rejectedByReason },
    errorsByClass: { ...counts.errorsByClass },
    leasesByRegion: { ...counts.leasesByRegion },
  };
}

export function addTo(record: Record<string, number>, name: string, count = 1): void {
  record[name] = (record[name] ?? 0) + count;
}

/** The sum over shards. */
export function sumCounts(crawlId: CrawlId, parts: readonly CrawlCounters[]): Counts {
  const sum = newCounts(crawlId);
  for (const part of parts) {
    for (const name of SUMS) sum[name] += part[name];
    for (const [reason, count] of Object.entries(part.rejectedByReason)) addTo(sum.rejectedByReason, reason, count);
    for (const [name, count] of Object.entries(part.errorsByClass)) addTo(sum.errorsByClass, name, count);
    for (const [name, count] of Object.entries(part.leasesByRegion)) addTo(sum.leasesByRegion, name, count);
  }
  return sum;
}
