import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../../tests/support/test.ts";
import { SeenCache } from "./seen_cache.ts";

const key = fc.bigInt({ min: 1n, max: (1n << 64n) - 1n });

test("the cache remembers what it was told, apart for each crawl, and never more", () => {
  fc.assert(fc.property(fc.uniqueArray(key, { maxLength: 200 }), key, (keys, other) => {
    const cache = new SeenCache(1 << 12);
    const salt = { low: 0x9e3779b9, high: 0x7f4a7c15 };
    for (const one of keys) cache.add(one, salt, 3);
    for (const one of keys) assert.ok([3, -1].includes(cache.depthOfKey(one, salt)));
    if (!keys.includes(other)) assert.equal(cache.depthOfKey(other, salt), -1);
    for (const one of keys) assert.equal(cache.depthOfKey(one, { low: 0x85ebca6b, high: 0xc2b2ae35 }), -1);
  }));
});

test("the cache is bounded: it forgets, it never invents", () => {
  const cache = new SeenCache(64);
  const salt = { low: 0, high: 0 };
  for (let i = 1n; i <= 10_000n; i++) cache.add(i * 0x9e3779b97f4a7c15n & ((1n << 64n) - 1n), salt, 0);
  let hits = 0;
  for (let i = 1n; i <= 10_000n; i++) {
    if (cache.depthOfKey(i * 0x9e3779b97f4a7c15n & ((1n << 64n) - 1n), salt) >= 0) hits++;
  }
  assert.equal(hits, 64);
  cache.clear();
  assert.equal(cache.depthOfKey(0n, salt), -1);
});

test("a key that is added again with a smaller depth is known by it", () => {
  const cache = new SeenCache(64);
  const salt = { low: 1, high: 2 };
  cache.add(5n, salt, 9);
  cache.add(5n, salt, 2);
  assert.equal(cache.depthOfKey(5n, salt), 2);
});
