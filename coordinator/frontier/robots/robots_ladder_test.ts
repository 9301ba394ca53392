import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { LIMITS } from "../../../protocol/mod.ts";
import type { OriginRow } from "../../ports.ts";
import { originAfter, originVerdict, type RobotsAnswer } from "./robots_ladder.ts";

/** Wall ms; 0 means "never" in a row. */
const T0 = 1_893_456_000_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RULES: RobotsAnswer = { class: "rules", digest: "d".repeat(64), retryAfterMs: 0, sitemaps: [] };
const ABSENT: RobotsAnswer = { class: "allow_all", digest: "", retryAfterMs: 0, sitemaps: [] };
const DOWN: RobotsAnswer = { class: "unreachable", digest: "", retryAfterMs: 0, sitemaps: [] };

function after(before: OriginRow | undefined, answer: RobotsAnswer, now: number, epoch = 1): OriginRow {
  const context = { slot: 1, origin: "https://a.example", host: "a.example", epoch, now, limits: LIMITS };
  return originAfter(before, answer, context);
}

/** Fails at every retryAt until `days` of failure are over. */
function failFor(row: OriginRow | undefined, days: number): OriginRow {
  let last = after(row, DOWN, row?.fetchedAt ?? T0);
  while (last.fetchedAt - last.failingSince < days * DAY) last = after(last, DOWN, last.retryAt);
  return last;
}

test("an answer holds for 24 h and is asked for again then", () => {
  const row = after(undefined, RULES, 1_000);
  assert.equal(originVerdict(undefined, 0).kind, "needed");
  assert.equal(originVerdict(row, 1_000 + DAY - 1).kind, "fresh");
  assert.equal(originVerdict(row, 1_000 + DAY).kind, "needed");
});

test("failures block, with waits that double from a minute to 12 hours", () => {
  let row = after(undefined, DOWN, T0);
  const waits: number[] = [];
  for (let i = 0; i < 13; i++) {
    waits.push(row.retryAt - row.fetchedAt);
    assert.deepEqual(originVerdict(row, row.retryAt - 1), { kind: "blocked", until: row.retryAt });
    assert.equal(originVerdict(row, row.retryAt).kind, "needed");
    row = after(row, DOWN, row.retryAt);
  }
  assert.deepEqual(waits.slice(0, 4), [60_000, 120_000, 240_000, 480_000]);
  assert.equal(waits.at(-1), 12 * HOUR);
});

test("a good copy doesn't count while the failure is younger than 30 days, and does afterwards", () => {
  const good = after(undefined, RULES, T0);
  const young = failFor(good, 29);
  assert.deepEqual([young.class, young.digest, young.lastGoodDigest], ["unreachable", "", RULES.digest]);
  const old = failFor(good, 30);
  assert.deepEqual([old.class, old.digest], ["rules", RULES.digest]);
  assert.equal(originVerdict(old, old.retryAt - 1).kind, "fresh");
  assert.equal(originVerdict(old, old.retryAt).kind, "needed", "the tries go on");
});

test("after 30 days without any good copy robots.txt counts as absent", () => {
  assert.equal(failFor(undefined, 30).class, "allow_all");
  const wasAbsent = after(after(undefined, RULES, T0), ABSENT, T0 + DAY);
  assert.equal(failFor(wasAbsent, 30).class, "allow_all");
});

test("one success ends the row of failures", () => {
  const row = after(failFor(undefined, 3), ABSENT, T0 + 4 * DAY);
  assert.deepEqual([row.failingSince, row.retryAt, row.retryMs, row.class], [0, 0, 0, "allow_all"]);
  assert.equal(after(row, DOWN, T0 + 6 * DAY).retryMs, 60_000);
});

test("the answer of an older lease never overwrites a newer one's", () => {
  const row = after(undefined, RULES, 0, 7);
  assert.equal(after(row, ABSENT, 1, 6), row);
  assert.equal(after(row, ABSENT, 1, 7).class, "allow_all");
});

test("Retry-After lengthens a wait, never shortens it", () => {
  assert.equal(after(undefined, { ...DOWN, retryAfterMs: HOUR }, T0).retryAt, T0 + HOUR);
  assert.equal(after(undefined, { ...DOWN, retryAfterMs: 1 }, T0).retryAt, T0 + 60_000);
});

test("an origin that wasn't asked to the end for a reason of ours is asked again after the same wait, and isn't failing", () => {
  const ours: RobotsAnswer = { ...DOWN, isOurs: true };
  let row: OriginRow | undefined;
  for (let now = T0; now < T0 + 10 * 60_000; now += 60_000) {
    row = after(row, ours, now);
    assert.deepEqual([row.class, row.retryAt - now, row.failingSince], ["unreachable", 60_000, 0]);
  }
  const failed = after(row, DOWN, T0 + HOUR);
  assert.deepEqual([failed.retryMs, failed.failingSince], [60_000, T0 + HOUR]);
});
