/**
 * Answers what is known of one URL.
 * Invariant: reads only: the newest committed row, and the shard in RAM, which may be ahead of it by the round under way.
 */

import type { CrawlId } from "../../../protocol/mod.ts";
import type { Explanation, UrlStatus } from "../../explain_ports.ts";
import { explain, explainRefused, type Inquiry, type UrlInQuestion } from "./explain.ts";
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
    return explain(found.url, found.inquiry);
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
