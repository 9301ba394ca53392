import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { BITS_PER_KEY, blocksFor, MAX_CAPACITY } from "./filter.ts";
import { loadCore } from "./mod.ts";
import type { Filter } from "./mod.ts";

const core = await loadCore();

/** Consecutive keys: nothing of a hash about them. */
function keysFrom(first: number, count: number): BigUint64Array {
  return BigUint64Array.from({ length: count }, (_, i) => BigInt(first + i));
}

function sum(bytes: Uint8Array): number {
  return bytes.reduce((total, byte) => total + byte, 0);
}

/** Probability that all 8 bits of a new key are set: blocks are loaded like a Poisson variable (Putze et al. 2007, 3). */
function theoreticalRate(bitsPerKey: number): number {
  const load = 256 / bitsPerKey;
  let rate = 0;
  let weight = Math.exp(-load);
  for (let keys = 0; keys < 400; keys++) {
    rate += weight * (1 - (31 / 32) ** keys) ** 8;
    weight *= load / (keys + 1);
  }
  return rate;
}

test("no false negatives, and false positives as theory has them, from a quarter full to full", () => {
  const capacity = 400_000;
  const asked = 4_000_000;
  const filter = core.filter(capacity);
  let fresh = 0;
  for (const quarter of [1, 2, 3, 4]) {
    const keys = quarter * capacity / 4;
    fresh += sum(filter.addAll(keysFrom(keys - capacity / 4, capacity / 4)));
    assert.equal(filter.count, fresh);
    assert.equal(sum(filter.hasAll(keysFrom(0, keys))), keys);
    const rate = falsePositives(filter, asked) / asked;
    const theory = theoreticalRate(BITS_PER_KEY / (quarter / 4));
    // At a quarter the rate is some 4 in 100,000: 160 hits, of which a standard deviation is 8 %.
    const allowed = Math.max(0.1, 4 / Math.sqrt(theory * asked));
    assert.ok(Math.abs(rate / theory - 1) < allowed, `${keys} keys: measured ${rate}, theory says ${theory}`);
  }
  assert.ok(theoreticalRate(BITS_PER_KEY) < 0.01);
  filter.free();
});

/** Of `asked` keys that aren't in it, how many it takes for its own. */
function falsePositives(filter: Filter, asked: number): number {
  let hits = 0;
  for (let from = 0; from < asked; from += 400_000) hits += sum(filter.hasAll(keysFrom(1_000_000_000 + from, 400_000)));
  return hits;
}

test("a key repeated in a batch is new once, across chunks too", () => {
  const filter = core.filter(50_000);
  const keys = new BigUint64Array(40_000).fill(7n);
  assert.equal(sum(filter.addAll(keys)), 1);
  assert.equal(filter.addAll(BigUint64Array.of(7n, 8n, 8n)).join(""), "010");
  assert.equal(filter.count, 2);
});

test("filters don't share memory with each other or with scans", () => {
  const [one, other] = [core.filter(1000), core.filter(1000)];
  one.addAll(keysFrom(0, 1000));
  core.urls(["http://example.com/"]);
  assert.equal(sum(other.hasAll(keysFrom(0, 1000))), 0);
  assert.equal(sum(one.hasAll(keysFrom(0, 1000))), 1000);
});

test("all 64 bits of a key count", () => {
  const filter = core.filter(1000);
  const keys = BigUint64Array.from({ length: 64 }, (_, bit) => 1n << BigInt(bit));
  assert.ok(sum(filter.addAll(keys)) >= 63);
});

test("capacities are whole numbers within bounds, and a freed filter says so", () => {
  for (const capacity of [0, -1, 1.5, NaN, MAX_CAPACITY + 1]) assert.throws(() => core.filter(capacity), RangeError);
  assert.equal(blocksFor(1), 1);
  const filter = core.filter(1);
  filter.free();
  assert.throws(() => filter.hasAll(keysFrom(0, 1)), /was freed/);
});

const SALTS = [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31];

/** The blocks as Parquet's BloomFilter.md has them, after splitmix64's finaliser, key by key. */
function blocksByHand(keys: BigUint64Array, blocks: number): Uint32Array {
  const words = new Uint32Array(blocks * 8);
  for (const key of keys) {
    let z = BigInt.asUintN(64, (key ^ (key >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    z ^= z >> 31n;
    const block = Number(((z >> 32n) * BigInt(blocks)) >> 32n);
    SALTS.forEach((salt, i) => words[block * 8 + i]! |= 1 << (Math.imul(Number(z & 0xffffffffn), salt) >>> 27));
  }
  return words;
}

test("a filter's bits are those of the paper: a snapshot of one build is one of the next", () => {
  for (const count of [1, 15, 64, 65, 500]) {
    const keys = BigUint64Array.from({ length: count }, (_, i) => BigInt(i) * 0x9e3779b97f4a7c15n + 1n);
    const filter = core.filter(300);
    filter.addAll(keys);
    const body = filter.snapshot(0n)[1]!.slice();
    assert.deepEqual(new Uint32Array(body.buffer), blocksByHand(keys, body.length / 32));
    filter.free();
  }
});
