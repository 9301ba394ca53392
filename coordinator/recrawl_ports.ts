/**
 * What is kept of a URL's earlier fetches, and how URLs that are settled are taken up again.
 * Invariant: plain values. A capture that a row names may lie elsewhere by now (a slot that moved): whoever looks it up
 * gets it only if it is of the same URL.
 */

import type { CaptureRow, CrawlId, Fingerprint } from "../protocol/mod.ts";

/** What a URL's row keeps of the answers with content that it got. */
export interface VisitFacts {
  /** How many there were, and how many of them differed from the one before. */
  readonly visits: number;
  readonly changes: number;
  /** ms between the first and the last of them. */
  readonly watchedMs: number;
  /** First 16 hex digits of the last one's content hash; "" = none yet. */
  readonly lastContentHash: string;
  /** Number of the last one's capture; 0 = none. */
  readonly captureSeq: number;
}

/** A capture that a later request may refer to. */
export interface EarlierCapture extends CaptureRow {
  readonly textHash?: string;
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface CaptureName {
  readonly slot: number;
  readonly fingerprint: Fingerprint;
  readonly seq: number;
}

/** What a shard's store does for it. */
export interface RecrawlStorage<Row> {
  /**
   * Settled URLs of the crawl that were last fetched before `before` (wall ms), in the order of acceptance. Go on with
   * `cursor`, 0 = from the start; fewer than `limit` rows = there are no more.
   */
  readSettled(
    crawlId: CrawlId,
    from: { readonly cursor: number; readonly before: number },
    limit: number,
  ): Promise<{ readonly rows: readonly Row[]; readonly cursor: number }>;
  /** In the order of the names; undefined where there is no such capture of that URL. */
  earlierCaptures(names: readonly CaptureName[]): Promise<(EarlierCapture | undefined)[]>;
}

/** What the control plane offers. */
export interface Recrawler {
  /**
   * Every settled URL of the crawl is queued again, in its old order, and asked for with what is known of it; those that
   * are queued or leased stay so. A finished crawl runs again; counters count anew. Goes on after a crash. The number of
   * URLs; undefined when there is no such crawl. Durable when it resolves.
   */
  recrawl(crawlId: CrawlId): Promise<number | undefined>;
}
