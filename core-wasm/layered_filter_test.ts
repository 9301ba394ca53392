import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { loadCore } from "./mod.ts";

const core = await loadCore();

function keysFrom(first: number, count: number): BigUint64Array {
  return BigUint64Array.from({ length: count }, (_, i) => BigInt(first + i));
}

function sum(bytes: Uint8Array): number {
  return bytes.reduce((total, byte) => total + byte, 0);
}

test("E110: a filter past its first layer grows, forgets nothing, and counts each key once", () => {
  const filter = core.layeredFilter({ firstKeys: 1_000, mostKeys: 8_000 });
  assert.equal(filter.layers, 0);
  let fresh = 0;
  for (let start = 0; start < 20_000; start += 777) fresh += sum(filter.addAll(keysFrom(start, 777)));
  assert.equal(filter.layers, 5, "1, 2, 4, 8 and 8 thousand");
  assert.equal(filter.capacity, 23_000);
  assert.equal(filter.count, fresh);
  assert.equal(sum(filter.hasAll(keysFrom(0, 20_000))), 20_000);
  // Keys of old layers don't fill the new one.
  assert.equal(sum(filter.addAll(keysFrom(0, 20_000))), 0);
  assert.equal(filter.count, fresh);
  const rate = sum(filter.hasAll(keysFrom(1_000_000, 100_000))) / 100_000;
  assert.ok(rate < 0.05, `${rate} false positives; five layers of at most 0.97 % each`);
  filter.free();
  assert.throws(() => filter.addAll(keysFrom(0, 1)), /was freed/);
});

test("a key that stands twice in a batch is new once, over the border of two layers too", () => {
  const filter = core.layeredFilter({ firstKeys: 3, mostKeys: 3 });
  const answers = filter.addAll(BigUint64Array.of(1n, 2n, 3n, 1n, 4n, 2n, 4n, 5n));
  assert.deepEqual([...answers], [1, 1, 1, 0, 1, 0, 0, 1]);
  assert.equal(filter.layers, 2);
  assert.equal(filter.addAll(new BigUint64Array()).length, 0);
});
