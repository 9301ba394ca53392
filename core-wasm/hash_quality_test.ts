/** XXH64 as fingerprints need it: no two of a million like URLs collide, and each bit of input moves each bit of output. */

import assert from "node:assert/strict";
import { chanceFrom } from "../tests/support/near_duplicates.ts";
import { test } from "../tests/support/test.ts";
import { loadCore } from "./mod.ts";

const core = await loadCore();

const URLS = 1_200_000;
const BATCH = 10_000;

/** URLs as sites make them, one as like the next as can be. */
function urlOf(n: number): string {
  const id = Math.floor(n / 4);
  switch (n % 4) {
    case 0:
      return `https://shop.example/item/${id}`;
    case 1:
      return `https://news.example/${2000 + id % 25}/${id % 12}/${Math.floor(id / 300)}-story.html`;
    case 2:
      return `https://forum.example/t?id=${id}&page=${id % 7}`;
    default:
      return `https://h${id}.example/`;
  }
}

/** Pairs of equal values in sorted order. */
function collisions(values: Uint32Array | BigUint64Array): number {
  const sorted = values.slice().sort();
  let equal = 0;
  for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) equal++;
  return equal;
}

test("fingerprints of 1.2 million like URLs are all different, and their halves collide as chance has it", () => {
  const all = new BigUint64Array(URLS);
  for (let from = 0; from < URLS; from += BATCH) {
    all.set(core.urls(Array.from({ length: BATCH }, (_, i) => urlOf(from + i))).fingerprints, from);
  }
  assert.equal(collisions(all), 0);
  const words = new Uint32Array(all.buffer);
  // Birthday bound: n * n / 2 pairs among 2^32 values, about 168; Poisson, six standard deviations are 78.
  const expected = URLS * URLS / 2 / 2 ** 32;
  for (const half of [0, 1]) {
    const found = collisions(words.filter((_, i) => i % 2 === half));
    assert.ok(Math.abs(found - expected) < 6 * Math.sqrt(expected), `${found} of half ${half}, ${expected} expected`);
  }
}, { timeoutMs: 120_000 });

test("each bit of input flips each bit of output half of the time, for every kind of length", () => {
  const samples = 1000;
  const chance = chanceFrom(64);
  // A single byte has too few values for this. One standard deviation of a share is 0.0158; of 70,000 shares none should be six of them away.
  const bound = 6 * 0.5 / Math.sqrt(samples);
  for (const length of [3, 4, 7, 8, 31, 32, 53]) {
    const inputs = Array.from({ length: samples }, () => Uint8Array.from({ length }, () => chance() * 256));
    const hashes = inputs.map((input) => core.xxh64(input));
    for (let bit = 0; bit < length * 8; bit++) {
      const flips = new Uint16Array(64);
      inputs.forEach((input, i) => {
        input[bit >> 3]! ^= 1 << (bit & 7);
        countBits(core.xxh64(input) ^ hashes[i]!, flips);
        input[bit >> 3]! ^= 1 << (bit & 7);
      });
      flips.forEach((count, out) =>
        assert.ok(
          Math.abs(count / samples - 0.5) < bound,
          `${length} bytes, bit ${bit} -> ${out}: ${count} of ${samples}`,
        )
      );
    }
  }
}, { timeoutMs: 120_000 });

function countBits(difference: bigint, into: Uint16Array): void {
  const low = Number(difference & 0xffffffffn);
  const high = Number(difference >> 32n);
  for (let bit = 0; bit < 32; bit++) {
    into[bit]! += (low >>> bit) & 1;
    into[bit + 32]! += (high >>> bit) & 1;
  }
}
