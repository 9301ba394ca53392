/**
 * Stored pages as those who use an archive see them: a feed of them, and look-up by content.
 * Invariant: plain values; a page is in the feed once its capture is acknowledged, and stays.
 */

import type { CaptureRow, CrawlId, HostKey } from "../protocol/mod.ts";
import type { UrlKey, UrlRow } from "./ports.ts";

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

/**
 * What is listed of one shard. No answer needs a commit to wait, and none is of one moment together with the next.
 * An answer has everything that was durable when it was asked for.
 */
export interface Listings {
  /** Those whose storage key begins with the prefix, in the order of seq; CaptureRow's own fields and no others. */
  captures(storagePrefix: string, afterSeq: number, limit: number): Promise<CaptureRow[]>;
  /** Those with this content hash (64 hex digits), the newest first. */
  capturesOfContent(contentHash: string, limit: number): Promise<CaptureRow[]>;
  /** How many ready URLs of a back queue stand before a place in it, at most `limit`. */
  readyBefore(
    queue: { readonly slot: number; readonly crawlId: CrawlId; readonly host: HostKey },
    place: { readonly band: number; readonly seq: number },
    limit: number,
  ): Promise<number>;
  /** As ShardStore.urls answers, for people. */
  lookUp(keys: readonly UrlKey[]): Promise<(UrlRow | undefined)[]>;
}

/** Listings over a connection of their own. */
export interface ListingReader extends Listings {
  close(): Promise<void>;
}

export interface PageFeed {
  readonly events: readonly PageEvent[];
  /** Beyond all that was looked at, also where no page was among it. */
  readonly cursor: readonly number[];
}
