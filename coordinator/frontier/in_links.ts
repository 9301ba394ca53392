/**
 * How many pages link to a URL that is known already: a bounded count of the links that were reported again.
 * Invariant: never more than was reported, up to a collision of 38 bits (one count in some 250,000); what is linked
 * often is kept, what is linked rarely makes way (Misra and Gries, "Finding repeated elements" (1982), in each bucket).
 * Counts are of this process: what a row says of its in-links survives a restart, the count towards the next power of
 * four begins anew.
 */

import type { KeySalt } from "./seen_cache.ts";

const WAYS = 4;
const COUNT_BITS = 12;
const COUNT_MASK = (1 << COUNT_BITS) - 1;

export class InLinkCounts {
  /** Per entry: tag << 12 | count; a count of 0 is an empty place. Four ways, one cache line. */
  readonly #entries: Uint32Array;
  readonly #mask: number;

  /** `entries` is a power of two; 4 bytes each. */
  constructor(entries: number) {
    this.#entries = new Uint32Array(entries);
    this.#mask = entries / WAYS - 1;
  }

  /** Counts one more link; returns the links counted so far, 0 when it found no place. Stays at 4,095. */
  add(low: number, high: number, salt: KeySalt): number {
    const entries = this.#entries;
    const tag = ((high ^ salt.high) & ~COUNT_MASK) >>> 0;
    const first = ((low ^ salt.low) & this.#mask) * WAYS;
    let free = -1;
    for (let at = first; at < first + WAYS; at++) {
      const entry = entries[at]!;
      if ((entry & COUNT_MASK) === 0) free = at;
      else if ((entry & ~COUNT_MASK) >>> 0 === tag) {
        if ((entry & COUNT_MASK) < COUNT_MASK) entries[at] = entry + 1;
        return entries[at]! & COUNT_MASK;
      }
    }
    if (free >= 0) {
      entries[free] = tag | 1;
      return 1;
    }
    for (let at = first; at < first + WAYS; at++) entries[at]!--;
    return 0;
  }
}

/**
 * Whether in-links just reached a power of 4 with this count: 4, 16, 64, 256, 1,024. The link by which the URL was found
 * isn't in the count.
 */
export function reachesPower(count: number): boolean {
  const inLinks = count + 1;
  return inLinks > 1 && (inLinks & count) === 0 && (inLinks & 0x55555555) !== 0;
}

/** A power of two; the table grows with the page that has the most links. */
const FIRST_PLACES = 1024;

/**
 * The links of one page, each once however often and in whatever spelling it stands there.
 * Invariant: exact; nothing is allocated but for a page with more links than any before.
 */
export class OncePerPage {
  #words = new Uint32Array(2 * FIRST_PLACES);
  readonly #used: number[] = [];

  /** Makes it ready for a page of up to `links` links. */
  begin(links: number): void {
    const words = this.#words;
    for (const at of this.#used) {
      words[at] = 0;
      words[at + 1] = 0;
    }
    this.#used.length = 0;
    let places = words.length / 2;
    while (places < 2 * links) places *= 2;
    if (2 * places > words.length) this.#words = new Uint32Array(2 * places);
  }

  /** True the first time that the page names this fingerprint. A fingerprint of 0 is never counted. */
  isFirst(low: number, high: number): boolean {
    const words = this.#words;
    const mask = words.length / 2 - 1;
    if ((low | high) === 0) return false;
    for (let place = Math.imul(low, 0x9e3779b1) >>> 0 & mask;; place = (place + 1) & mask) {
      const at = 2 * place;
      if (words[at] === low && words[at + 1] === high) return false;
      if (words[at] === 0 && words[at + 1] === 0) {
        words[at] = low;
        words[at + 1] = high;
        this.#used.push(at);
        return true;
      }
    }
  }
}
