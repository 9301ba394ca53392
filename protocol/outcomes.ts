/**
 * What became of one target of a lease, as the edge reports it, and the classes of failure with their retry policy.
 * Invariant: every failure names a class of this table; the table alone says whether a URL is tried again.
 */

import type { Origin } from "./ids.ts";

/** What a failure of this class means for the URL and its host. */
export interface FailurePolicy {
  /** Try the URL again (up to `LIMITS.attempts`), else it is dead at once. */
  readonly retry: boolean;
  /** Slow the host down: `always`, or from the second in a row. */
  readonly backoff: "never" | "always" | "repeated";
  /** The rest of the lease is handed back. */
  readonly endsLease: boolean;
}

export const FAILURES = {
  dns: { retry: true, backoff: "always", endsLease: true },
  connect_refused: { retry: true, backoff: "always", endsLease: true },
  connect_timeout: { retry: true, backoff: "repeated", endsLease: true },
  connect_reset: { retry: true, backoff: "repeated", endsLease: false },
  tls: { retry: true, backoff: "always", endsLease: true },
  read_timeout: { retry: true, backoff: "repeated", endsLease: false },
  wall_timeout: { retry: true, backoff: "repeated", endsLease: false },
  http_429: { retry: true, backoff: "always", endsLease: true },
  http_503: { retry: true, backoff: "always", endsLease: true },
  http_5xx: { retry: true, backoff: "repeated", endsLease: false },
  protocol: { retry: true, backoff: "never", endsLease: false },
  header_too_large: { retry: false, backoff: "never", endsLease: false },
  address_refused: { retry: false, backoff: "never", endsLease: true },
  redirect_refused: { retry: false, backoff: "never", endsLease: false },
  redirect_loop: { retry: false, backoff: "never", endsLease: false },
  /** The edge gave up (stopping, or its lease ran out): nothing is known about the host. */
  aborted: { retry: true, backoff: "never", endsLease: true },
  bad_url: { retry: false, backoff: "never", endsLease: false },
  scan_failed: { retry: false, backoff: "never", endsLease: false },
} as const satisfies Record<string, FailurePolicy>;

export type FailureClass = keyof typeof FAILURES;

/** Where a capture lies. `storage_key` is a relative path below the data folder (or blob store), `/`-separated. */
export interface RecordRef {
  readonly storage_key: string;
  readonly offset: number;
  readonly length: number;
}

/** Milliseconds of one fetch; absent where not measured. */
export interface Timings {
  /** Start of the request, milliseconds before this outcome was sent. */
  readonly started_ago_ms: number;
  /** Name resolution, TCP and TLS of a connection that was opened for this fetch; absent where a kept one was used. */
  readonly connect_ms?: number;
  readonly first_byte_ms?: number;
  readonly total_ms: number;
  /** The TCP handshake alone, with the address that answered: one round trip. Absent as connect_ms is. */
  readonly tcp_ms?: number;
}

/** Facts of a response that was received whole (or truncated) and archived. */
export interface CaptureFacts {
  /** What was asked for, where redirects had led away from the target's URL; absent = the target's URL. */
  readonly url?: string;
  /** Wall clock at the start of the fetch, ms since 1970: the WARC-Date. */
  readonly fetched_at: number;
  readonly record: RecordRef;
  /** SHA-256 of the decoded body, lower-case hex. */
  readonly content_hash: string;
  /** WARC payload digest, `sha1:` + base32. */
  readonly payload_digest: string;
  /** XXH64 of the visible text, 16 hex digits; absent when not HTML. */
  readonly text_hash?: string;
  readonly simhash?: string;
  /** Decoded body length, bytes. */
  readonly length: number;
  /** Bytes received on the wire for the body. */
  readonly wire_length: number;
  readonly content_type: string;
  readonly charset?: string;
  readonly etag?: string;
  readonly last_modified?: string;
  readonly title?: string;
  /** Why the body is not whole, if it isn't: WARC-Truncated's words. */
  readonly truncated?: "length" | "time" | "disconnect" | "unspecified";
  readonly remote_address?: string;
  /** The record is a revisit: the payload lies in the capture that it names. `payload_digest` is that capture's. */
  readonly refers_to?: RefersTo;
}

/** A capture of a whole response, as a revisit names it. */
export interface RefersTo {
  readonly url: string;
  /** Its WARC-Date, ms since 1970. */
  readonly fetched_at: number;
}

/** A redirect on the way to a target's answer: followed within the lease or by permit, and archived. */
export interface Hop {
  readonly url: string;
  readonly http_code: number;
  /** Absolute WHATWG href. */
  readonly location: string;
  readonly capture: CaptureFacts;
}

/** How a URL was found: Heritrix' letters. L link, E embed, R redirect, S page of a sitemap, M sitemap, I seed. */
export type DiscoveryKind = "L" | "E" | "R" | "S" | "M" | "I";

interface OutcomeBase {
  readonly target_id: string;
  readonly http_code?: number;
  readonly timings?: Timings;
  /** Set whenever a response was archived, also for redirects and errors. */
  readonly capture?: CaptureFacts;
  /** Redirects followed before this outcome, in order; absent = none. */
  readonly hops?: readonly Hop[];
  /** Request starts that this target cost on its host, redirect hops included; 0 when nothing was sent. */
  readonly requests: number;
}

/** A final response (any status but those that count as failed) is durable in the archive. */
export interface Fetched extends OutcomeBase {
  readonly status: "fetched";
  readonly http_code: number;
  readonly capture: CaptureFacts;
  /** Absolute WHATWG hrefs of http(s) links in page order, without repeats. */
  readonly outlinks: readonly string[];
  /** One DiscoveryKind letter per outlink; absent = all "L". */
  readonly outlink_kinds?: string;
  /** What a sitemap says of its pages, one number per outlink: priority in hundredths, 1 to 100; 0 = nothing. */
  readonly outlink_priorities?: readonly number[];
  /** ... and the time of the last change, wall s; 0 = nothing. */
  readonly outlink_lastmods?: readonly number[];
  /** The page says noindex: the page table marks it. */
  readonly noindex?: boolean;
  /** The same of noarchive and nosnippet. */
  readonly noarchive?: boolean;
  readonly nosnippet?: boolean;
  readonly canonical?: string;
  /** Hash or simhash says that another capture of this crawl has the same content. */
  readonly duplicate_of?: string;
}

/** A redirect to another key; its target becomes a discovery of the same depth. */
export interface Redirected extends OutcomeBase {
  readonly status: "redirected";
  readonly http_code: number;
  /** Absolute WHATWG href of the target, fragment included. */
  readonly location: string;
}

/** 304: what the page table knows still holds. */
export interface Unchanged extends OutcomeBase {
  readonly status: "unchanged";
}

export interface Failed extends OutcomeBase {
  readonly status: "failed";
  readonly failure: FailureClass;
  /** One sentence: attempted, found, wanted. */
  readonly detail?: string;
  /** From Retry-After, already parsed; the coordinator clamps it. */
  readonly retry_after_ms?: number;
}

/** robots.txt (or a fetch rule) forbids the URL. It stays in the seen-set and isn't fetched. */
export interface Excluded extends OutcomeBase {
  readonly status: "excluded";
  /** e.g. `robots: Disallow: /private/ (line 3)`. */
  readonly reason: string;
}

/** Handed back untouched: no attempt is lost. */
export interface Deferred extends OutcomeBase {
  readonly status: "deferred";
  readonly reason: string;
}

export type RobotsClass = "rules" | "allow_all" | "unreachable";

/** The answer to a robots target. Body as received (decoded), at most `LIMITS.robotsBytes`. */
export interface RobotsFetched extends OutcomeBase {
  readonly status: "robots";
  readonly origin: Origin;
  /** 2xx = rules, 4xx but 429 = allow_all, everything else = unreachable (all disallowed for now). */
  readonly class: RobotsClass;
  /** UTF-8 text; only for class `rules`. */
  readonly body?: string;
  /** SHA-256 of `body` in lower-case hex. */
  readonly digest?: string;
  /** Crawl-delay for our product token, if named. The coordinator clamps it. */
  readonly crawl_delay_ms?: number;
  readonly sitemaps?: readonly string[];
  readonly failure?: FailureClass;
  readonly retry_after_ms?: number;
}

export type Outcome = Fetched | Redirected | Unchanged | Failed | Excluded | Deferred | RobotsFetched;
