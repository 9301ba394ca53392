import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { FetchSlots, type SlotFinding } from "./fetch_slots.ts";

const FINDING: SlotFinding = {
  worker: "w",
  asked: 4,
  granted: 4,
  ready: 12,
  unloaded: 0,
  isRefused: false,
  hasQueued: true,
};

test("idle slots are counted by cause, and timed until their worker asks again", () => {
  const slots = new FetchSlots();
  slots.note({ ...FINDING, granted: 1, ready: 3, unloaded: 2 }, 1_000);
  slots.note({ ...FINDING, worker: "other", granted: 0, ready: 0 }, 1_000);
  slots.note(FINDING, 1_500);
  const { asked, idle, idleMs } = slots.figures(1_500);
  assert.equal(asked, 12);
  assert.deepEqual(idle, { no_allowed_host: 5, store: 2, refused: 0, nothing_queued: 0 });
  assert.deepEqual(idleMs, { no_allowed_host: 500, store: 1_000, refused: 0, nothing_queued: 0 });
});

test("what is empty or refused is told apart; a worker without room asks for nothing", () => {
  const slots = new FetchSlots();
  slots.note({ ...FINDING, granted: 0, ready: 0, hasQueued: false }, 0);
  slots.note({ ...FINDING, granted: 0, ready: 0, isRefused: true }, 10);
  slots.note({ ...FINDING, asked: 0, granted: 0, ready: 0 }, 20);
  assert.deepEqual(slots.figures(20).idle, { no_allowed_host: 0, store: 0, refused: 4, nothing_queued: 4 });
  assert.equal(slots.figures(20).asked, 8);
  assert.deepEqual(slots.figures(20).idleMs, { no_allowed_host: 0, store: 0, refused: 40, nothing_queued: 40 });
});

test("a worker that never comes back is forgotten after 15 s", () => {
  const slots = new FetchSlots();
  slots.note({ ...FINDING, granted: 0, ready: 0 }, 0);
  slots.note({ ...FINDING, worker: "other" }, 100_000);
  assert.equal(slots.figures(100_000).idleMs.no_allowed_host, 4 * 15_000);
});

test("the ratio is that of the last windows, and absent when nobody asked in them", () => {
  const slots = new FetchSlots();
  assert.equal(slots.figures(0).readyPerSlot, undefined);
  slots.note(FINDING, 0);
  slots.note({ ...FINDING, ready: 4 }, 12_000);
  assert.equal(slots.figures(12_000).readyPerSlot, 2);
  assert.equal(slots.figures(100_000).readyPerSlot, undefined);
});

test("a store that doesn't load heads for 30 s is a problem; a web that allows little is none", () => {
  const [store, web] = [new FetchSlots(), new FetchSlots()];
  for (let now = 0; now <= 31_000; now += 500) {
    store.note({ ...FINDING, granted: 2, ready: 2, unloaded: 10 }, now);
    web.note({ ...FINDING, granted: 0, ready: 0 }, now);
    if (now < 30_000) assert.equal(store.problem(now), "", String(now));
  }
  assert.match(store.problem(31_000), /^The store doesn't keep up: for 30 s .* 0.5 back queues .* 3 are wanted.$/);
  assert.equal(web.problem(31_000), "");
  for (let now = 31_500; now <= 52_000; now += 500) store.note(FINDING, now);
  assert.equal(store.problem(52_000), "", "it has caught up");
});
