/**
 * What a sitemap says, whatever it is written in.
 * Invariant: plain data; lists are bounded by SITEMAP_LIMITS.
 */

export type SitemapKind = "urlset" | "index" | "rss" | "atom" | "text";

export type ChangeFrequency = "always" | "hourly" | "daily" | "weekly" | "monthly" | "yearly" | "never";

/** One page that a sitemap or feed names, as it is written there. */
export interface SitemapEntry {
  /** Trimmed, references resolved; not yet known to be a URL. */
  readonly loc: string;
  /** W3C date and time as it stands there, or made from a feed's date; absent where there is none that can be. */
  readonly lastmod?: string;
  readonly changefreq?: ChangeFrequency;
  /** Above 0, up to 1; absent = not said, 0 or no number (sitemaps.org: the default is 0.5). */
  readonly priority?: number;
  /** The same page in other languages (`xhtml:link rel=alternate hreflang`). */
  readonly alternates?: readonly string[];
}

export interface Sitemap {
  readonly kind: SitemapKind;
  readonly entries: readonly SitemapEntry[];
  /** Of an index: the sitemaps that it names. */
  readonly sitemaps: readonly string[];
  /** A limit was reached, or the body broke off: there may be more. */
  readonly truncated: boolean;
}

export const SITEMAP_LIMITS = {
  /** URLs of one file, and sitemaps of one index (sitemaps.org: 50,000 each). */
  entries: 50_000,
  /** Decoded bytes of one file (sitemaps.org: 52,428,800). */
  bytes: 52_428_800,
  /** Characters of one value; a longer one is no URL. */
  valueChars: 4096,
  /** Elements within each other; a feed's content may be a page. */
  depth: 256,
  /** Languages of one page that are kept. */
  alternates: 50,
} as const;
