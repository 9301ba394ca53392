import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../../tests/support/test.ts";
import { StartGroups } from "./start_groups.ts";
import { type GroupLimit, startsInWindow, StartWindow, windowMs } from "./start_window.ts";

const LIMIT: GroupLimit = { inFlight: 4, gapMs: 250 };

test("starts a gap apart: how many fit into a half-open window", () => {
  const counted = [1000, 999, 500, 334, 333, 250, 1].map((gapMs) => startsInWindow(LIMIT, gapMs));
  assert.deepEqual(counted, [1, 2, 2, 3, 4, 4, 1000]);
  assert.equal(startsInWindow(LIMIT, 0), Infinity);
  assert.equal(startsInWindow({ inFlight: 4, gapMs: 0 }, 5), 0);
});

test("a lone holder gets the whole window, and its gap grows to what fits", () => {
  const window = new StartWindow();
  const offered = window.offer(LIMIT, { gapMs: 20, parallel: 8, rivals: 0 }, 0);
  assert.deepEqual(offered, { starts: 4, parallel: 4, gapMs: 250 });
  const shared = window.offer(LIMIT, { gapMs: 20, parallel: 8, rivals: 3 }, 0);
  assert.deepEqual(shared, { starts: 1, parallel: 1, gapMs: 1000 });
});

test("what was started last counts for a window after its holder has gone", () => {
  const opened: string[] = [];
  const groups = new StartGroups({ limitOf: () => LIMIT, onOpen: (group) => opened.push(group), onEmpty: () => {} });
  const forever = { startsUntil: Infinity, parallelUntil: Infinity };
  for (const holder of ["a", "b", "c", "d"]) groups.hold("g", holder, { starts: 1, parallel: 1, ...forever });
  const wish = { gapMs: 1000, parallel: 1, rivals: 0 };
  assert.equal(groups.offer("g", wish, 5_000), undefined);
  groups.release("g", "a", { startAt: 4_500, parallelUntil: -Infinity });
  groups.tick(5_000);
  assert.equal(groups.offer("g", wish, 5_499), undefined);
  groups.tick(5_500);
  assert.deepEqual(groups.offer("g", wish, 5_500), { starts: 1, parallel: 1, gapMs: 1000 });
  groups.release("g", "b", { startAt: -Infinity, parallelUntil: 9_000 });
  groups.release("g", "c", { startAt: -Infinity, parallelUntil: -Infinity });
  assert.equal(groups.room("g", 5_500), 2, "one request may still be under way");
  assert.ok(opened.length > 0);
});

interface Holder {
  readonly gapMs: number;
  readonly parallel: number;
  nextAt: number;
  lastAt: number;
  left: number;
}

/** Holders come, start as soon and as often as they may, and go; what starts is written down. */
function run(
  limit: GroupLimit,
  arrivals: readonly (readonly [wait: number, gapMs: number, count: number])[],
): number[] {
  const groups = new StartGroups({ limitOf: () => limit, onOpen: () => {}, onEmpty: () => {} });
  const holders = new Map<string, Holder>();
  const starts: number[] = [];
  let now = 0;
  const until = (end: number) => {
    for (; now < end; now++) {
      for (const [name, holder] of holders) {
        if (holder.left > 0 && holder.nextAt <= now) {
          starts.push(now);
          Object.assign(holder, { lastAt: now, nextAt: now + holder.gapMs, left: holder.left - 1 });
        }
        if (holder.left > 0) continue;
        groups.release("g", name, { startAt: holder.lastAt, parallelUntil: -Infinity });
        holders.delete(name);
      }
      groups.tick(now);
    }
  };
  arrivals.forEach(([wait, gapMs, count], i) => {
    until(now + wait);
    const part = groups.offer("g", { gapMs, parallel: 1, rivals: 0 }, now);
    if (part === undefined) return;
    groups.hold("g", `${i}`, { ...part, startsUntil: Infinity, parallelUntil: Infinity });
    holders.set(`${i}`, { ...part, nextAt: now, lastAt: -Infinity, left: count });
  });
  until(now + 20_000);
  return starts;
}

test("whoever comes and goes, no window holds more starts than the limit", () => {
  const arrival = fc.tuple(fc.nat(700), fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 6 }));
  const limits = fc.record({ inFlight: fc.integer({ min: 1, max: 8 }), gapMs: fc.integer({ min: 1, max: 400 }) });
  fc.assert(
    fc.property(limits, fc.array(arrival, { maxLength: 25 }), (limit, arrivals) => {
      const starts = run(limit, arrivals);
      const window = windowMs(limit);
      starts.forEach((start, i) => {
        const inside = starts.filter((other, at) => at >= i && other < start + window).length;
        assert.ok(inside <= limit.inFlight, `${inside} starts within ${window} ms from ${start}`);
      });
    }),
    { numRuns: 60 },
  );
});
