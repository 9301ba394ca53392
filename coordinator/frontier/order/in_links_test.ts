import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../../tests/support/test.ts";
import { InLinkCounts, OncePerPage, reachesPower } from "./in_links.ts";

const SALT = { low: 0x9e3779b9, high: 0x7f4a7c15 };
const word = fc.integer({ min: 0, max: 0xffffffff });

test("never more is counted than was linked, and alone a URL is counted exactly", () => {
  fc.assert(fc.property(fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 40 }), (links) => {
    const counts = new InLinkCounts(16);
    const truth = new Map<string, number>();
    for (const [low, high] of links.flatMap((link) => [link, links[0]!])) {
      // What a table of four buckets can tell apart.
      const name = `${low & 3} ${high >>> 12}`;
      truth.set(name, (truth.get(name) ?? 0) + 1);
      assert.ok(counts.add(low, high, SALT) <= truth.get(name)!);
    }
  }));
  const alone = new InLinkCounts(16);
  for (let i = 1; i <= 5000; i++) assert.equal(alone.add(7, 9 << 12, SALT), Math.min(i, 4095));
});

test("what is linked often keeps its count in a flood of what is linked once", () => {
  const counts = new InLinkCounts(1 << 10);
  let best = 0;
  for (let i = 0; i < 100_000; i++) {
    counts.add(Math.imul(i, 0x9e3779b1) >>> 0, Math.imul(i, 0x85ebca6b) >>> 0, SALT);
    if (i % 100 === 0) best = Math.max(best, counts.add(42, 0x7fff_f000, SALT));
  }
  assert.ok(best > 256, `1,000 links among 100,000 others in 1,024 places were counted as ${best}`);
});

test("crawls are told apart", () => {
  const counts = new InLinkCounts(64);
  for (let i = 0; i < 5; i++) counts.add(1, 0xabcd_e000, SALT);
  assert.equal(counts.add(1, 0xabcd_e000, { low: 0x11111111, high: 0x22222222 }), 1);
});

test("powers of four of in-links, the first finding included", () => {
  const reached = Array.from({ length: 4096 }, (_, count) => count).filter(reachesPower);
  assert.deepEqual(reached, [3, 15, 63, 255, 1023, 4095]);
});

test("a page names each URL once, exactly, also a page with very many links", () => {
  const once = new OncePerPage();
  fc.assert(fc.property(fc.array(fc.tuple(fc.nat(30), fc.nat(3)), { maxLength: 200 }), (links) => {
    once.begin(links.length);
    const seen = new Set<string>(["0 0"]);
    for (const [low, high] of links) {
      assert.equal(once.isFirst(low, high), !seen.has(`${low} ${high}`));
      seen.add(`${low} ${high}`);
    }
  }));
  once.begin(10_000);
  for (let i = 1; i <= 10_000; i++) assert.equal(once.isFirst(i << 14, i), true);
  for (let i = 1; i <= 10_000; i++) assert.equal(once.isFirst(i << 14, i), false);
});
