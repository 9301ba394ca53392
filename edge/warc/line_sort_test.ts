import assert from "node:assert/strict";
import fc from "fast-check";
import { MemoryFiles } from "../../tests/support/memory_files.ts";
import { test } from "../../tests/support/test.ts";
import { sortLines } from "./line_sort.ts";

async function sorted(lines: readonly string[], chunkBytes: number): Promise<string[]> {
  const files = new MemoryFiles();
  await files.writeWhole("log", new TextEncoder().encode(lines.map((line) => line + "\n").join("")));
  await sortLines({ files, from: "log", to: "out", chunkBytes });
  assert.deepEqual(files.paths(), ["log", "out"]);
  assert.equal(files.openHandles, 0);
  return new TextDecoder().decode(await files.read("out")).split("\n").slice(0, -1);
}

test("line sort: any lines, any chunk size, the same as an in-memory sort", async () => {
  const line = fc.string({ unit: "grapheme-ascii", maxLength: 12 }).map((text) => text.replaceAll("\n", ""));
  await fc.assert(fc.asyncProperty(
    fc.array(line, { maxLength: 60 }),
    fc.integer({ min: 1, max: 200 }),
    async (lines, chunkBytes) => {
      const wanted = [...lines].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      assert.deepEqual(await sorted(lines, chunkBytes), wanted);
    },
  ));
});

test("line sort: more runs than one merge takes", async () => {
  const lines = Array.from({ length: 300 }, (_, i) => String((i * 7919) % 1000).padStart(4, "0"));
  assert.deepEqual(await sorted(lines, 1), [...lines].sort());
});

test("line sort: nothing to sort leaves an empty file", async () => {
  const files = new MemoryFiles();
  await sortLines({ files, from: "absent", to: "out", chunkBytes: 10 });
  assert.equal(await files.size("out"), 0);
});
