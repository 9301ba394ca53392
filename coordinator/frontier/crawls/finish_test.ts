import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import type { Crawl } from "./crawl.ts";
import { FinishDetector } from "./finish.ts";
import type { Census } from "../leases/sweep.ts";

const QUIET: Census = { accepted: 3, settled: 3, sent: 1, received: 1, leases: 0, outboxRows: 0 };

function crawl(change: { seeding?: boolean; isBudgetSpent?: boolean } = {}): Crawl {
  const { seeding = false, isBudgetSpent = false } = change;
  return { id: "c", isBudgetSpent, row: { seeding, spec: { max_pages: 2 } } } as Crawl;
}

/** The answers to two sweeps. */
function twice(change: Partial<Census>, of = crawl()): (string | undefined)[] {
  const detector = new FinishDetector();
  const census = { ...QUIET, ...change };
  return [detector.sweep(of, [census]), detector.sweep(of, [census])];
}

test("finished only in the second of two quiet sweeps", () => {
  assert.deepEqual(twice({}), [undefined, "every accepted URL is settled"]);
  assert.deepEqual(twice({ accepted: 0, settled: 0 }), [undefined, "no seed was accepted"]);
});

test("anything queued, leased, on its way or still seeding: not finished", () => {
  for (const change of [{ settled: 2 }, { leases: 1 }, { received: 0 }, { outboxRows: 1 }]) {
    assert.deepEqual(twice(change), [undefined, undefined]);
  }
  assert.deepEqual(twice({}, crawl({ seeding: true })), [undefined, undefined]);
});

test("what moved between two quiet sweeps starts the count again; links between shards are summed", () => {
  const detector = new FinishDetector();
  const more = { ...QUIET, accepted: 4, settled: 4 };
  assert.equal(detector.sweep(crawl(), [QUIET]), undefined);
  assert.equal(detector.sweep(crawl(), [more]), undefined);
  assert.equal(detector.sweep(crawl(), [{ ...more, settled: 3 }]), undefined);
  assert.equal(detector.sweep(crawl(), [more]), undefined);
  assert.notEqual(detector.sweep(crawl(), [more]), undefined);
  const halves = [{ ...QUIET, sent: 5, received: 0 }, { ...QUIET, sent: 0, received: 5 }];
  detector.sweep(crawl(), halves);
  assert.notEqual(detector.sweep(crawl(), halves), undefined);
});

test("a spent page limit ends the crawl though URLs are queued, but not while leases are out", () => {
  const spent = crawl({ isBudgetSpent: true });
  assert.deepEqual(twice({ settled: 1 }, spent), [undefined, "reached its limit of 2 pages"]);
  assert.deepEqual(twice({ settled: 1, leases: 1 }, spent), [undefined, undefined]);
});
