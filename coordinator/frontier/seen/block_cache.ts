/**
 * Blocks of runs in RAM, a bounded number: one array for many of them, so that a block costs its bytes and no objects.
 * Invariant: what it holds under a number is that block's bytes; a number that is dropped is never answered again.
 */

import { SEEN_BLOCK_BYTES } from "../../seen_ports.ts";
import { BLOCK_WORDS } from "./packed_keys.ts";

/** Blocks of one array; arrays are made as they are needed. */
const BLOCKS_PER_SLAB = 256;

/** Where a block's words begin. */
export interface BlockPlace {
  words: Uint32Array;
  base: number;
}

export class BlockCache {
  readonly #most: number;
  readonly #slabs: Uint32Array[] = [];
  readonly #slots = new Map<number, number>();
  readonly #ids: Float64Array;
  /** 1: asked for since the hand passed (second chance). */
  readonly #used: Uint8Array;
  readonly #free: number[] = [];
  #made = 0;
  #hand = 0;

  /** `blocks`: at most so many, at least one slab. */
  constructor(blocks: number) {
    this.#most = Math.max(BLOCKS_PER_SLAB, blocks);
    this.#ids = new Float64Array(this.#most).fill(-1);
    this.#used = new Uint8Array(this.#most);
  }

  /** Bytes of the blocks that it holds room for now. */
  get bytes(): number {
    return this.#slabs.length * BLOCKS_PER_SLAB * SEEN_BLOCK_BYTES;
  }

  /** Points `place` to the block, if it is here. */
  find(id: number, place: BlockPlace): boolean {
    const slot = this.#slots.get(id);
    if (slot === undefined) return false;
    this.#used[slot] = 1;
    place.words = this.#slabs[Math.floor(slot / BLOCKS_PER_SLAB)]!;
    place.base = (slot % BLOCKS_PER_SLAB) * BLOCK_WORDS;
    return true;
  }

  put(id: number, words: Uint32Array): void {
    const slot = this.#slots.get(id) ?? this.#take();
    this.#slabs[Math.floor(slot / BLOCKS_PER_SLAB)]!.set(words, (slot % BLOCKS_PER_SLAB) * BLOCK_WORDS);
    this.#slots.set(id, slot);
    this.#ids[slot] = id;
    this.#used[slot] = 0;
  }

  /** Forgets the blocks numbered `first` to before `end`. */
  drop(first: number, end: number): void {
    for (let id = first; id < end; id++) {
      const slot = this.#slots.get(id);
      if (slot === undefined) continue;
      this.#slots.delete(id);
      this.#ids[slot] = -1;
      this.#free.push(slot);
    }
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
      this.#slots.delete(this.#ids[slot]!);
      return slot;
    }
  }
}
