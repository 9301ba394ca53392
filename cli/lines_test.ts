import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { linesOf, type LongLine } from "./lines.ts";

async function linesIn(text: string, chunkBytes: number, mostBytes = 100): Promise<(string | LongLine)[]> {
  const bytes = new TextEncoder().encode(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const lines: (string | LongLine)[] = [];
  for await (const line of linesOf(chunks(), mostBytes)) lines.push(line);
  return lines;
}

test("lines: however the bytes are cut, only LF ends a line", async () => {
  const text = "a\n\nb\u2028c\u0085d\re\r\nä€😀";
  for (const chunkBytes of [1, 2, 3, 7, 100]) {
    assert.deepEqual(await linesIn(text, chunkBytes), ["a", "", "b\u2028c\u0085d\re\r", "ä€😀"]);
  }
  assert.deepEqual(await linesIn("", 1), []);
  assert.deepEqual(await linesIn("a\n", 1), ["a"]);
});

test("lines: of a line that is too long only the length is kept, and the next is read", async () => {
  for (const chunkBytes of [1, 4, 1000]) {
    assert.deepEqual(await linesIn(`${"x".repeat(11)}\n${"y".repeat(10)}\n${"z".repeat(500)}`, chunkBytes, 10), [
      { bytes: 11 },
      "y".repeat(10),
      { bytes: 500 },
    ]);
  }
});
