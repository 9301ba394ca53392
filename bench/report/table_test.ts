import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { figure, jsonLines, median, table } from "./table.ts";

test("median of odd, even and no values", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.ok(Number.isNaN(median([])));
});

test("figures have three digits", () => {
  assert.deepEqual([0.12345, 12.345, 1234.5, 0, NaN].map(figure), ["0.123", "12.3", "1,235", "0", "-"]);
});

test("a table lines numbers up to the right, and JSON lines hold the same values", () => {
  const rows = [{ name: "crawl", "pages/s": 812.4 }, { name: "loop", "pages/s": 12_345 }];
  assert.equal(table(rows), "name   pages/s\ncrawl      812\nloop    12,345");
  assert.deepEqual(jsonLines("crawl", rows).split("\n").map((line) => JSON.parse(line)), [
    { type: "crawl", ...rows[0] },
    { type: "crawl", ...rows[1] },
  ]);
});
