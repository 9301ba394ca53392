/**
 * Filters by the raw door, each in a wasm instance of its own, so that a filter's memory is never a scan's.
 * Invariant: no false negatives. A full filter goes on working, with more false positives: its owner adds another.
 */

import { BUFFER, reserve } from "./buffers.ts";
import type { Filter } from "./core.ts";
import type { RawDoor } from "./instance.ts";

/** Bits for each key at which a full split-block filter has just under 1 % false positives (filter_test.ts). */
export const BITS_PER_KEY = 10.6;
const BLOCK_BITS = 256;
/** 1.75 GiB of blocks: addresses stay below 2 GiB. */
export const MAX_CAPACITY = 1_400_000_000;
/** Keys of one crossing. */
const CHUNK = 16_384;

/** 256-bit blocks for `capacity` keys. */
export function blocksFor(capacity: number): number {
  return Math.max(1, Math.ceil((capacity * BITS_PER_KEY) / BLOCK_BITS));
}

class CoreFilter implements Filter {
  readonly capacity: number;
  #raw: RawDoor | undefined;
  #keysAt: number;

  constructor(raw: RawDoor, capacity: number) {
    this.capacity = capacity;
    this.#raw = raw;
    this.#keysAt = reserve(raw, BUFFER.input, CHUNK * 8);
    if (raw.raw_filterOpen(blocksFor(capacity)) !== 1) {
      throw new Error(
        `Making a filter for ${capacity} keys failed: there is no memory for ${blocksFor(capacity)} blocks.`,
      );
    }
  }

  get count(): number {
    return Number(this.#open().raw_filterFresh());
  }

  addAll(keys: BigUint64Array): Uint8Array {
    const raw = this.#open();
    return this.#each(raw, keys, (count) => raw.raw_filterAdd(count));
  }

  hasAll(keys: BigUint64Array): Uint8Array {
    const raw = this.#open();
    return this.#each(raw, keys, (count) => raw.raw_filterHas(count));
  }

  free(): void {
    this.#raw = undefined;
  }

  #open(): RawDoor {
    if (this.#raw === undefined) throw new Error("Using a filter failed: it was freed; make another.");
    return this.#raw;
  }

  #each(raw: RawDoor, keys: BigUint64Array, call: (count: number) => number): Uint8Array {
    const answers = new Uint8Array(keys.length);
    for (let from = 0; from < keys.length; from += CHUNK) {
      const chunk = keys.subarray(from, from + CHUNK);
      new BigUint64Array(raw.memory.buffer, this.#keysAt, chunk.length).set(chunk);
      const at = call(chunk.length) >>> 0;
      answers.set(new Uint8Array(raw.memory.buffer, at, chunk.length), from);
    }
    return answers;
  }
}

/** See Core.filter. `capacity` is a whole number of keys, 1 to MAX_CAPACITY. */
export function makeFilter(raw: RawDoor, capacity: number): Filter {
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > MAX_CAPACITY) {
    throw new RangeError(
      `Making a filter for ${capacity} keys failed: a whole number from 1 to ${MAX_CAPACITY} is wanted.`,
    );
  }
  return new CoreFilter(raw, capacity);
}
