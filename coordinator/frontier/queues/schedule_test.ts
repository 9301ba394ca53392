import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../../tests/support/test.ts";
import { bandOf, BandPicker } from "../order/bands.ts";
import { TimeHeap } from "./heap.ts";
import { HostSchedule, type Scheduled } from "./schedule.ts";

interface Host extends Scheduled {
  readonly name: string;
}

function host(name: string): Host {
  return { name, ticket: 0, placedAt: NaN, placedBand: 0, placedRegion: "", placedFirmly: false, readySince: NaN };
}

const PATIENCE_MS = 100;

/** "silent" never asks; every other region does. */
function newSchedule(): HostSchedule<Host> {
  return new HostSchedule<Host>({ bands: 4, patienceMs: PATIENCE_MS, isSilent: (region) => region === "silent" });
}

const stand = (at: number, band: number, region = "", isFirm = false) => ({ at, band, region, isFirm });

/** The names of all that the region may take at `now`, in order. */
function taken(schedule: HostSchedule<Host>, region: string, now: number): string[] {
  const view = schedule.view(region, now);
  const names: string[] = [];
  for (let next = view.pick(); next !== undefined; next = view.pick()) names.push(next.name);
  return names;
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
  const next = Array.from({ length: 9 }, () => picker.pick(() => true));
  assert.ok(next.filter((band) => band === 1).length >= 2);
});

test("a host sleeps until its time, is picked once, and only where it was placed last", () => {
  const schedule = newSchedule();
  const [a, b, c] = [host("a"), host("b"), host("c")];
  schedule.place(a, stand(100, 2), 0);
  schedule.place(a, stand(50, 2), 0);
  schedule.place(b, stand(60, 2), 0);
  schedule.place(c, stand(10, 1), 0);
  schedule.remove(c);
  assert.equal(schedule.nextWakeAt("eu", 0), 50);
  assert.deepEqual(taken(schedule, "eu", 49), []);
  assert.equal(schedule.view("eu", 200).hasReady, true);
  assert.deepEqual(schedule.view("eu", 200).peek(5).map(({ name }) => name), ["a", "b"]);
  assert.deepEqual(taken(schedule, "eu", 200), ["a", "b"]);
  assert.equal(schedule.view("eu", 200).hasReady, false);
  assert.equal(schedule.nextWakeAt("eu", 200), Infinity);
});

test("placing a host again where it stands keeps its turn", () => {
  const schedule = newSchedule();
  const [a, b] = [host("a"), host("b")];
  schedule.place(a, stand(1, 2), 0);
  schedule.place(b, stand(1, 2), 0);
  schedule.view("eu", 1);
  schedule.place(a, stand(1, 2), 1);
  assert.deepEqual(taken(schedule, "eu", 1), ["a", "b"]);
});

test("a host waits for its region, but no longer than the patience", () => {
  const schedule = newSchedule();
  const [home, slow] = [host("home"), host("slow")];
  schedule.place(home, stand(1_000, 2, "eu"), 0);
  schedule.place(slow, stand(1_000, 2, "eu"), 0);
  assert.equal(schedule.nextWakeAt("us", 0), 1_000 + PATIENCE_MS);
  assert.deepEqual(taken(schedule, "us", 1_000 + PATIENCE_MS - 1), []);
  assert.equal(schedule.view("eu", 1_000 + PATIENCE_MS - 1).pick()?.name, "home");
  assert.equal(schedule.nextWakeAt("us", 1_000 + PATIENCE_MS - 1), 1_000 + PATIENCE_MS);
  assert.deepEqual(taken(schedule, "us", 1_000 + PATIENCE_MS), ["slow"]);
  assert.deepEqual(taken(schedule, "eu", 5_000), []);
});

test("a host that was looked at in vain keeps its patience; one that was away begins anew", () => {
  const schedule = newSchedule();
  const one = host("one");
  schedule.place(one, stand(0, 2, "eu"), 0);
  assert.equal(schedule.view("eu", 90).pick(), one);
  schedule.place(one, stand(0, 2, "eu"), 90);
  assert.deepEqual(taken(schedule, "us", 100), ["one"]);
  schedule.remove(one);
  schedule.place(one, stand(0, 2, "eu"), 150);
  assert.deepEqual([taken(schedule, "us", 249), taken(schedule, "us", 250)], [[], ["one"]]);
});

test("hosts of a silent region are anybody's at once; a pinned host is its region's alone", () => {
  const schedule = newSchedule();
  schedule.place(host("orphan"), stand(0, 2, "silent"), 0);
  schedule.place(host("pinned"), stand(0, 2, "silent", true), 0);
  schedule.place(host("firm"), stand(0, 2, "eu", true), 0);
  assert.deepEqual(taken(schedule, "us", 0), ["orphan"]);
  assert.deepEqual(taken(schedule, "us", 1e9), []);
  assert.deepEqual(taken(schedule, "eu", 1e9), ["firm"]);
  assert.deepEqual(taken(schedule, "silent", 1e9), ["pinned"]);
});

test("within a band the host that is ready longest comes first, whichever region it stands at", () => {
  const schedule = newSchedule();
  for (let i = 0; i < 9; i++) schedule.place(host(`h${i}`), stand(10 + i, 2, ["", "eu", "silent"][i % 3]), 0);
  assert.deepEqual(taken(schedule, "eu", 50), Array.from({ length: 9 }, (_, i) => `h${i}`));
});
