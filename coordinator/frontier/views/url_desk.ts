/**
 * Answers what is known of one URL.
 * Invariant: reads only: the newest committed row, and the shard in RAM, which may be ahead of it by the round under way.
 */

import { type CrawlId, originOf } from "../../../protocol/mod.ts";
import type { Explanation, UrlStatus } from "../../explain_ports.ts";
import type { ShardStore, UrlRow } from "../../ports.ts";
import { explain, explainRefused, type Inquiry, type LookedUp, type UrlInQuestion } from "./explain.ts";
import type { FrontierParts } from "../shard.ts";
import { urlStatusOf } from "./url_status.ts";

interface Found {
  readonly url: UrlInQuestion;
  readonly inquiry: Inquiry;
}

export class UrlDesk {
  readonly #parts: FrontierParts;

  constructor(parts: FrontierParts) {
    this.#parts = parts;
  }

  /** Undefined for an unknown crawl, and for a URL that it hasn't accepted. */
  async status(crawlId: CrawlId, url: string): Promise<UrlStatus | undefined> {
    const found = await this.#lookUp(crawlId, url);
    if (found === undefined || typeof found === "string") return undefined;
    const { row } = found.inquiry;
    return row === undefined ? undefined : urlStatusOf(row, found.url.key, found.inquiry);
  }

  /** Undefined for an unknown crawl only. */
  async explain(crawlId: CrawlId, url: string): Promise<Explanation | undefined> {
    const found = await this.#lookUp(crawlId, url);
    if (found === undefined) return undefined;
    if (typeof found === "string") return explainRefused(url, found, this.#parts.settings.limits);
    return explain(found.url, { ...found.inquiry, looked: await this.#lookAround(found) });
  }

  async #lookAround({ url, inquiry }: Found): Promise<LookedUp> {
    const { store } = this.#parts.book.get(url.place.shard);
    const robots = await this.#judge(store, url, inquiry);
    const ahead = await aheadOf(store, inquiry);
    const duplicatesOf = await earlierOfContent(store, inquiry);
    return { duplicatesOf, ...(robots === undefined ? {} : { robots }), ...(ahead === undefined ? {} : { ahead }) };
  }

  async #judge(store: ShardStore, { href }: UrlInQuestion, { shard, crawl }: Inquiry) {
    const origin = shard.origins.get(originOf(href));
    const { robots } = this.#parts;
    if (robots === undefined || origin?.class !== "rules") return undefined;
    const body = await store.robotsBody(origin.digest);
    return body === undefined ? undefined : robots(body, crawl.row.spec.product_token, href);
  }

  /** A sentence when the core refuses the URL; undefined for an unknown crawl. */
  async #lookUp(crawlId: CrawlId, input: string): Promise<Found | string | undefined> {
    const { crawls, core, directory, clock } = this.#parts;
    const crawl = crawls.get(crawlId);
    if (crawl === undefined) return undefined;
    const facts = core.url(input);
    if ("error" in facts) return String(facts.error);
    const { url: href, key, fingerprint, host } = facts;
    if (key === "") return "It is no http(s) URL, and no other is crawled.";
    const place = directory.placeOf(host);
    const writer = this.#parts.book.get(place.shard);
    const [row] = await writer.store.lookUp([{ slot: place.slot, crawlId, fingerprint }]);
    const url = { href, key, fingerprint, place };
    return { url, inquiry: { shard: writer.shard, crawl, row, now: clock.wallMs() } };
  }
}

/** URLs that are counted before one, at most. */
const MOST_AHEAD = 10_000;

/** Those that are out with an edge aren't before it any more. */
async function aheadOf(store: ShardStore, { shard, row }: Inquiry): Promise<number | undefined> {
  if (row?.state !== "ready") return undefined;
  const lease = shard.hosts.get(row.host)?.lease;
  const out = lease?.crawlId === row.crawlId ? lease.pages : new Map<bigint, UrlRow>();
  if (out.has(row.fingerprint)) return undefined;
  const before = await store.readyBefore(row, row, MOST_AHEAD + out.size);
  const gone = [...out.values()].filter(({ band, seq }) => band < row.band || (band === row.band && seq < row.seq));
  return Math.min(MOST_AHEAD, Math.max(0, before - gone.length));
}

const SAME_CONTENT = 100;
const SHOWN_DUPLICATES = 5;

async function earlierOfContent(store: ShardStore, { row }: Inquiry): Promise<string[]> {
  if (row === undefined || row.captureSeq === 0) return [];
  const [own] = await store.earlierCaptures([{ slot: row.slot, fingerprint: row.fingerprint, seq: row.captureSeq }]);
  if (own === undefined) return [];
  const same = await store.capturesOfContent(own.content_hash, SAME_CONTENT);
  const before = same.filter(({ crawl_id, seq, url }) => crawl_id === row.crawlId && seq < own.seq && url !== own.url);
  return [...new Set(before.reverse().map(({ url }) => url))].slice(0, SHOWN_DUPLICATES);
}
