/** What befalls a scan's instance - a trap, a page of 64 MB - befalls neither the next page nor any filter or index. */

import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { makeFilter } from "./filter.ts";
import { CoreSlot } from "./instance.ts";
import { loadArtefact } from "./load.ts";
import { loadCore } from "./mod.ts";
import { scanPage } from "./scan.ts";

const { module, instantiate } = await loadArtefact();
const encoder = new TextEncoder();
const PAGE = encoder.encode("<title>T</title><a href=/x>harbour engine station</a>");
const OPTIONS = { url: "http://e.example/d/" };
const KEYS = BigUint64Array.from({ length: 5000 }, (_, i) => BigInt(i));

function factsOf(facts: ReturnType<typeof scanPage>) {
  const { title, simhash, textHash, textLength, truncated } = facts;
  return { title, simhash, textHash, textLength, truncated, links: facts.links.map((link) => link.url) };
}

test("after a trap the next page is right, on another instance, and no filter is touched", () => {
  const slot = new CoreSlot(module, instantiate);
  const wanted = factsOf(scanPage(slot, PAGE, OPTIONS));
  assert.deepEqual([wanted.title, wanted.links], ["T", ["http://e.example/x"]]);
  const before = slot.run((instance) => instance);
  const filterDoor = slot.fresh();
  const filter = makeFilter(filterDoor, 5000);
  filter.addAll(KEYS);
  // Reads beyond the memory: a real trap, as a bug of the core would be.
  assert.throws(() => slot.run(({ raw }) => raw.raw_xxh64(0x7fff0000, 64)), WebAssembly.RuntimeError);
  assert.deepEqual(factsOf(scanPage(slot, PAGE, OPTIONS)), wanted);
  assert.notEqual(slot.run((instance) => instance), before);
  assert.ok(filter.hasAll(KEYS).every((answer) => answer === 1));
  assert.deepEqual(filter.addAll(BigUint64Array.of(3n, 1n << 60n)), Uint8Array.of(0, 1));
});

test("after a page of 64 MB the instance is another, small one, the next page is right, and no filter is touched", async () => {
  const core = await loadCore();
  const wanted = factsOf(core.scan(PAGE, OPTIONS));
  const filter = core.filter(5000);
  filter.addAll(KEYS);
  const near = core.nearIndex(10_000);
  near.addAll(KEYS);
  const huge = new Uint8Array(64 * 1024 * 1024);
  const part = encoder.encode("<p>winter signal <a href=/y>copper</a> ");
  for (let at = 0; at + part.length <= huge.length; at += part.length) huge.set(part, at);
  const facts = core.scan(huge, { ...OPTIONS, maxBytes: huge.length });
  assert.equal(facts.truncated, true);
  assert.ok(facts.links.length > 1000 && facts.textLength > 1_000_000);
  assert.deepEqual(factsOf(core.scan(PAGE, OPTIONS)), wanted);
  assert.ok(filter.hasAll(KEYS).every((answer) => answer === 1));
  assert.ok(near.nearest(KEYS).distances.every((distance) => distance === 0));
  const slot = new CoreSlot(module, instantiate);
  const first = slot.run((instance) => instance);
  // Decoded it takes three bytes for each, at most: with its text that is more than an instance may keep.
  scanPage(slot, huge, { ...OPTIONS, contentType: "text/html; charset=windows-1252", maxBytes: huge.length });
  assert.ok(first.raw.memory.buffer.byteLength > 64 * 1024 * 1024, `it grew to ${first.raw.memory.buffer.byteLength}`);
  assert.deepEqual(factsOf(scanPage(slot, PAGE, OPTIONS)), wanted);
  const second = slot.run((instance) => instance);
  assert.notEqual(second, first);
  assert.ok(second.raw.memory.buffer.byteLength < 16 * 1024 * 1024, `it has ${second.raw.memory.buffer.byteLength}`);
});
