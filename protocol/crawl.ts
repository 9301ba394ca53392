/**
 * A crawl as its owner describes it, and what is told about its progress.
 * Invariant: a CrawlSpec holds all that decides which URLs are accepted and how hard sites may be asked.
 */

import type { CrawlId } from "./ids.ts";

/** host: same hostname as a seed; domain: same registered domain; prefix: below a seed's folder; any: the whole web. */
export type ScopeKind = "host" | "domain" | "prefix" | "any";

export interface Scope {
  readonly kind: ScopeKind;
  /** Extra hosts that are in scope (all their subdomains too), beyond those of the seeds. */
  readonly domains: readonly string[];
  /** Seeds have depth 0; absent = no limit. */
  readonly max_depth?: number;
  /** If any are given, a URL must match one; seeds are exempt. JavaScript regular expressions, unicode mode. */
  readonly include: readonly string[];
  /** A URL that matches any is refused. */
  readonly exclude: readonly string[];
}

export interface Politeness {
  readonly delay_ms: number;
  readonly delay_factor: number;
  readonly delay_cap_ms: number;
  readonly max_parallel: number;
}

/**
 * Which URL of a host comes first: `priority` weighs depth, in-links, change and the operator's word; `breadth_first`
 * looks at depth alone.
 */
export type CrawlOrder = "priority" | "breadth_first";

/**
 * Which sitemaps are read: none; those that robots.txt names; those and /sitemap.xml where it names none. Feeds that pages
 * link to are read unless it is `none`.
 */
export type SitemapUse = "none" | "robots" | "all";

/** What a `noarchive` of a page means: it is told in the page's row alone, or its body isn't kept either. */
export type NoarchiveUse = "mark" | "obey";

/** Rules of a crawl that the edge follows. Absent fields have their default. */
export interface FetchRules {
  /** Media types of pages that are wanted, as `type/subtype` or `type/*`; others are ended after their head. Absent = all. */
  readonly content_types?: readonly string[];
  /** Cookies are kept within a lease, and sent back to its host. Absent = false. */
  readonly cookies?: boolean;
  /** Absent = `mark`. */
  readonly noarchive?: NoarchiveUse;
}

export interface CrawlSpec extends FetchRules {
  readonly seeds: readonly string[];
  readonly scope: Scope;
  /** 0 to 1, 1 = most urgent. */
  readonly priority: number;
  /** Fetched pages (2xx) after which the crawl is finished; absent = no limit. */
  readonly max_pages?: number;
  readonly politeness: Politeness;
  readonly user_agent: string;
  readonly product_token: string;
  readonly contact?: string;
  readonly embeds: boolean;
  readonly respect_rel_nofollow: boolean;
  /** Absent = `priority`. */
  readonly order?: CrawlOrder;
  /** Absent = `robots`. */
  readonly sitemaps?: SitemapUse;
}

export type CrawlState = "running" | "paused" | "cancelled" | "finished";

/** Counters that are committed with the data they count. */
export interface CrawlStats {
  readonly crawl_id: CrawlId;
  readonly state: CrawlState;
  /** Why it is in this state or can't proceed, with the time until when, e.g. "waiting until 12:04:31: 3 hosts backing off". */
  readonly reason: string;
  readonly accepted: number;
  /** accepted = queued + leased + settled, at any commit. */
  readonly queued: number;
  readonly leased: number;
  readonly settled: number;
  /** Final responses, of which 2xx are `pages`. */
  readonly fetched: number;
  readonly pages: number;
  /** Answers to sitemaps; they aren't among `fetched` and `pages`. */
  readonly sitemaps: number;
  readonly redirected: number;
  readonly excluded: number;
  readonly dead: number;
  readonly rejected_by_reason: Readonly<Record<string, number>>;
  readonly errors_by_class: Readonly<Record<string, number>>;
  /** "" = edges that named no region. */
  readonly leases_by_region: Readonly<Record<string, number>>;
  /** Leases of hosts that are known to be nearer to one region than to others, and those of them that it got. */
  readonly leases_placed: number;
  readonly leases_home: number;
  /** Body bytes received on the wire. */
  readonly bytes: number;
  /** Requests of any kind. */
  readonly requests: number;
  readonly hosts_active: number;
  readonly hosts_waiting: number;
  readonly outbox_rows: number;
  /** ms until something can be leased; 0 = now; absent = nothing is queued. */
  readonly next_in_ms?: number;
}
