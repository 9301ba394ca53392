/** A scan that would never end, or take all memory, ends within its budget, is told so, and costs the next page nothing. */

import assert from "node:assert/strict";
import { ENDLESS_BYTES, GREEDY_BYTES, hostileArtefact, pageOf } from "../tests/support/hostile_core.ts";
import { test } from "../tests/support/test.ts";
import { coreOf } from "./mod.ts";
import process from "node:process";

const encoder = new TextEncoder();
const OPTIONS = { url: "http://e.example/" };
const core = coreOf(await hostileArtefact());
const scan = (bytes: number) => core.scan(encoder.encode(pageOf(bytes, "/x")), OPTIONS);
const linksOf = (bytes: number) => scan(bytes).links.map(({ url }) => url);

test("budget: an endless page is stopped, told, and the next one is scanned", () => {
  assert.deepEqual(linksOf(200), ["http://e.example/x"]);
  const from = performance.now();
  const facts = scan(ENDLESS_BYTES);
  assert.match(facts.failed ?? "", /took more than \d+ steps/);
  assert.deepEqual([facts.truncated, facts.links.length], [true, 0]);
  assert.ok(performance.now() - from < 20_000);
  assert.deepEqual(linksOf(ENDLESS_BYTES + 1), ["http://e.example/x"]);
});

test("budget: a page that takes all memory gets 256 MB at most, and its instance goes with it", () => {
  const before = process.memoryUsage.rss();
  const facts = scan(GREEDY_BYTES);
  assert.doesNotMatch(facts.failed ?? "it was scanned with all steps", /steps/);
  // Where the runtime copies a memory that grows, the copies count until they are collected: 64, 128, 192 and 256 MB.
  assert.ok(process.memoryUsage.rss() - before < 1.2e9);
  assert.equal(scan(GREEDY_BYTES + 1).failed, undefined);
  assert.deepEqual(linksOf(GREEDY_BYTES + 1), ["http://e.example/x"]);
});
