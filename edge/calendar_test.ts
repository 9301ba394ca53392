import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../tests/support/test.ts";
import { civilOf, DAY_MS, daysOf } from "./calendar.ts";

test("calendar: days and dates are each other's inverse, and agree with the platform's UTC calendar", () => {
  fc.assert(fc.property(fc.integer({ min: -719_162, max: 2_932_896 }), (days) => {
    const date = civilOf(days);
    assert.equal(daysOf(date), days);
    const platform = new Date(days * DAY_MS);
    const { year, month, day } = date;
    assert.deepEqual([year, month, day], [
      platform.getUTCFullYear(),
      platform.getUTCMonth() + 1,
      platform.getUTCDate(),
    ]);
  }));
});
