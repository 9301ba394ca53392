import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../../tests/support/test.ts";
import { bandFor, importanceOf, type PriorityFacts, priorityOf, queryParametersOf } from "./priority.ts";

const DAY_MS = 86_400_000;

test("the worked examples of docs/PRIORITY.md", () => {
  const table: [PriorityFacts, number, number][] = [
    [{ operator: 1, depth: 0 }, 1, 0],
    [{ operator: 0.5, depth: 0 }, 0.5, 4],
    [{ operator: 0.5, depth: 1 }, 0.425, 5],
    [{ operator: 0.5, depth: 4 }, 0.261, 6],
    [{ operator: 0.5, depth: 4, inLinks: 4 }, 0.3201, 5],
    [{ operator: 0.5, depth: 4, inLinks: 16 }, 0.3792, 5],
    [{ operator: 0.5, depth: 4, inLinks: 1024 }, 0.5566, 4],
    [{ operator: 0.5, depth: 1, inLinks: 16 }, 0.517, 4],
    [{ operator: 0.05, depth: 1, inLinks: 1024 }, 0.0808, 7],
    [{ operator: 0.5, depth: 4, queryParameters: 8 }, 0.1158, 7],
    [{ operator: 0.5, depth: 1, fetched: { changesPerDay: 1, sinceFetchMs: DAY_MS } }, 0.2687, 6],
    [{ operator: 0.5, depth: 1, fetched: { changesPerDay: 1 / 30, sinceFetchMs: DAY_MS } }, 0.0139, 7],
    [{ operator: 0.5, depth: 1, fetched: { changesPerDay: 1, sinceFetchMs: 0 } }, 0, 7],
  ];
  for (const [facts, wanted, band] of table) {
    const priority = priorityOf(facts);
    assert.ok(Math.abs(priority - wanted) < 0.0005, `${JSON.stringify(facts)}: ${priority}, wanted ${wanted}`);
    assert.equal(bandFor("priority", { priority, depth: facts.depth }, 8), band, JSON.stringify(facts));
  }
});

const facts = fc.record({
  operator: fc.double({ min: 0, max: 1, noNaN: true }),
  depth: fc.nat(50),
  inLinks: fc.integer({ min: 1, max: 1_000_000 }),
  queryParameters: fc.nat(40),
  fetched: fc.option(
    fc.record({
      changesPerDay: fc.double({ min: 0, max: 1000, noNaN: true }),
      sinceFetchMs: fc.double({ min: 0, max: 1e12, noNaN: true }),
    }),
    { nil: undefined },
  ),
});

test("a priority lies between 0 and 1, and each fact moves it one way only", () => {
  fc.assert(fc.property(facts, fc.nat(1000), ({ fetched, ...given }, more) => {
    const all: PriorityFacts = fetched === undefined ? given : { ...given, fetched };
    const priority = priorityOf(all);
    assert.ok(priority >= 0 && priority <= 1);
    assert.ok(priorityOf({ ...all, operator: Math.min(1, all.operator + more / 1000) }) >= priority);
    assert.ok(priorityOf({ ...all, inLinks: all.inLinks! + more }) >= priority);
    assert.ok(priorityOf({ ...all, depth: all.depth + more }) <= priority);
    assert.ok(priorityOf({ ...all, queryParameters: all.queryParameters! + more }) <= priority);
    assert.ok(priorityOf(given) >= priority, "what was never fetched is wanted most");
    if (fetched === undefined) return;
    const older = { ...fetched, sinceFetchMs: fetched.sinceFetchMs + more * 1000 };
    const livelier = { ...fetched, changesPerDay: fetched.changesPerDay + more };
    assert.ok(priorityOf({ ...all, fetched: older }) >= priority);
    assert.ok(priorityOf({ ...all, fetched: livelier }) >= priority);
  }));
});

test("what an edge or an operator may get wrong makes no priority that isn't one", () => {
  for (const operator of [NaN, -1, 7, Infinity]) {
    const priority = priorityOf({ operator, depth: -3, inLinks: 0, queryParameters: -1 });
    assert.ok(priority >= 0 && priority <= 1, String(operator));
  }
  assert.equal(importanceOf(1), 0);
  assert.equal(importanceOf(1024), 1);
  assert.equal(importanceOf(Infinity), 1);
});

test("breadth first, the band tells the depth, and the last band takes the rest", () => {
  const bands = [0, 1, 2, 5, 6, 7, 400].map((depth) => bandFor("breadth_first", { priority: 1, depth }, 8));
  assert.deepEqual(bands, [1, 2, 3, 6, 7, 7, 7]);
});

test("query parameters are counted, empty ones left out", () => {
  const table: [string, number][] = [
    ["http://a.example/", 0],
    ["http://a.example/?", 0],
    ["http://a.example/?a", 1],
    ["http://a.example/?a=1&b=2&c", 3],
    ["http://a.example/?&&a&", 1],
    ["http://a.example/?a=?&b=/?x", 2],
  ];
  for (const [href, count] of table) assert.equal(queryParametersOf(href), count, href);
});
