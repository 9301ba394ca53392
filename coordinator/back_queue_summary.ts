/**
 * A back queue as the store sums it up: a part of ports.ts, which names it too.
 * Invariant: read along indexes, never from URL rows.
 */

import type { CrawlId, HostKey } from "../protocol/mod.ts";

/** How many URLs of a (crawl, host) are queued: all that a start needs; heads are read when first wanted. */
export interface BackQueueSummary {
  readonly slot: number;
  readonly crawlId: CrawlId;
  readonly host: HostKey;
  readonly ready: number;
  readonly waiting: number;
  /** Every URL of it that was ever accepted: the host budget. */
  readonly accepted: number;
  /** Lowest band with a ready URL. */
  readonly band: number;
  /** Wall ms of the earliest waiting URL; 0 = none. */
  readonly nextAvailableAt: number;
}
