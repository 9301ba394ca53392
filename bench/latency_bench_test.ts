import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { middleOf, mostInFlight } from "./latency_bench.ts";
import type { RequestEntry } from "./web/mod.ts";

/** Requests from and to these ms, each a page that was found. */
const log = (times: readonly (readonly [number, number])[]) =>
  times.map(([startMs, endMs]) => ({ startMs, endMs, status: 200, kind: "plain" })) as unknown as RequestEntry[];

test("latency bench: the most in flight; one that ends when another starts isn't with it", () => {
  assert.equal(mostInFlight([]), 0);
  assert.equal(mostInFlight(log([[0, 10], [10, 20], [12, 30], [13, 14]])), 3);
});

test("latency bench: the middle half alone counts", () => {
  // From 0 to 100: the middle is 25 to 75, where one request is there throughout and another for half of it.
  const { inFlight, pagesPerSecond } = middleOf(log([[0, 20], [20, 80], [50, 74], [95, 100]]));
  assert.equal(inFlight, (50 + 24) / 50);
  assert.equal(pagesPerSecond, 1000 / 50);
});
