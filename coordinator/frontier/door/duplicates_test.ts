import assert from "node:assert/strict";
import { LIMITS } from "../../../protocol/mod.ts";
import { test } from "../../../tests/support/test.ts";
import { captureOf } from "../../../tests/support/outcomes.ts";
import { ContentMemory, hostSalt, judgeHost } from "./duplicates.ts";
import { newTally } from "./tally.ts";

const CRAWL = { low: 0x9e3779b9, high: 0x7f4a7c15 };
const A = hostSalt(CRAWL, "a.example");
const KEY = { slot: 1, crawlId: "c", host: "a.example" };

test("the same bytes or the same text are a duplicate, of another URL of the host only", () => {
  const memory = new ContentMemory(1 << 10);
  const page = captureOf("The same page as ever. ".repeat(10));
  const alike = { ...captureOf("Its session id differs. ".repeat(10)), simhash: "00ff00ff00ff00ff" };
  assert.equal(memory.isDuplicate(page, 1n, A), false);
  assert.equal(memory.isDuplicate(page, 1n, A), false, "fetched again, it is no duplicate of itself");
  assert.equal(memory.isDuplicate(page, 2n, A), true);
  assert.equal(memory.isDuplicate(page, 3n, hostSalt(CRAWL, "b.example")), false);
  assert.equal(memory.isDuplicate({ ...page, simhash: alike.simhash }, 4n, A), true, "its bytes are known");
  assert.equal(memory.isDuplicate(alike, 5n, A), true, "its text is");
  const noText = { ...captureOf("<script>1</script>".repeat(10)), simhash: "0000000000000000" };
  assert.equal(memory.isDuplicate(noText, 6n, A), false);
  assert.equal(
    memory.isDuplicate({ ...noText, content_hash: "ab".repeat(32) }, 7n, A),
    false,
    "no text is like no text",
  );
  const short = captureOf("Not found");
  for (const url of [8n, 9n]) assert.equal(memory.isDuplicate(short, url, A), false);
});

test("a host is cut when most of many pages are duplicates, never on a handful, and given back", () => {
  const tally = newTally(KEY);
  let pages = 0;
  while (!judgeHost(tally, true, LIMITS)) pages++;
  assert.equal(pages + 1, LIMITS.duplicatePages);
  assert.equal(tally.isCut, true);
  pages = 0;
  while (!judgeHost(tally, false, LIMITS)) pages++;
  assert.ok(pages > LIMITS.duplicatePages / 2, String(pages));
  assert.deepEqual({ isCut: tally.isCut }, { isCut: false });
});

test("a host with as many originals as copies is never cut; one that turns into a trap is, however much it had", () => {
  const mixed = newTally(KEY);
  for (let i = 0; i < 100_000; i++) assert.equal(judgeHost(mixed, i % 2 === 0, LIMITS), false);
  const turned = newTally(KEY);
  for (let i = 0; i < 40_000; i++) judgeHost(turned, false, LIMITS);
  let copies = 0;
  while (!judgeHost(turned, true, LIMITS)) copies++;
  assert.ok(copies < 3_000, String(copies));
});

test("memory is bounded: what was forgotten counts as new", () => {
  const memory = new ContentMemory(16);
  const pages = Array.from({ length: 1_000 }, (_, i) => captureOf(`Page ${i}. `.repeat(20)));
  pages.forEach((page, i) => assert.equal(memory.isDuplicate(page, BigInt(i), A), false));
  const known = pages.filter((page, i) => memory.isDuplicate(page, BigInt(i + 5_000), A)).length;
  assert.ok(known <= 32, String(known));
});
