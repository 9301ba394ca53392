/**
 * Links that the coordinator acknowledged a moment ago and that needn't be reported again: most links of a site stand
 * on each of its pages.
 * Invariants: a link is left out only if a completion that held it was acknowledged under the same scope, at the same or
 * a smaller depth, within the last minute; so what was refused then (a full budget) is offered again later. Bounded: a
 * table in which the newer entry takes the older one's place.
 */

import type { CrawlSettings } from "../../protocol/mod.ts";

/** 12 bytes each: 3 MB. */
const SLOTS = 1 << 18;
/** How long an acknowledgement counts. */
const FRESH_MS = 60_000;
const WORDS = 3;
const DEPTH_BITS = 10;
const DEEPEST = (1 << DEPTH_BITS) - 1;
/** Seconds wrap after 48 days; an entry that old would have to be met in the very minute of its anniversary. */
const SECONDS_MASK = (1 << (32 - DEPTH_BITS)) - 1;

/** Halves of a link's hash: low, high. */
export type LinkHash = readonly [low: number, high: number];

/** Where links were found: they are known per crawl, scope and depth. */
export interface Found {
  readonly crawl: Pick<CrawlSettings, "crawl_id" | "scope_version">;
  /** Depth of the page. */
  readonly depth: number;
  /** Monotonic ms. */
  readonly now: number;
}

export class KnownLinks {
  /** Per slot: low, high, seconds << 10 | depth. A slot of zeros is empty. */
  readonly #table = new Uint32Array(SLOTS * WORDS);

  /** True when the link needn't be reported. */
  test(found: Found): (low: number, high: number) => boolean {
    const salt = saltOf(found);
    const seconds = secondsOf(found.now);
    const table = this.#table;
    return (low, high) => {
      const at = slotOf(low ^ salt);
      if (table[at] !== (low ^ salt) >>> 0 || table[at + 1] !== high) return false;
      const word = table[at + 2]!;
      const age = (seconds - (word >>> DEPTH_BITS)) & SECONDS_MASK;
      return age * 1000 < FRESH_MS && (word & DEEPEST) <= found.depth;
    };
  }

  /** A completion that held these links was acknowledged. */
  add(found: Found, links: Iterable<LinkHash>): void {
    if (found.depth > DEEPEST) return;
    const salt = saltOf(found);
    const table = this.#table;
    const word = (secondsOf(found.now) << DEPTH_BITS | found.depth) >>> 0;
    for (const [low, high] of links) {
      const at = slotOf(low ^ salt);
      table[at] = low ^ salt;
      table[at + 1] = high;
      table[at + 2] = word;
    }
  }
}

function secondsOf(now: number): number {
  return Math.floor(now / 1000) & SECONDS_MASK;
}

function slotOf(word: number): number {
  return (Math.imul(word, 0x9e3779b1) >>> 14) * WORDS;
}

/** Keeps crawls and scopes apart (FNV-1a, 32 bits). */
function saltOf({ crawl }: Found): number {
  let hash = 0x811c9dc5;
  for (const text of [crawl.crawl_id, String(crawl.scope_version)]) {
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ 0x1ff, 0x01000193);
  }
  return hash >>> 0;
}
