/**
 * The seen-filter: the core's split-block filter against the same filter in JS, and against a classic one.
 * Invariant: all answer for each key whether it was new, and see the same keys in the same order. The classic one has up to
 * 1.6 times the bits for each key, as a power of two of them is what makes it fast.
 */

import type { Core } from "../core-wasm/core.ts";
import { blocksFor } from "../core-wasm/filter.ts";
import bloomFilters from "bloom-filters";
import type { CoreRow } from "./report/core_row.ts";
import { measure } from "./interleaved.ts";

/** A small crawl's filter, which fits into a processor's cache, and a large one's, which doesn't. */
const SMALL = 1_000_000;
const LARGE = 20_000_000;
const BATCH = 256;
const BATCHES = 4096;
const SALTS = Int32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
);

/** Keys as fingerprints are: uniform. splitmix64 over a counter, in two halves. */
function makeKeys(count: number): BigUint64Array {
  const keys = new BigUint64Array(count);
  for (let i = 0; i < count; i++) {
    let z = BigInt.asUintN(64, BigInt(i + 1) * 0x9e3779b97f4a7c15n);
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    keys[i] = z ^ (z >> 31n);
  }
  return keys;
}

/** The same layout in JS; keys are read as pairs of 32-bit words, as BigInt arithmetic is far slower. */
function splitBlockInJs(capacity: number): (keys: Int32Array) => Uint8Array {
  const blocks = blocksFor(capacity);
  const words = new Int32Array(blocks * 8);
  return (keys) => {
    const fresh = new Uint8Array(keys.length >> 1);
    for (let i = 0; i < keys.length; i += 2) {
      const low = keys[i]!;
      const block = Math.floor((keys[i + 1]! >>> 0) * blocks / 2 ** 32) * 8;
      let isNew = 0;
      for (let word = 0; word < 8; word++) {
        const bit = 1 << (Math.imul(low, SALTS[word]!) >>> 27);
        const had = words[block + word]!;
        isNew |= ~had & bit;
        words[block + word] = had | bit;
      }
      if (isNew !== 0) fresh[i >> 1] = 1;
    }
    return fresh;
  };
}

function classicInJs(capacity: number): (keys: Int32Array) => Uint8Array {
  const bits = 2 ** Math.ceil(Math.log2(capacity * 10));
  const words = new Int32Array(bits / 32);
  return (keys) => {
    const fresh = new Uint8Array(keys.length >> 1);
    for (let i = 0; i < keys.length; i += 2) {
      let at = keys[i]!;
      const step = keys[i + 1]! | 1;
      let isNew = 0;
      for (let k = 0; k < 7; k++) {
        const index = (at & (bits - 1)) >>> 5;
        const bit = 1 << (at & 31);
        const had = words[index]!;
        isNew |= ~had & bit;
        words[index] = had | bit;
        at = (at + step) | 0;
      }
      if (isNew !== 0) fresh[i >> 1] = 1;
    }
    return fresh;
  };
}

/** The library that npm's users pick; it takes texts, one at a time. */
function libraryFilter(capacity: number): (keys: readonly string[]) => number {
  const filter = new bloomFilters.BloomFilter(capacity * 10, 7);
  return (keys) => {
    let fresh = 0;
    for (const key of keys) {
      if (!filter.has(key)) fresh++;
      filter.add(key);
    }
    return fresh;
  };
}

/** Rows for adding a million keys in batches of 256 and of 8 to a small filter, and of 256 to a large one. */
export function benchFilter(core: Core): CoreRow[] {
  const keys = makeKeys(BATCHES * BATCH);
  return [
    ...benchBatches(core, keys, { size: BATCH, capacity: SMALL }),
    ...benchBatches(core, keys, { size: 8, capacity: SMALL }),
    ...benchBatches(core, keys, { size: BATCH, capacity: LARGE }),
    ...benchLibrary(keys),
  ];
}

/** By itself: what it leaves for the collector would be counted as the others' time. */
function benchLibrary(keys: BigUint64Array): CoreRow[] {
  const batches = Array.from({ length: BATCHES }, (_, i) => keys.subarray(i * BATCH, (i + 1) * BATCH));
  const pairs = batches.map((batch) => new Int32Array(batch.buffer, batch.byteOffset, batch.length * 2));
  const texts = batches.map((batch) => Array.from(batch, (key) => key.toString(16)));
  const [classic, library] = [classicInJs(SMALL), libraryFilter(SMALL)];
  return measure({
    name: `npm's Bloom filter for ${SMALL / 1_000_000} M keys, add ${BATCH}`,
    opsPerCall: BATCH,
    candidates: {
      "JS: classic, k = 7": (turn) => classic(pairs[turn % BATCHES]!)[0]!,
      "bloom-filters (npm)": (turn) => library(texts[turn % BATCHES]!),
    },
  });
}

function benchBatches(core: Core, keys: BigUint64Array, shape: { size: number; capacity: number }): CoreRow[] {
  const { size, capacity } = shape;
  const count = Math.floor(keys.length / size);
  const batches = Array.from({ length: count }, (_, i) => keys.subarray(i * size, (i + 1) * size));
  const pairs = batches.map((batch) => new Int32Array(batch.buffer, batch.byteOffset, batch.length * 2));
  const [splitBlock, classic] = [splitBlockInJs(capacity), classicInJs(capacity)];
  const filter = core.filter(capacity);
  try {
    return measure({
      name: `Bloom filter for ${capacity / 1_000_000} M keys, add batches of ${size}`,
      opsPerCall: size,
      candidates: {
        "JS: split-block": (turn) => splitBlock(pairs[turn % count]!)[0]!,
        "JS: classic, k = 7": (turn) => classic(pairs[turn % count]!)[0]!,
        "WASM: split-block": (turn) => filter.addAll(batches[turn % count]!)[0]!,
      },
    });
  } finally {
    filter.free();
  }
}
