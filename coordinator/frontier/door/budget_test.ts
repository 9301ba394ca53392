import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { beginCycle, cycleAt, cycleEndsAt, DomainUse, usedInCycle } from "./budget.ts";
import { newTally, TallyBook } from "./tally.ts";

const KEY = { slot: 1, crawlId: "c", host: "a.example" };

test("cycles are counted from the crawl's creation; a clock before it is in the first", () => {
  assert.deepEqual([0, 999, 1000, 2500, -5000].map((ms) => cycleAt(50, 50 + ms, 1000)), [0, 0, 1, 2, 0]);
  assert.equal(cycleEndsAt(50, 2, 1000), 3050);
});

test("what was accepted before a cycle doesn't count in it, and a cycle begins once", () => {
  assert.equal(usedInCycle(undefined, 7, 0), 7);
  const tally = newTally(KEY);
  Object.assign(tally, { pages: 300, duplicates: 299, isCut: true });
  assert.equal(usedInCycle(tally, 7, 0), 7);
  assert.equal(usedInCycle(tally, 7, 1), 0, "before it has begun for the host");
  assert.equal(beginCycle(tally, 7, 1), true);
  assert.equal(beginCycle(tally, 9, 1), false);
  assert.deepEqual([usedInCycle(tally, 9, 1), tally.isCut, tally.pages], [2, false, 0]);
  assert.equal(beginCycle(tally, 9, 0), false, "the clock went back");
  assert.equal(usedInCycle(tally, 9, 0), 2);
});

test("a domain's use is the sum over its hosts, per crawl and cycle", () => {
  const use = new DomainUse();
  use.add("c", "a.example", 0, 3);
  use.add("c", "a.example", 0);
  use.add("d", "a.example", 0);
  assert.deepEqual([use.count("c", "a.example", 0), use.count("d", "a.example", 0), use.count("c", "b", 0)], [4, 1, 0]);
  assert.equal(use.count("c", "a.example", 1), 0);
  use.add("c", "a.example", 1);
  assert.equal(use.count("c", "a.example", 1), 1);
});

test("hosts without a queue are counted one by one up to a bound, the others together", () => {
  const book = new TallyBook();
  for (let i = 0; i < 10_050; i++) book.reject({ slot: 2, crawlId: "c", host: `h${i}.example` }, "scope", false);
  assert.equal(book.find("c", "")?.rejectedByReason["scope"], 50);
  assert.equal(book.find("c", "h9999.example")?.rejectedByReason["scope"], 1);
  book.reject({ slot: 2, crawlId: "c", host: "queued.example" }, "host_budget", true);
  assert.equal(book.find("c", "queued.example")?.rejectedByReason["host_budget"], 1);
  let written = 0;
  for (let some = book.takeLate(3_000); some.length > 0; some = book.takeLate(3_000)) written += some.length;
  assert.equal(written, 10_002);
  assert.deepEqual(book.takeLate(10), []);
});
