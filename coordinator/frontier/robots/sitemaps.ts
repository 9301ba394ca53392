/**
 * Sitemaps of an origin, made known to a crawl: those that its robots.txt names, and /sitemap.xml where the crawl wants it.
 * Invariant: they are discoveries like any other - scope, limits, seen-set, robots and clocks hold for them; making them
 * known again changes nothing.
 */

import type { Core } from "../../../core-wasm/core.ts";
import { LIMITS, type Origin } from "../../../protocol/mod.ts";
import type { OriginRow, UrlRow } from "../../ports.ts";
import { type Accepted, acceptSpan, type Finding } from "../accept.ts";
import type { Crawl } from "../crawls/crawl.ts";
import type { LinkSpan } from "../links.ts";
import { priorityOf } from "../order/priority.ts";
import type { Operation, Round } from "../round.ts";
import type { Shard } from "../shard.ts";

/** Characters of sitemap URLs that an origin keeps: rows of origins lie in RAM. */
const KEPT_CHARS = 8_192;

/** What is to be made known once the round that found it is durable. */
export interface Announcement {
  readonly crawl: Crawl;
  readonly origin: Origin;
  readonly sitemaps: readonly string[];
}

/** True when the URL was found as a sitemap, or a sitemap redirected to it. */
export function isSitemapRow({ discoveryPath }: Pick<UrlRow, "discoveryPath">): boolean {
  return /MR*$/.test(discoveryPath);
}

/** How many sitemaps led to each other on the way to this one, itself included; 0 = it is none. */
export function sitemapDepth({ discoveryPath }: Pick<UrlRow, "discoveryPath">): number {
  return (/(?:MR*)+$/.exec(discoveryPath)?.[0] ?? "").replaceAll("R", "").length;
}

/** What an origin's row may keep of the sitemaps that an edge read in its robots.txt; relative ones are the origin's. */
export function keptSitemaps(urls: readonly string[], origin: Origin, core: Pick<Core, "url">): string[] {
  const kept = new Set<string>();
  let chars = 0;
  for (const url of urls) {
    if (kept.size === LIMITS.sitemapsPerRobots) break;
    const facts = url.length > LIMITS.urlBytes ? undefined : core.url(url, `${origin}/robots.txt`);
    if (facts === undefined || "error" in facts || facts.key === "" || kept.has(facts.url)) continue;
    chars += facts.url.length;
    if (chars > KEPT_CHARS) break;
    kept.add(facts.url);
  }
  return [...kept];
}

/** The origin's robots.txt is known to the crawl: its sitemaps are to be made known, once per origin and process. */
export function announceSitemaps(shard: Shard, crawl: Crawl, row: OriginRow): void {
  const use = crawl.row.spec.sitemaps ?? "robots";
  if (use === "none" || row.class === "unreachable" || crawl.announced.has(row.origin)) return;
  const guess = use === "all" && row.sitemaps.length === 0 ? [`${row.origin}/sitemap.xml`] : [];
  const sitemaps = [...row.sitemaps, ...guess];
  if (sitemaps.length === 0) return;
  crawl.announced.add(row.origin);
  shard.announcements.push({ crawl, origin: row.origin, sitemaps });
}

/** Makes an origin's sitemaps known to a crawl. */
export class AnnounceOperation implements Operation<Accepted> {
  readonly #announcement: Announcement;
  #span: LinkSpan | undefined;

  constructor(announcement: Announcement) {
    this.#announcement = announcement;
  }

  plan(round: Round): void {
    const { crawl, sitemaps } = this.#announcement;
    this.#span = round.links({ crawl, urls: sitemaps, depthAt: () => 0 });
  }

  apply(round: Round): Accepted {
    const { crawl, origin } = this.#announcement;
    const priority = priorityOf({ operator: crawl.row.spec.priority, depth: 0 });
    const finding: Finding = { depth: 0, hop: 0, path: "M", from: `${origin}/robots.txt`, priority };
    const sender = `sitemaps:${crawl.id}:${round.shard.index}`;
    return acceptSpan(round, this.#span!, { describe: () => finding, sender });
  }
}
