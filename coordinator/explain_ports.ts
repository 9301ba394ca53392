/**
 * What is told of one URL: what became of it, and why.
 * Invariant: plain values; every reason is a sentence.
 */

import type { HostKey } from "../protocol/mod.ts";
import type { UrlRow } from "./ports.ts";

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

/** One of the things that decide whether and when a URL is fetched, looked at on its own. */
export interface ExplainedCheck {
  readonly check:
    | "shape"
    | "scope"
    | "host_budget"
    | "domain_budget"
    | "queue"
    | "duplicates"
    | "trap"
    | "seen"
    | "robots"
    | "host"
    | "domain"
    | "address"
    | "crawl";
  /** False: as things are, it keeps the URL out, or from being fetched now. */
  readonly passes: boolean;
  /** A sentence. */
  readonly says: string;
}

/** The door's verdict on a URL as it is now, and what else stands between it and its fetch. */
export interface Explanation {
  readonly url: string;
  readonly key: string;
  /** 16 hex digits. */
  readonly fingerprint: string;
  readonly host: HostKey;
  readonly domain: string;
  /** `unknown`: the crawl hasn't accepted it. */
  readonly status: UrlStatus["status"] | "unknown";
  /** A sentence: why it was or wasn't fetched. */
  readonly why: string;
  /** What the door would say if the URL were found now, by the name that refusals are counted under; absent = come in. */
  readonly refusal?: string;
  readonly checks: readonly ExplainedCheck[];
  /** Of a URL that was accepted. */
  readonly row?: Pick<
    UrlRow,
    "priority" | "band" | "depth" | "hop" | "discoveryPath" | "discoveredFrom" | "enqueuedAt" | "attempts" | "inLinks"
  >;
}
