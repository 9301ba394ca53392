import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../tests/support/test.ts";
import { formatHttpDate, parseHttpDate, parseIsoInstant } from "./http_date.ts";

const NOW = Date.UTC(2026, 0, 1);
const RFC_EXAMPLE = Date.UTC(1994, 10, 6, 8, 49, 37);

test("the three forms of RFC 9110 5.6.7 mean the same instant", () => {
  for (const text of ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]) {
    assert.equal(parseHttpDate(text, NOW), RFC_EXAMPLE, text);
  }
});

test("what is no HTTP date is undefined, also where Date.parse would make one of it", () => {
  const texts = ["", "120", "-5", "0", "abc", "1994-11-06", "2024-05-01T10:00:00Z", "Sun, 31 Feb 2021 00:00:00 GMT"];
  for (const text of [...texts, "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 6 Nov 1994 08:49:37 GMT+1", "06 Nov 1994"]) {
    assert.equal(parseHttpDate(text, NOW), undefined, text);
  }
});

test("a two-digit year more than 50 years ahead lies in the past", () => {
  assert.equal(parseHttpDate("Friday, 01-Jan-77 00:00:00 GMT", NOW), Date.UTC(1977, 0, 1));
  assert.equal(parseHttpDate("Wednesday, 01-Jan-76 00:00:00 GMT", NOW), Date.UTC(2076, 0, 1));
});

test("format agrees with the platform and is undone by parse", () => {
  const seconds = fc.integer({ min: Date.UTC(1000, 0, 1) / 1000, max: Date.UTC(9999, 11, 31) / 1000 });
  fc.assert(fc.property(seconds, (second) => {
    const text = formatHttpDate(second * 1000);
    assert.equal(text, new Date(second * 1000).toUTCString());
    assert.equal(parseHttpDate(text, NOW), second * 1000);
  }));
});

test("parse never throws and never gives NaN", () => {
  fc.assert(fc.property(fc.string(), (text) => {
    const ms = parseHttpDate(text, NOW);
    assert.ok(ms === undefined || Number.isFinite(ms));
  }));
});

test("an ISO instant is read in UTC only", () => {
  assert.equal(parseIsoInstant("1994-11-06T08:49:37Z"), RFC_EXAMPLE);
  assert.equal(parseIsoInstant("1994-11-06T08:49:37.123+00:00"), RFC_EXAMPLE);
  assert.equal(parseIsoInstant("1994-11-06T08:49:37+02:00"), undefined);
  assert.equal(parseIsoInstant("1994-11-06"), undefined);
});
