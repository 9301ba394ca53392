import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../tests/support/test.ts";
import { isoDate, timestamp14, timestamp17 } from "./timestamp.ts";

test("timestamp: the same text as the platform's dates, for every day there is", () => {
  const dayMs = 86_400_000;
  for (let ms = 0; ms < 253_402_300_799_999; ms += 97 * dayMs + 12_345_678) {
    assert.equal(isoDate(ms), new Date(ms).toISOString());
  }
  fc.assert(fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => {
    assert.equal(isoDate(ms), new Date(ms).toISOString());
  }));
  assert.equal(isoDate(951_782_400_000), "2000-02-29T00:00:00.000Z");
});

test("timestamp: digits only, cut to seconds; what is no time is the epoch", () => {
  assert.equal(timestamp14(1_796_056_313_999), "20261130163153");
  assert.equal(timestamp17(1_796_056_313_999), "20261130163153999");
  for (const odd of [-1, NaN, -Infinity]) assert.equal(isoDate(odd), "1970-01-01T00:00:00.000Z");
  assert.equal(isoDate(Infinity), "9999-12-31T23:59:59.999Z");
});
