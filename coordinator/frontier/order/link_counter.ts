/**
 * Counts in-links as spans of links are let in, and keeps what has reached the next power of 4 until its row is raised.
 * Invariant: a page counts once for each URL that it links to, however it spells it, and never for itself; only links of
 * outcomes that the fence let pass come here, so an edge adds at most one to a URL for each page that it was leased.
 */

import type { CrawlId } from "../../../protocol/mod.ts";
import { InLinkCounts, OncePerPage, reachesPower } from "./in_links.ts";
import type { Candidate, LinkSpan } from "../links.ts";

/** A URL that was found often: its row may have to be raised. */
export interface Raise {
  readonly crawlId: CrawlId;
  readonly url: string;
  /** A power of 4. */
  readonly inLinks: number;
}

/** Raises that wait for the next round; while there are as many, nothing is counted, so none is lost. */
const MOST_WAITING = 4_096;

export class LinkCounter {
  readonly #counts: InLinkCounts;
  readonly #once = new OncePerPage();
  #waiting: Raise[] = [];

  /** `entries`: see FrontierSettings.inLinkEntries. */
  constructor(entries: number) {
    this.#counts = new InLinkCounts(entries);
  }

  /** The links of one page that are known already; a page's first finding of a URL is counted by its row. */
  count(span: LinkSpan): void {
    const { page, urls, crawl } = span.options;
    const isWanted = page !== undefined && crawl.row.spec.order !== "breadth_first";
    if (!isWanted || this.#waiting.length >= MOST_WAITING) return;
    this.#once.begin(urls.length + 1);
    this.#once.isFirst(lowOf(page), highOf(page));
    for (const candidate of span.candidates) this.#candidate(span, candidate);
    const { words, again, first } = span;
    for (const at of again) this.#add(span, at - first, words[2 * at]!, words[2 * at + 1]!);
  }

  #candidate(span: LinkSpan, { verdict, fingerprint, index }: Candidate): void {
    const [low, high] = [lowOf(fingerprint), highOf(fingerprint)];
    if (verdict === "seen" || verdict === "shallower") this.#add(span, index, low, high);
    else this.#once.isFirst(low, high);
  }

  /** Link `index` of the span; words of its fingerprint, unwrapped: this is done for every link of every page. */
  #add(span: LinkSpan, index: number, low: number, high: number): void {
    if (!this.#once.isFirst(low, high)) return;
    const { crawl, urls } = span.options;
    const count = this.#counts.add(low, high, crawl.salt);
    if (!reachesPower(count)) return;
    this.#waiting.push({ crawlId: crawl.id, url: urls[index]!, inLinks: count + 1 });
  }

  /** Up to `most` raises that wait; they are handed out once. */
  take(most: number): Raise[] {
    return this.#waiting.length === 0 ? [] : this.#waiting.splice(0, most);
  }
}

function lowOf(fingerprint: bigint): number {
  return Number(fingerprint & 0xffffffffn);
}

function highOf(fingerprint: bigint): number {
  return Number(fingerprint >> 32n);
}
