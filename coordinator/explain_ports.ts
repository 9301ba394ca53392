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

/** What a robots.txt says of a URL, as edges would decide. */
export interface RobotsVerdict {
  readonly allowed: boolean;
  /** The rule that decides, e.g. `Disallow: /private/`, and its line (from 1); undefined = none fits, so it is allowed. */
  readonly rule: string | undefined;
  readonly line: number | undefined;
}

/** Decides by a robots.txt's body for a product token; edge/robots, which the control plane doesn't import. */
export type RobotsJudge = (robots: string, productToken: string, url: string) => RobotsVerdict;

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
  /** Of the robots.txt in force, where it has rules. */
  readonly robots?: RobotsVerdict;
  /** URLs of its host and crawl that come before it: 0 = it is next. Of one that is queued and ready; at most 10,000. */
  readonly ahead?: number;
  /** Wall ms before which it isn't fetched; absent = it needn't wait, or no time is known. */
  readonly waitingUntil?: number;
  /** URLs of the crawl that had the content of its last answer before it, the oldest first, at most 5 of the newest 100. */
  readonly duplicatesOf: readonly string[];
  /** Of a URL that was accepted. */
  readonly row?: Pick<
    UrlRow,
    "priority" | "band" | "depth" | "hop" | "discoveryPath" | "discoveredFrom" | "enqueuedAt" | "attempts" | "inLinks"
  >;
}
