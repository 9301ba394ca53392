import assert from "node:assert/strict";
import type { Completion, FrontierVerbs, Lease } from "../protocol/mod.ts";
import { silentLog } from "../tests/support/frontier.ts";
import { test } from "../tests/support/test.ts";
import { VirtualClock } from "../tests/support/virtual_clock.ts";
import { Reporter } from "./reporter.ts";
import { Stopwatch } from "./stopwatch.ts";

const LEASE = { lease_id: "l", epoch: 1, slot: 0, host: "a.example", expires_in_ms: 60_000 } as Lease;
const PACE = { lastSeenAt: undefined, gapMs: 0 };

/** A reporter whose coordinator fails as long as `down` says so. */
function reporting(stop: AbortSignal, down: () => boolean, isFull: () => boolean = () => false) {
  const clock = new VirtualClock();
  const taken: Completion[] = [];
  const complete = (completion: Completion) => {
    if (down()) return Promise.reject(new Error("Committing failed: the disk is full."));
    taken.push(completion);
    return Promise.resolve({ status: "ok", accepted: 0, ...(isFull() ? { queue_full: true } : {}) });
  };
  const frontier = { complete } as unknown as FrontierVerbs;
  const parts = { frontier, clock, log: silentLog, workerId: "w", stop };
  return { clock, taken, reporter: new Reporter(parts, LEASE, Stopwatch.start(clock)) };
}

test("reporter: a coordinator that comes back gets the report, however often it failed before", async () => {
  let down = true;
  const { clock, taken, reporter } = reporting(new AbortController().signal, () => down);
  const ended = reporter.end(PACE);
  await clock.advance(60_000);
  assert.equal(reporter.stale, false);
  down = false;
  await clock.advance(10_000);
  await ended;
  assert.deepEqual([taken.length, taken[0]!.done], [1, true]);
});

test("reporter: while the worker is to end, a coordinator that never answers keeps it for seconds only", async () => {
  const stop = new AbortController();
  const { clock, taken, reporter } = reporting(stop.signal, () => true);
  const ended = reporter.end(PACE);
  stop.abort();
  await clock.advance(20_000);
  await ended;
  assert.deepEqual([taken.length, reporter.stale], [0, true]);
});

test("reporter: links that met a full queue aren't known, so that they are reported when they are found again", async () => {
  let full = true;
  const { reporter, clock } = reporting(new AbortController().signal, () => false, () => full);
  const known: string[] = [];
  const outcome = { status: "deferred", target_id: "t", reason: "x", requests: 0 } as const;
  reporter.add(outcome, () => known.push("first"));
  await clock.settle();
  full = false;
  reporter.add(outcome, () => known.push("second"));
  await reporter.end(PACE);
  assert.deepEqual(known, ["second"]);
});
