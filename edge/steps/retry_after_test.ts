import assert from "node:assert/strict";
import { LIMITS } from "../../protocol/mod.ts";
import { test } from "../../tests/support/test.ts";
import { formatHttpDate } from "./http_date.ts";
import { parseRetryAfter } from "./retry_after.ts";

const NOW = Date.UTC(2026, 5, 1, 12, 0, 0);

const CASES: readonly (readonly [value: string | undefined, waitMs: number | undefined])[] = [
  ["120", 120_000],
  [" 7 ", 7_000],
  ["-5", undefined],
  ["0", undefined],
  ["00", undefined],
  ["1.5", undefined],
  ["1e3", undefined],
  ["0x10", undefined],
  ["9999999999", LIMITS.retryAfterMaxMs],
  ["9".repeat(400), LIMITS.retryAfterMaxMs],
  ["abc", undefined],
  ["", undefined],
  [undefined, undefined],
  ["120, 240", undefined],
  [formatHttpDate(NOW + 90_000), 90_000],
  [formatHttpDate(NOW - 90_000), undefined],
  [formatHttpDate(NOW), undefined],
  ["Fri, 31 Dec 9999 23:59:59 GMT", LIMITS.retryAfterMaxMs],
  ["2026-06-01T12:10:00Z", undefined],
];

test("Retry-After: seconds and dates are clamped; everything else is left to the back-off", () => {
  for (const [value, waitMs] of CASES) assert.equal(parseRetryAfter(value, NOW), waitMs, String(value).slice(0, 40));
});
