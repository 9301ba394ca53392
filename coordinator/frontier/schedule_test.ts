import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../tests/support/test.ts";
import { bandOf, BandPicker } from "./bands.ts";
import { DomainLimit } from "./domain_limit.ts";
import { TimeHeap } from "./heap.ts";
import { HostSchedule } from "./schedule.ts";

function host(name: string) {
  return { name, ticket: 0, placedAt: NaN, placedBand: 0 };
}

test("the heap gives entries in order of time", () => {
  fc.assert(fc.property(fc.array(fc.integer()), (times) => {
    const heap = new TimeHeap<number>();
    for (const at of times) heap.push(at, at);
    const out = Array.from(times, () => heap.pop()!.item);
    assert.deepEqual(out, [...times].sort((a, b) => a - b));
    assert.equal(heap.pop(), undefined);
  }));
});

test("priorities fall into bands, 1 alone into the first; nonsense is in the middle", () => {
  const table: [number, number][] = [[1, 0], [7, 0], [0.999, 1], [0.5, 4], [0, 7], [-1, 7], [NaN, 4]];
  for (const [priority, band] of table) assert.equal(bandOf(priority, 8), band, String(priority));
});

test("every band is served: the urgent one most, the last one still once in 2^bands", () => {
  const picker = new BandPicker(4);
  const picks = [0, 0, 0, 0];
  for (let i = 0; i < 150; i++) picks[picker.pick(() => true)]!++;
  assert.deepEqual(picks, [80, 40, 20, 10]);
});

test("a band that was empty gets no credit for that time", () => {
  const picker = new BandPicker(2);
  for (let i = 0; i < 1000; i++) picker.pick((band) => band === 1);
  picker.joins(0);
  const next = Array.from({ length: 9 }, () => picker.pick(() => true));
  assert.ok(next.filter((band) => band === 1).length >= 2);
});

test("a host sleeps until its time, is picked once, and only where it was placed last", () => {
  const schedule = new HostSchedule<ReturnType<typeof host>>(4);
  const [a, b, c] = ["a", "b", "c"].map(host);
  schedule.place(a!, 100, 2);
  schedule.place(a!, 50, 2);
  schedule.place(b!, 60, 2);
  schedule.place(c!, 10, 1);
  schedule.remove(c!);
  assert.equal(schedule.nextWakeAt(), 50);
  schedule.wake(49);
  assert.equal(schedule.pick(), undefined);
  schedule.wake(200);
  assert.deepEqual(schedule.peek(5).map(({ name }) => name), ["a", "b"]);
  assert.deepEqual([schedule.pick()?.name, schedule.pick()?.name, schedule.pick()], ["a", "b", undefined]);
  assert.equal(schedule.nextWakeAt(), Infinity);
});

test("placing a host again where it stands keeps its turn", () => {
  const schedule = new HostSchedule<ReturnType<typeof host>>(4);
  const [a, b] = ["a", "b"].map(host);
  schedule.place(a!, 1, 2);
  schedule.place(b!, 1, 2);
  schedule.wake(1);
  schedule.place(a!, 1, 2);
  assert.equal(schedule.pick()?.name, "a");
});

test("a domain's parked hosts come out as it has room, and none is forgotten", () => {
  const limit = new DomainLimit<string>(2);
  limit.lease("d");
  limit.lease("d");
  assert.equal(limit.isFull("d"), true);
  for (const name of ["x", "y", "z"]) limit.park("d", name);
  assert.deepEqual(limit.takeFreed(), []);
  limit.release("d");
  assert.deepEqual(limit.takeFreed(), ["x"]);
  // x turns out to have nothing to lease: the room is offered to the next.
  assert.deepEqual(limit.takeFreed(), ["y"]);
  limit.release("d");
  assert.deepEqual(limit.takeFreed(), ["z"]);
  assert.deepEqual(limit.takeFreed(), []);
  assert.equal(limit.isFull("d"), false);
});
