/**
 * The index of near fingerprints against the same tables in JS. Invariant: both hold the same fingerprints, are asked for
 * the same ones, and must find the same before anything is timed.
 */

import type { Core, NearIndex } from "../core-wasm/core.ts";
import { cpuMs, measure } from "./interleaved.ts";
import type { CoreRow } from "./report/core_row.ts";

const BATCH = 256;
const BATCHES = 256;
/** Bits of a SimHash that are told (docs/SIMHASH.md). */
const TOLD = 0x01ff01ff01ff01ffn;

/** splitmix64 over a counter: `spread` over all 64 bits, or as SimHashes are. */
function makeFingerprints(count: number, spread: boolean): BigUint64Array {
  const mask = spread ? 2n ** 64n - 1n : TOLD;
  const words = new BigUint64Array(count);
  for (let i = 0; i < count; i++) {
    let z = BigInt.asUintN(64, BigInt(i + 1) * 0x9e3779b97f4a7c15n);
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    words[i] = (z ^ (z >> 31n)) & mask;
  }
  return words;
}

function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The same four tables in order of their blocks, built at once; asked for the distance of the nearest. */
function nearInJs(fingerprints: BigUint64Array): (pairs: Int32Array) => number {
  const pairs = new Int32Array(fingerprints.buffer);
  const count = fingerprints.length;
  const blockOf = (words: Int32Array, i: number, table: number) =>
    (words[2 * i + (table >> 1)]! >>> (16 * (table & 1))) & 0xffff;
  const tables = [0, 1, 2, 3].map((table) => {
    const starts = new Uint32Array(65537);
    for (let i = 0; i < count; i++) starts[blockOf(pairs, i, table) + 1]!++;
    for (let block = 0; block < 65536; block++) starts[block + 1]! += starts[block]!;
    const next = starts.slice();
    const sorted = new Int32Array(2 * count);
    for (let i = 0; i < count; i++) {
      const at = next[blockOf(pairs, i, table)]!++;
      sorted[2 * at] = pairs[2 * i]!;
      sorted[2 * at + 1] = pairs[2 * i + 1]!;
    }
    return { starts, sorted };
  });
  return (asked) => {
    let found = 0;
    for (let i = 0; i < asked.length; i += 2) {
      const low = asked[i]!, high = asked[i + 1]!;
      let nearest = 4;
      for (let table = 0; table < 4; table++) {
        const { starts, sorted } = tables[table]!;
        const block = blockOf(asked, i >> 1, table);
        const end = 2 * starts[block + 1]!;
        for (let at = 2 * starts[block]!; at < end; at += 2) {
          const bits = bitsIn(sorted[at]! ^ low) + bitsIn(sorted[at + 1]! ^ high);
          if (bits < nearest) nearest = bits;
        }
      }
      found += nearest <= 3 ? 1 : 0;
    }
    return found;
  };
}

/** Near ones, one in two: three bits of a held fingerprint are flipped. */
function questions(held: BigUint64Array, spread: boolean): BigUint64Array[] {
  const strangers = makeFingerprints(held.length + BATCH * BATCHES, spread).subarray(held.length);
  return Array.from({ length: BATCHES }, (_, batch) =>
    BigUint64Array.from({ length: BATCH }, (_, i) => {
      const n = batch * BATCH + i;
      return n % 2 === 0
        ? strangers[n]!
        : held[(n * 7919) % held.length]! ^ (1n | (1n << BigInt(16 + n % 9)) | 1n << 48n);
    }));
}

function near(index: NearIndex, asked: BigUint64Array): number {
  return index.nearest(asked).distances.reduce((sum, distance) => sum + (distance <= 3 ? 1 : 0), 0);
}

/** A million spread evenly, and one and five million as SimHashes are. */
export function benchNear(core: Core): CoreRow[] {
  return [...rowsFor(core, 1_000_000, true), ...rowsFor(core, 1_000_000, false), ...rowsFor(core, 5_000_000, false)];
}

/** Rows of queries and of adding, for `count` fingerprints. */
function rowsFor(core: Core, count: number, spread: boolean): CoreRow[] {
  const held = makeFingerprints(count, spread);
  const kind = `${count / 1e6} million ${spread ? "spread evenly" : "SimHashes"}`;
  const index = core.nearIndex(count);
  const startedAt = cpuMs();
  for (let from = 0; from < count; from += 4096) index.addAll(held.subarray(from, from + 4096));
  const addNs = (cpuMs() - startedAt) * 1e6 / count;
  const builtAt = cpuMs();
  const byJs = nearInJs(held);
  const buildNs = (cpuMs() - builtAt) * 1e6 / count;
  const batches = questions(held, spread);
  const pairs = batches.map((batch) => new Int32Array(batch.buffer));
  for (const turn of [0, 1, 2]) {
    if (near(index, batches[turn]!) !== byJs(pairs[turn]!)) {
      throw new Error("Benchmarking near fingerprints stopped: the candidates found different ones.");
    }
  }
  try {
    return [
      ...measure({
        name: `near fingerprints, ${kind}: query`,
        opsPerCall: BATCH,
        candidates: {
          "JS: the same tables": (turn) => byJs(pairs[turn % BATCHES]!),
          "WASM: nearIndex": (turn) => index.nearest(batches[turn % BATCHES]!).distances[0]!,
        },
      }),
      {
        name: `near fingerprints, ${kind}: add`,
        candidate: "JS: the same tables, built at once",
        nsPerOp: buildNs,
        ratio: 1,
      },
      {
        name: `near fingerprints, ${kind}: add`,
        candidate: "WASM: nearIndex, in batches",
        nsPerOp: addNs,
        ratio: addNs / buildNs,
      },
    ];
  } finally {
    index.free();
  }
}
