import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { sitemapFactors } from "./sitemap_hints.ts";
import { SitemapTrust } from "./sitemap_trust.ts";

const NOW = Date.UTC(2026, 10, 30);
const DAY_S = 86_400;
const ago = (days: number) => NOW / 1000 - days * DAY_S;

function factors(says: Parameters<typeof sitemapFactors>[0], trust = 1): number[] | undefined {
  const count = says.outlink_priorities?.length ?? says.outlink_lastmods!.length;
  const factor = sitemapFactors(says, { count, now: NOW, trust });
  return factor && Array.from({ length: count }, (_, i) => factor(i));
}

test("sitemap hints: what is said of all pages alike counts for nothing", () => {
  assert.deepEqual(factors({ outlink_priorities: [100, 100, 100] }), [1, 1, 1]);
  assert.deepEqual(factors({ outlink_lastmods: [ago(0), ago(0)] }), [1, 1]);
});

test("sitemap hints: the more urgent and the fresher of a sitemap's own pages come first, by a fifth at most", () => {
  const [high, unsaid, low] = factors({ outlink_priorities: [100, 0, 10] })!;
  assert.ok(high! > unsaid! && unsaid! > low! && high! <= 1.2 && low! >= 0.8);
  const [fresh, old, ancient, future] = factors({ outlink_lastmods: [ago(0), ago(30), ago(3_000), ago(-400)] })!;
  assert.ok(fresh! > old! && old! > ancient! && future! < fresh!);
  const both = factors({ outlink_priorities: [100, 1], outlink_lastmods: [ago(0), ago(9_999)] })!;
  assert.ok(both.every((one) => one >= 0.8 && one <= 1.2));
  assert.deepEqual(factors({ outlink_priorities: [100, 10] }, 0), [1, 1], "without trust nothing is moved");
  assert.equal(sitemapFactors({ outlink_priorities: [1] }, { count: 2, now: NOW, trust: 1 }), undefined);
});

test("sitemap trust: dates that pages bear out raise it, others lower it, what is in doubt doesn't count", () => {
  const trust = new SitemapTrust();
  const visit = (page: number, hasChanged: boolean, sinceDays: number) => {
    trust.dated(BigInt(page), NOW + sinceDays * DAY_S * 1000);
    trust.visited({ fingerprint: BigInt(page), host: "a.test", visits: 1, lastFetchAt: NOW }, hasChanged);
  };
  assert.equal(trust.of("a.test"), 1 / 2);
  visit(1, true, 1);
  visit(2, false, -1);
  assert.equal(trust.of("a.test"), 1 / 2, "within a day and a half of the visit");
  visit(3, true, 5);
  visit(4, false, -5);
  assert.equal(trust.of("a.test"), 3 / 4);
  for (let page = 5; page < 11; page++) visit(page, false, 5);
  assert.ok(trust.of("a.test") < 1 / 3);
  assert.equal(trust.of("b.test"), 1 / 2);
});
