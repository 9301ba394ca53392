import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { utcDay, utcTime } from "./utc_time.ts";

test("days are told as the calendar has them", () => {
  for (const ms of [0, 951_782_400_000, 951_868_800_000, 1_796_083_199_999, 4_102_444_800_000]) {
    assert.equal(utcDay(ms), new Date(ms).toISOString().slice(0, 10));
  }
});

test("times are told with their zone, and with the day where it isn't today", () => {
  const now = Date.UTC(2026, 10, 30, 23, 0, 0);
  assert.equal(utcTime(now + 61_000, now), "23:01:01 UTC");
  assert.equal(utcTime(now + 3_599_001, now), "2026-12-01 00:00:00 UTC");
  assert.equal(utcTime(now - 86_400_000, now), "2026-11-29 23:00:00 UTC");
});
