/**
 * The links of one round on their way to the seen-set: normalised in one crossing, shown the door, and told apart into
 * certainly new, certainly seen, and perhaps seen.
 * Invariant: links that the cache knows cost no object and no string; every other link gets a reason or a candidate.
 */

import type { UrlBatch } from "../../core-wasm/core.ts";
import type { UrlRow } from "../ports.ts";
import type { Fingerprint, HostKey } from "../../protocol/mod.ts";
import type { Crawl } from "./crawls/crawl.ts";
import { shapeReason } from "./door/url_limits.ts";
import type { HostPlace } from "./host_directory.ts";
import type { Shard } from "./shard.ts";

/** new: not in the seen-set. seen: in it. perhaps: to be asked. foreign: another shard's. shallower: seen at a greater depth. */
export type Verdict = "new" | "seen" | "perhaps" | "foreign" | "shallower";

export interface Candidate {
  /** Position among the span's URLs. */
  readonly index: number;
  readonly url: string;
  readonly fingerprint: Fingerprint;
  readonly place: HostPlace;
  verdict: Verdict;
  /** Of a URL that was seen: its row, where it was read. */
  row?: UrlRow | undefined;
}

export interface SpanOptions {
  readonly crawl: Crawl;
  readonly urls: readonly string[];
  readonly depthAt: (index: number) => number;
  /** Exempt from include patterns; and what is out of scope joins it. */
  readonly isSeedLike?: (index: number) => boolean;
  /** The page that the links stand on (0 = pages of another shard): they count as in-links. Absent = no page's links. */
  readonly page?: Fingerprint;
  /** Why a link stays out whatever it is; undefined = it is judged like any other. */
  readonly refuses?: (index: number) => string | undefined;
}

export interface Rejection {
  readonly index: number;
  readonly reason: string;
  /** Whose URL it was; absent = of no host. */
  readonly place?: HostPlace;
}

/** The links of one page, redirect, outbox row or seed request, in one crawl. */
export class LinkSpan {
  readonly options: SpanOptions;
  readonly candidates: Candidate[] = [];
  readonly rejections: Rejection[] = [];
  seen = 0;
  /** Fingerprints of the crossing as pairs of words, low first; those of this span begin at link `first`. */
  words: Uint32Array = new Uint32Array();
  first = 0;
  /** Links of the crossing that the cache knew, where they count as in-links. */
  readonly again: number[] = [];

  constructor(options: SpanOptions) {
    this.options = options;
  }
}

/** URLs in one crossing to the core, unless a single span has more. */
const URLS_PER_CROSSING = 4096;
/** What the cache says of crawls whose depth doesn't matter. */
export const ANY_DEPTH = 0xffff;

/** Sorts the links of all spans; what comes out as `perhaps` has to be asked of the seen-set, `shallower` of the store. */
export function classifySpans(shard: Shard, spans: readonly LinkSpan[]): void {
  let group: LinkSpan[] = [];
  let size = 0;
  const flush = () => {
    if (group.length > 0) classifyGroup(shard, group);
    group = [];
    size = 0;
  };
  for (const span of spans) {
    group.push(span);
    size += span.options.urls.length;
    if (size >= URLS_PER_CROSSING) flush();
  }
  flush();
}

function classifyGroup(shard: Shard, spans: readonly LinkSpan[]): void {
  const urls = spans.length === 1 ? spans[0]!.options.urls : spans.flatMap((span) => span.options.urls);
  const batch = shard.parts.core.urls(urls);
  const keys = batch.fingerprints.slice();
  let start = 0;
  const classifiers = spans.map((span) => {
    const classifier = new SpanClassifier(shard, span, { batch, keys, start });
    classifier.run();
    start += span.options.urls.length;
    return classifier;
  });
  for (const classifier of classifiers) classifier.lookUp();
}

interface Crossing {
  readonly batch: UrlBatch;
  /** Fingerprints of the whole crossing, copied: the batch's own are void after the next call. */
  readonly keys: BigUint64Array;
  readonly start: number;
}

class SpanClassifier {
  readonly #shard: Shard;
  readonly #span: LinkSpan;
  readonly #crossing: Crossing;
  readonly #hasDepth: boolean;
  readonly #later: { index: number; isShallower: boolean; host: HostKey; url: string }[] = [];

  constructor(shard: Shard, span: LinkSpan, crossing: Crossing) {
    this.#shard = shard;
    this.#span = span;
    this.#crossing = crossing;
    this.#hasDepth = span.options.crawl.row.spec.scope.max_depth !== undefined;
  }

  run(): void {
    const span = this.#span;
    const { crawl, urls, depthAt, page } = span.options;
    const { keys, start, batch } = this.#crossing;
    const words = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
    const { cache } = this.#shard.seen;
    const { sent } = this.#shard;
    const counts = page !== undefined;
    // A link that this shard sent may come back to it, when its slot has come meanwhile.
    const isReceived = page === 0n;
    span.words = words;
    span.first = start;
    for (let index = 0; index < urls.length; index++) {
      const at = start + index;
      const cached = cache.depthOf(words[2 * at]!, words[2 * at + 1]!, crawl.salt);
      const isKept = cached >= 0 || isReceived;
      const knownDepth = isKept ? cached : sent.depthOf(words[2 * at]!, words[2 * at + 1]!, crawl.salt);
      if (knownDepth >= 0 && (!this.#hasDepth || knownDepth <= depthAt(index))) {
        span.seen++;
        if (counts && cached >= 0) span.again.push(at);
      } else if (batch.ok(at)) this.#unknown(index, knownDepth >= 0);
      else this.#malformed(index);
    }
  }

  #reject(index: number, reason: string, place?: HostPlace): void {
    this.#span.rejections.push(place === undefined ? { index, reason } : { index, reason, place });
  }

  /** The core refuses what is too long with what is no URL; its host is told as far as it is remembered. */
  #malformed(index: number): void {
    const url = this.#span.options.urls[index]!;
    const { directory, settings } = this.#shard.parts;
    const host = /^https?:\/\/([^/?#:@]+)/.exec(url)?.[1];
    const reason = url.length > settings.limits.urlBytes ? "url_bytes" : "malformed";
    this.#reject(index, reason, host === undefined ? undefined : directory.remembered(host));
  }

  /** Hosts that the directory doesn't remember wait: asking the core for them would void the batch. */
  #unknown(index: number, isShallower: boolean): void {
    const { batch, start } = this.#crossing;
    const host = batch.host(start + index);
    const place = this.#shard.parts.directory.remembered(host);
    if (place === undefined) this.#later.push({ index, isShallower, host, url: batch.href(start + index) });
    else this.#door({ index, isShallower, place, href: () => batch.href(start + index) });
  }

  /** Makes no call to the core but for `href`. */
  #door(link: { index: number; isShallower: boolean; place: HostPlace; href: () => string }): void {
    const { index, place, isShallower } = link;
    const { crawl, depthAt, isSeedLike, refuses } = this.#span.options;
    const refusal = refuses?.(index);
    if (refusal !== undefined) return this.#reject(index, refusal, place);
    const isSeed = isSeedLike?.(index) === true;
    if (!isSeed && !crawl.rules.admitsHost(place.host, place.domain)) return this.#reject(index, "scope", place);
    const url = link.href();
    const reason = shapeReason(url, this.#shard.parts.settings.limits) ??
      crawl.rules.reason({ href: url, host: place.host, domain: place.domain }, depthAt(index), isSeed);
    if (reason !== undefined && !(isSeed && reason === "scope")) return this.#reject(index, reason, place);
    const isForeign = place.shard !== this.#shard.index || this.#shard.marks.has(place.slot);
    const verdict = isForeign ? "foreign" : isShallower ? "shallower" : "perhaps";
    const fingerprint = this.#crossing.keys[this.#crossing.start + index]!;
    this.#span.candidates.push({ index, url, fingerprint, place, verdict });
  }

  /** The links whose hosts had to be looked up; the batch of URLs is void from here on. */
  lookUp(): void {
    for (const { index, isShallower, host, url } of this.#later) {
      const place = this.#shard.parts.directory.placeOf(host);
      this.#door({ index, isShallower, place, href: () => url });
    }
    if (this.#later.length > 0) this.#span.candidates.sort((a, b) => a.index - b.index);
  }
}
