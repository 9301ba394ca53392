import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../tests/support/test.ts";
import { loadCore } from "./mod.ts";
import { MAX_NEAR_CAPACITY } from "./near_index.ts";

const core = await loadCore();

function bitsOf(value: bigint): number {
  let count = 0;
  for (let rest = value; rest !== 0n; rest &= rest - 1n) count++;
  return count;
}

/** splitmix64 over a counter. */
function scattered(first: number, count: number): BigUint64Array {
  return BigUint64Array.from({ length: count }, (_, i) => {
    let z = BigInt.asUintN(64, BigInt(first + i + 1) * 0x9e3779b97f4a7c15n);
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  });
}

/** The nearest of `held` and its distance, the slow way. */
function nearestByHand(held: readonly bigint[], wanted: bigint): [bigint, number] {
  const near = held.map((one) => [one, bitsOf(one ^ wanted)] as [bigint, number]).filter(([, bits]) => bits <= 3);
  near.sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
  return near[0] ?? [0n, 255];
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Fingerprints that crowd round a few centres, so that many are near, and buckets are shared. */
const crowd = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 3 }), fc.array(fc.integer({ min: 0, max: 63 }), { maxLength: 6 })),
  { minLength: 1, maxLength: 80 },
).map((entries) =>
  entries.map(([centre, flips]) =>
    flips.reduce((value, bit) => value ^ (1n << BigInt(bit)), [0n, 2n ** 64n - 1n, 0x0123456789abcdefn, 1n][centre]!)
  )
);

test("near index: exact against brute force, settled or waiting", () => {
  fc.assert(
    fc.property(crowd, crowd, fc.boolean(), fc.integer({ min: 1, max: 90 }), (added, asked, settle, firstPart) => {
      const index = core.nearIndex(100);
      index.addAll(BigUint64Array.from(added.slice(0, firstPart)));
      if (settle) index.snapshot(0n);
      index.addAll(BigUint64Array.from(added.slice(firstPart)));
      const held = [...new Set(added)];
      assert.equal(index.count, held.length);
      const { fingerprints, distances } = index.nearest(BigUint64Array.from(asked));
      asked.forEach((wanted, i) => {
        assert.deepEqual([fingerprints[i], distances[i]], nearestByHand(held, wanted));
        const all = held.filter((one) => bitsOf(one ^ wanted) <= 3).sort();
        assert.deepEqual([...index.within(wanted, 1000)].sort(), all);
      });
      index.free();
    }),
    { numRuns: 60 },
  );
});

test("near index: every way to flip three bits or fewer is found among 150,000, four bits are not", () => {
  const index = core.nearIndex(150_000);
  const keys = scattered(0, 150_000);
  assert.ok(index.addAll(keys).every((answer) => answer === 1));
  for (const key of [keys[0]!, keys[70_000]!, keys[149_999]!]) {
    const flipped: bigint[] = [key];
    for (let a = 0n; a < 64n; a++) {
      for (let b = a + 1n; b < 64n; b++) {
        for (let c = b + 1n; c <= 64n; c++) flipped.push(BigInt.asUintN(64, key ^ (1n << a) ^ (1n << b) ^ (1n << c)));
      }
      flipped.push(key ^ (1n << a));
    }
    const { fingerprints, distances } = index.nearest(BigUint64Array.from(flipped));
    flipped.forEach((wanted, i) => {
      assert.equal(fingerprints[i], key);
      assert.equal(distances[i], bitsOf(wanted ^ key));
    });
    const four = BigUint64Array.from({ length: 61 }, (_, bit) => key ^ (15n << BigInt(bit)));
    assert.ok(index.nearest(four).distances.every((distance) => distance === 255));
  }
  index.free();
});

test("near index: the same fingerprint is held once, a full index says so and goes on answering", () => {
  const index = core.nearIndex(2);
  assert.deepEqual([...index.addAll(BigUint64Array.of(7n, 7n, 0n, 99n << 20n, 7n))], [1, 0, 1, 2, 0]);
  assert.equal(index.count, 2);
  assert.deepEqual([...index.nearest(BigUint64Array.of(3n, 1n)).fingerprints], [7n, 0n]);
  assert.equal(index.within(0n, 1).length, 1);
  assert.equal(index.nearest(new BigUint64Array()).distances.length, 0);
});

test("near index: a snapshot holds everything, and what was cut or changed is refused", () => {
  const index = core.nearIndex(70_000);
  const keys = scattered(1_000_000, 66_000);
  index.addAll(keys);
  const bytes = joined(index.snapshot(77n));
  const restored = core.restoreNearIndex(bytes);
  assert.ok("index" in restored);
  assert.equal(restored.position, 77n);
  assert.equal(restored.index.capacity, 70_000);
  assert.equal(restored.index.count, 66_000);
  const asked = BigUint64Array.from(keys, (key, i) => key ^ (1n << BigInt(i & 63)));
  assert.deepEqual(restored.index.nearest(asked), index.nearest(asked));
  assert.deepEqual([...restored.index.addAll(BigUint64Array.of(keys[5]!, 1n))], [0, 1]);
  for (const at of [0, 9, 13, 15, 20, 30, 36, 44, 50, 60, 64, 70, bytes.length - 1]) {
    const changed = bytes.slice();
    changed[at]! ^= 4;
    const answer = core.restoreNearIndex(changed);
    assert.ok("error" in answer && /failed: .*; build it anew/.test(answer.error), `byte ${at}`);
  }
  for (const length of [0, 5, 63, 64, 1000, bytes.length - 1]) {
    assert.ok("error" in core.restoreNearIndex(bytes.subarray(0, length)), `${length} bytes`);
  }
  assert.ok("error" in core.restoreNearIndex(Uint8Array.of(...bytes.subarray(0, 64), 0)));
});

test("near index: capacities are whole numbers within bounds, and a freed index says so", () => {
  for (const room of [0, -1, 1.5, NaN, MAX_NEAR_CAPACITY + 1]) assert.throws(() => core.nearIndex(room), RangeError);
  const index = core.nearIndex(1);
  index.free();
  assert.throws(() => index.count, /was freed/);
});

test("near index: however many may be told, all that are near are, within the answers' buffer", () => {
  const index = core.nearIndex(1000);
  const keys = BigUint64Array.from({ length: 65 }, (_, bit) => bit === 64 ? 0n : 1n << BigInt(bit));
  index.addAll(keys);
  // 2^29 + 1 and 2^30 + 1 of eight bytes each are one of eight, in 32 bits.
  for (const most of [65, 66.5, 17e6, 2 ** 29 + 1, 2 ** 30 + 1, 2 ** 32 + 1, Infinity]) {
    assert.deepEqual(index.within(0n, most).sort(), keys.slice().sort(), `${most} at most`);
  }
  assert.equal(index.within(0n, 2.5).length, 2);
  assert.equal(index.within(0n, 0).length, 0);
  assert.deepEqual([...index.nearest(BigUint64Array.of(1n)).distances], [0]);
  for (const most of [-1, NaN]) assert.throws(() => index.within(0n, most), /a number from 0 is wanted/);
});
