/**
 * Blocks of runs in RAM, a bounded number: one array for many of them, so that a block costs its bytes and no objects.
 * Invariant: a run's `slots` says where its blocks lie, -1 for those that don't; nothing else points into the cache.
 */

import { SEEN_BLOCK_BYTES } from "../../seen_ports.ts";
import { BLOCK_WORDS } from "./packed_keys.ts";

/** Blocks of one array; arrays are made as they are needed. */
const BLOCKS_PER_SLAB = 256;

/** For each block of a run its place in the cache, or -1. */
export type Slots = Int32Array;

export function noSlots(blocks: number): Slots {
  return new Int32Array(blocks).fill(-1);
}

/** Where a block's words begin. */
export interface BlockPlace {
  words: Uint32Array;
  base: number;
}

export class BlockCache {
  readonly #most: number;
  readonly #slabs: Uint32Array[] = [];
  /** What points to each slot: the slots of a run, and the block. */
  readonly #owners: (Slots | undefined)[] = [];
  readonly #blocks: Int32Array;
  /** 1: asked for since the hand passed (second chance). */
  readonly #used: Uint8Array;
  readonly #free: number[] = [];
  #made = 0;
  #hand = 0;

  /** `blocks`: at most so many, at least one slab. */
  constructor(blocks: number) {
    this.#most = Math.max(BLOCKS_PER_SLAB, blocks);
    this.#blocks = new Int32Array(this.#most);
    this.#used = new Uint8Array(this.#most);
  }

  /** Bytes of the blocks that it holds room for now. */
  get bytes(): number {
    return this.#slabs.length * BLOCKS_PER_SLAB * SEEN_BLOCK_BYTES;
  }

  /** Points `place` to the block, if it is here. */
  find(slots: Slots, block: number, place: BlockPlace): boolean {
    const slot = slots[block]!;
    if (slot < 0) return false;
    this.#used[slot] = 1;
    place.words = this.#slabs[slot >>> 8]!;
    place.base = (slot & (BLOCKS_PER_SLAB - 1)) * BLOCK_WORDS;
    return true;
  }

  put(slots: Slots, block: number, words: Uint32Array): void {
    if (slots[block]! < 0) slots[block] = this.#take();
    const slot = slots[block]!;
    this.#slabs[slot >>> 8]!.set(words, (slot & (BLOCKS_PER_SLAB - 1)) * BLOCK_WORDS);
    this.#owners[slot] = slots;
    this.#blocks[slot] = block;
    this.#used[slot] = 0;
  }

  /** Forgets the blocks of a run. */
  drop(slots: Slots): void {
    for (const slot of slots) {
      if (slot < 0) continue;
      this.#owners[slot] = undefined;
      this.#free.push(slot);
    }
    slots.fill(-1);
  }

  /** A free slot, a new one, or that of a block that nobody asked for lately. */
  #take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#made < this.#most) {
      if (this.#made % BLOCKS_PER_SLAB === 0) this.#slabs.push(new Uint32Array(BLOCKS_PER_SLAB * BLOCK_WORDS));
      return this.#made++;
    }
    for (;; this.#hand = (this.#hand + 1) % this.#most) {
      if (this.#used[this.#hand] === 1) {
        this.#used[this.#hand] = 0;
        continue;
      }
      const slot = this.#hand;
      this.#hand = (this.#hand + 1) % this.#most;
      const owner = this.#owners[slot];
      if (owner !== undefined) owner[this.#blocks[slot]!] = -1;
      return slot;
    }
  }
}
