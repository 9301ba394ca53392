/**
 * Stored pages as those who use an archive see them: a feed of them, and look-up by content.
 * Invariant: plain values; a page is in the feed once its capture is acknowledged, and stays.
 */

import type { CaptureRow } from "../protocol/mod.ts";

/** A page that was stored. */
export interface PageEvent {
  /** Where the feed stands after it: one number per shard. To go on from here. */
  readonly cursor: readonly number[];
  readonly capture: CaptureRow;
  /** Changes a day, estimated from the captures of the URL so far (frontier/order/change_rate.ts). */
  readonly changesPerDay: number;
  /** 0 to 1: the priority that the URL was queued with. */
  readonly importance: number;
}

export interface PageFeed {
  readonly events: readonly PageEvent[];
  /** Beyond all that was looked at, also where no page was among it. */
  readonly cursor: readonly number[];
}
