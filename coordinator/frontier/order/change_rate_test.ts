import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../../tests/support/test.ts";
import { afterVisit, changesPerDay, type ChangeStatistics } from "./change_rate.ts";

const DAY_MS = 86_400_000;
const NONE: ChangeStatistics = { visits: 0, changes: 0, watchedMs: 0, lastContentHash: "", lastFetchAt: 0 };

function visited(versions: readonly string[], everyMs: number): ChangeStatistics {
  let statistics = NONE;
  versions.forEach((version, i) => {
    const now = 1_790_000_000_000 + i * everyMs;
    statistics = {
      ...afterVisit(statistics, version.padStart(64, "0").split("").reverse().join(""), now),
      lastFetchAt: now,
    };
  });
  return statistics;
}

test("visits and changes are counted, a return to an older version too", () => {
  const { visits, changes, watchedMs } = visited(["a", "a", "b", "a", "a"], DAY_MS);
  assert.deepEqual([visits, changes, watchedMs], [5, 2, 4 * DAY_MS]);
});

test("the rate lies near what was seen, above it where visits can have missed changes", () => {
  const daily = changesPerDay(visited(["a", "b", "b", "c", "c", "d", "d", "e", "e"], DAY_MS));
  assert.ok(daily > 0.5 && daily < 0.8, String(daily));
  const always = changesPerDay(visited(["a", "b", "c", "d", "e"], DAY_MS));
  assert.ok(always > 1.5 && always < 3, String(always));
  const never = changesPerDay(visited(["a", "a", "a", "a", "a"], DAY_MS));
  assert.ok(never > 0 && never < 0.001, String(never));
});

test("one visit says nothing: a change a week is assumed", () => {
  assert.equal(changesPerDay(NONE), 1 / 7);
  assert.equal(changesPerDay(visited(["a"], DAY_MS)), 1 / 7);
});

test("the estimate is finite and above 0 whatever was seen, and grows with the changes", () => {
  fc.assert(fc.property(fc.integer({ min: 2, max: 500 }), fc.nat(500), fc.integer({ min: 1, max: 1e9 }), (n, x, ms) => {
    const changes = Math.min(x, n - 1);
    const rate = changesPerDay({ ...NONE, visits: n, changes, watchedMs: ms });
    assert.ok(rate > 0 && Number.isFinite(rate));
    if (changes > 0) assert.ok(changesPerDay({ ...NONE, visits: n, changes: changes - 1, watchedMs: ms }) <= rate);
  }));
});

test("a clock that went back takes nothing from the time that was watched", () => {
  const first = { ...afterVisit(NONE, "ab".repeat(32), 1000), lastFetchAt: 1000 };
  assert.equal(afterVisit(first, "ab".repeat(32), 500).watchedMs, 0);
});
