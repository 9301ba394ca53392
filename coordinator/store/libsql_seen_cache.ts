/**
 * Which URLs are known to be in the store: answers most of a page's links without a statement.
 * Invariant: holds only keys that are durable, and a seen-set never forgets, so a hit is always right; a miss says nothing.
 */

import { SLOT_COUNT } from "../../protocol/mod.ts";

/** 12 bytes each. */
const DEFAULT_ENTRIES = 1 << 20;
/** Crawl numbers from here on don't fit the tag and are not cached. */
const CRAWLS = 2 ** 32 / SLOT_COUNT;

/** Direct-mapped: a key has one place, and the newest takes it. */
export class SeenCache {
  readonly #fingerprints: BigUint64Array;
  /** crawl number and slot; 0 = empty, as crawls count from 1. */
  readonly #tags: Uint32Array;
  readonly #mask: number;

  /** `entries` is a power of two. */
  constructor(entries: number = DEFAULT_ENTRIES) {
    this.#fingerprints = new BigUint64Array(entries);
    this.#tags = new Uint32Array(entries);
    this.#mask = entries - 1;
  }

  has(slot: number, crawl: number, fingerprint: bigint): boolean {
    const place = this.#place(crawl, fingerprint);
    return this.#tags[place] === crawl * SLOT_COUNT + slot && this.#fingerprints[place] === fingerprint;
  }

  add(slot: number, crawl: number, fingerprint: bigint): void {
    if (crawl >= CRAWLS) return;
    const place = this.#place(crawl, fingerprint);
    this.#tags[place] = crawl * SLOT_COUNT + slot;
    this.#fingerprints[place] = fingerprint;
  }

  #place(crawl: number, fingerprint: bigint): number {
    return (Number(BigInt.asUintN(32, fingerprint)) ^ Math.imul(crawl, 0x9e3779b1)) & this.#mask;
  }
}
