/**
 * How many pages link to a URL that is known already: a bounded count of the links that were reported again.
 * Invariant: never more than was reported, up to a collision of 20 bits within a bucket of four (one count in some 250,000); what is linked
 * often is kept, what is linked rarely makes way (Misra and Gries, "Finding repeated elements" (1982), in each bucket).
 * Counts are of this process: what a row says of its in-links survives a restart, the count towards the next power of
 * four begins anew.
 */

import type { KeySalt } from "../seen/seen_cache.ts";

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
const WORDS = 3;

/**
 * The links of one page, each once however often and in whatever spelling it stands there.
 * Invariant: exact; nothing is allocated, or cleared, but for a page with more links than any before.
 */
export class OncePerPage {
  /** Per place: low, high, number of the page that put them there; an older number is an empty place. */
  #words = new Uint32Array(WORDS * FIRST_PLACES);
  #mask = FIRST_PLACES - 1;
  #page = 0;

  /** Makes it ready for a page of up to `links` links. */
  begin(links: number): void {
    this.#page++;
    let places = this.#mask + 1;
    while (places < 2 * links) places *= 2;
    if (places === this.#mask + 1 && this.#page <= 0xffffffff) return;
    this.#words = new Uint32Array(WORDS * places);
    this.#mask = places - 1;
    this.#page = 1;
  }

  /** True the first time that the page names this fingerprint. A fingerprint of 0 is never counted. */
  isFirst(low: number, high: number): boolean {
    const words = this.#words;
    const mask = this.#mask;
    const page = this.#page;
    if ((low | high) === 0) return false;
    for (let place = Math.imul(low, 0x9e3779b1) >>> 0 & mask;; place = (place + 1) & mask) {
      const at = WORDS * place;
      if (words[at + 2] !== page) {
        words[at] = low;
        words[at + 1] = high;
        words[at + 2] = page;
        return true;
      }
      if (words[at] === low && words[at + 1] === high) return false;
    }
  }
}
