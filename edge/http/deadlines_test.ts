import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { Deadlines } from "./deadlines.ts";
import { FetchTask } from "./fetch_task.ts";

/** A clock whose sleeps end when the test says so, after as many ms as the test says. */
function handClock() {
  let now = 0;
  let wake: (() => void) | undefined;
  const clock = {
    wallMs: () => now,
    monotonicMs: () => now,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
  return {
    clock,
    get sleeping() {
      return wake !== undefined;
    },
    /** The sleep ends `ms` later; resolves when what it woke has run. */
    async pass(ms: number) {
      now += ms;
      const waking = wake;
      wake = undefined;
      waking?.();
      for (let i = 0; i < 5; i++) await Promise.resolve();
    },
  };
}

const LIMITS = { connectMs: 1000, idleMs: 500, wallMs: 3000, headerBytes: 1, wireBytes: 1, decodedBytes: 1 };

test("ticks run only while something is watched, and close ends a pending one", async () => {
  const hand = handClock();
  const deadlines = new Deadlines(hand.clock);
  assert.equal(hand.sleeping, false);
  const watch = { dueAt: 0, onSooner: undefined, checks: 0, check: () => void watch.checks++ };
  deadlines.add(watch);
  await hand.pass(50);
  await hand.pass(50);
  assert.equal(watch.checks, 2);
  deadlines.delete(watch);
  await hand.pass(50);
  assert.equal(hand.sleeping, false);
  deadlines.add(watch);
  assert.equal(hand.sleeping, true);
  await deadlines.close();
  assert.equal(watch.checks, 2);
});

test("a stalled process doesn't count as silence of the host, but the wall clock goes on", async () => {
  const hand = handClock();
  const deadlines = new Deadlines(hand.clock);
  const task = new FetchTask({ limits: { ...LIMITS, idleMs: 1000 } }, 0);
  task.touch(deadlines.idleMs);
  deadlines.add(task);
  await hand.pass(2000);
  assert.equal(task.ended, undefined);
  for (let i = 0; i < 10; i++) await hand.pass(50);
  assert.equal(task.ended, "read_timeout");
  const other = new FetchTask({ limits: LIMITS }, 2500);
  deadlines.add(other);
  await hand.pass(3000);
  assert.equal(other.ended, "wall_timeout");
  await deadlines.close();
});

test("the first limit that passes ends a task, once", async () => {
  const task = new FetchTask({ limits: LIMITS }, 0);
  const endings: string[] = [];
  task.onEnd = (why) => endings.push(why);
  task.connectBy = 1000;
  task.touch(0);
  task.check(499, 499);
  assert.deepEqual(endings, []);
  task.check(500, 500);
  task.check(5000, 5000);
  task.end("aborted");
  assert.deepEqual([endings, task.ended], [["read_timeout"], "read_timeout"]);
  assert.equal(await task.race(Promise.resolve("value")), "read_timeout");
});

test("a race gives the work's value, its error, or the ending, and leaves no listener", async () => {
  const task = new FetchTask({ limits: LIMITS }, 0);
  assert.equal(await task.race(Promise.resolve("value")), "value");
  await assert.rejects(task.race(Promise.reject(new Error("broken"))), /broken/);
  const pending = task.race(new Promise(() => {}));
  task.end("aborted");
  assert.equal(await pending, "aborted");
  assert.equal(task.onEnd, undefined);
});

test("a task that waits isn't checked before one of its limits can be passed, and never too late", async () => {
  const hand = handClock();
  const deadlines = new Deadlines(hand.clock);
  const task = new FetchTask({ limits: LIMITS }, 0);
  deadlines.add(task);
  await hand.pass(50);
  assert.equal(task.dueAt, 3000, "the wall clock");
  task.connectBy = 400;
  assert.equal(task.dueAt, 400);
  task.connectBy = Infinity;
  task.touch(deadlines.idleMs);
  assert.equal(task.dueAt, -Infinity, "where the idle clock is on the other is told at the next tick");
  await hand.pass(50);
  assert.equal(task.dueAt, 550);
  task.touch(deadlines.idleMs);
  await hand.pass(450);
  assert.deepEqual([task.ended, task.dueAt], [undefined, 600], "what came meanwhile counts");
  await hand.pass(50);
  assert.equal(task.ended, "read_timeout");
  deadlines.delete(task);
  await deadlines.close();
});

test("what is far lies aside, comes back in time, and at once when its limit becomes sooner", async () => {
  const hand = handClock();
  const deadlines = new Deadlines(hand.clock);
  const limits = { ...LIMITS, wallMs: 10_000, idleMs: 5_000 };
  const [waits, hurries, ends] = [0, 1, 2].map(() => new FetchTask({ limits }, 0)) as [FetchTask, FetchTask, FetchTask];
  for (const task of [waits, hurries, ends]) deadlines.add(task);
  for (let ms = 0; ms < 4_000; ms += 50) await hand.pass(50);
  hurries.connectBy = 4_100;
  deadlines.delete(ends);
  await hand.pass(50);
  assert.equal(hurries.ended, undefined);
  await hand.pass(50);
  assert.equal(hurries.ended, "connect_timeout");
  for (let ms = 4_100; ms < 9_950; ms += 50) await hand.pass(50);
  assert.equal(waits.ended, undefined);
  await hand.pass(50);
  assert.deepEqual([waits.ended, ends.ended], ["wall_timeout", undefined]);
  await deadlines.close();
});
