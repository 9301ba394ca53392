/**
 * What is told of one URL: what became of it, and why.
 * Invariant: plain values; every reason is a sentence.
 */

/** What is known of one URL in one crawl. */
export interface UrlStatus {
  readonly url: string;
  readonly key: string;
  readonly status: "pending" | "crawling" | "done" | "blocked";
  readonly lastCrawledAt?: number;
  readonly httpStatus?: number;
  /** A sentence. */
  readonly why: string;
}
