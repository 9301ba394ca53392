/**
 * How well SimHashes tell near-duplicates from other pages: distances of pairs that the named edits make, and of pairs
 * of different pages. Invariant: a function of the corpora, the seed and the core.
 */

import type { Core } from "../../core-wasm/core.ts";
import { chanceFrom, type Edit, EDITS, nearDuplicate } from "./near_duplicates.ts";
import { likeness, negativePairs, type RealPage, realPages, shinglesOf } from "./real_pages.ts";
import { treeFacts } from "./tree_links.ts";

export const MOST_BITS = 10;

/** Number of pairs at each distance, 0 to 64. */
export type Distances = readonly number[];

export interface Quality {
  readonly pages: number;
  readonly edits: Readonly<Record<Edit, Distances>>;
  readonly sameSite: Distances;
  readonly otherSite: Distances;
  /** Pairs that were left out of the negatives, as they share most of their text. */
  readonly twins: number;
}

/** Pages that share this much of their runs of three words are near-duplicates themselves. */
const TWINS = 0.8;

export function bitsBetween(a: bigint, b: bigint): number {
  let bits = 0;
  for (let rest = a ^ b; rest !== 0n; rest &= rest - 1n) bits++;
  return bits;
}

/** Share of pairs within `bits`. */
export function shareWithin(distances: Distances, bits: number): number {
  const all = distances.reduce((sum, count) => sum + count, 0);
  return all === 0 ? 0 : distances.slice(0, bits + 1).reduce((sum, count) => sum + count, 0) / all;
}

/** With as many pairs of other pages, half of them of the same site, as near-duplicates. */
export function precisionAt(quality: Quality, edit: Edit, bits: number): number {
  const right = shareWithin(quality.edits[edit], bits);
  const wrong = (shareWithin(quality.sameSite, bits) + shareWithin(quality.otherSite, bits)) / 2;
  return right + wrong === 0 ? 1 : right / (right + wrong);
}

export interface QualityOptions {
  /** Every `step`-th page is taken. */
  readonly step: number;
  readonly seed: number;
}

interface Measured extends RealPage {
  readonly words: readonly string[];
  readonly shingles: ReadonlySet<string>;
  readonly simhash: bigint;
}

export function measureQuality(core: Core, { step, seed }: QualityOptions): Quality {
  const encoder = new TextEncoder();
  const simhash = (html: string) => {
    const bytes = encoder.encode(html);
    return core.scan(bytes, {
      url: "http://page.example/",
      contentType: "text/html; charset=utf-8",
      maxBytes: bytes.length,
    })
      .simhash;
  };
  const pages: Measured[] = [...realPages(step)].map((page) => {
    const words = treeFacts(page.html, "http://page.example/").text.toLowerCase().split(" ");
    return { ...page, words, shingles: shinglesOf(words), simhash: simhash(page.html) };
  }).filter((page) => page.simhash !== 0n);
  const chance = chanceFrom(seed);
  const edits = Object.fromEntries(EDITS.map((edit) => {
    const distances = new Array<number>(65).fill(0);
    for (const page of pages) {
      const otherWords = pages[Math.floor(chance() * pages.length)]!.words;
      const pair = nearDuplicate(edit, { html: page.html, chance, otherWords });
      if (pair !== undefined) distances[bitsBetween(simhash(pair.before), simhash(pair.after))]!++;
    }
    return [edit, distances];
  })) as Record<Edit, number[]>;
  return { pages: pages.length, edits, ...negatives(pages, seed) };
}

function negatives(pages: readonly Measured[], seed: number): Pick<Quality, "sameSite" | "otherSite" | "twins"> {
  let twins = 0;
  const distancesOf = (pairs: readonly [Measured, Measured][]) => {
    const distances = new Array<number>(65).fill(0);
    for (const [a, b] of pairs) {
      const bits = bitsBetween(a.simhash, b.simhash);
      // Likeness is slow; it matters only where the SimHashes are near.
      if (bits <= 2 * MOST_BITS && likeness(a.shingles, b.shingles) >= TWINS) twins++;
      else distances[bits]!++;
    }
    return distances;
  };
  const { sameSite, otherSite } = negativePairs(pages, seed);
  return {
    sameSite: distancesOf(sameSite),
    otherSite: distancesOf(otherSite),
    get twins() {
      return twins;
    },
  };
}
