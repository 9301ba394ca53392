import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { ConnectTimes } from "./connect_times.ts";
import { MOST_REGIONS, RegionBook } from "./region_book.ts";
import {
  connectMsOf,
  factsOf,
  noteConnectTime,
  noteLeased,
  provenConnectMs,
  REGIONS_PER_HOST,
} from "./region_facts.ts";

type Facts = Parameters<typeof noteLeased>[0];

test("the best of the last five connect times counts, and the worse of the last two is proven", () => {
  let facts: Facts = [];
  assert.equal(connectMsOf(facts, "eu"), Infinity);
  for (const ms of [12.34, 1_012, 3_012]) facts = noteConnectTime(facts, "eu", ms);
  assert.deepEqual([connectMsOf(facts, "eu"), provenConnectMs(facts, "eu")], [12.3, 3_012]);
  for (const ms of [80, 90, 85]) facts = noteConnectTime(facts, "eu", ms);
  assert.deepEqual(factsOf(facts, "eu")!.connectTimesMs, [1_012, 3_012, 80, 90, 85]);
  assert.deepEqual([connectMsOf(facts, "eu"), provenConnectMs(facts, "eu")], [80, 90]);
});

test("a host remembers a bounded number of regions: the one leased longest ago goes", () => {
  let facts: Facts = [];
  for (let i = 0; i < REGIONS_PER_HOST; i++) facts = noteLeased(facts, `r${i}`, 100 + i);
  facts = noteLeased(facts, "r0", 200);
  facts = noteLeased(facts, "new", 201);
  assert.equal(facts.length, REGIONS_PER_HOST);
  assert.deepEqual([factsOf(facts, "r1"), factsOf(facts, "r0")!.tries], [undefined, 2]);
});

test("notes replace a host's facts: rows that the store shares don't change", () => {
  const before = noteConnectTime([], "eu", 10);
  const copy = structuredClone(before);
  noteConnectTime(noteLeased(before, "eu", 5), "eu", 20);
  assert.deepEqual(before, copy);
});

test("a region is live while it asks; names are bounded and no name is no region", () => {
  const book = new RegionBook(1_000);
  assert.deepEqual(["eu", "", "a b", "x".repeat(65)].map((name) => book.admit(name, 0)), ["eu", "", "", ""]);
  assert.deepEqual([book.live(999), book.isSilent("eu", 1_000), book.live(1_000)], [["eu"], true, []]);
  book.asked("eu", 1_500);
  assert.deepEqual([book.live(2_499), book.isSilent("unheard", 0)], [["eu"], true]);
  for (let i = 1; i < MOST_REGIONS; i++) assert.equal(book.admit(`r${i}`, 0), `r${i}`);
  assert.deepEqual([book.admit("one-more", 0), book.admit("eu", 0)], ["", "eu"]);
});

test("medians are right to a fifth, over shards and at the ends", () => {
  const [a, b] = [new ConnectTimes(), new ConnectTimes()];
  for (let ms = 1; ms <= 100; ms++) (ms % 2 === 0 ? a : b).add("eu", ms);
  for (const ms of [0, 0, 0, 9]) a.add("loop", ms);
  b.add("slow", 1e9);
  const medians = ConnectTimes.medians([a, b]);
  assert.ok(Math.abs(medians.get("eu")! - 50) <= 10, String(medians.get("eu")));
  assert.ok(medians.get("loop")! <= 0.1);
  assert.ok(medians.get("slow")! > 10_000);
  assert.equal(medians.get("none"), undefined);
});
