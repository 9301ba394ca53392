import assert from "node:assert/strict";
import { LIMITS } from "../../../protocol/mod.ts";
import { test } from "../../../tests/support/test.ts";
import { familyOf } from "./family.ts";
import { type FamilyState, findFamily, noteAccepted, notePage, type PageEvidence, trapReason } from "./traps.ts";

const AT = { limits: LIMITS, now: Date.UTC(2026, 10, 30) };
const EMPTY: PageEvidence = { isDuplicate: false, length: 4000, brought: 0 };

/** Takes in and fetches these URLs in turn; returns how many passed before the first was refused, and the reason. */
function walk(paths: Iterable<string>, pageOf: (i: number) => PageEvidence) {
  const families: FamilyState[] = [];
  let passed = 0;
  for (const path of paths) {
    const family = familyOf(`https://a.example${path}`)!;
    const reason = trapReason(findFamily(families, family), family, AT);
    if (reason !== undefined) return { passed, reason };
    noteAccepted(families, family, AT);
    notePage(findFamily(families, family)!, pageOf(passed++));
  }
  return { passed, reason: undefined };
}

function* months(fromYear: number, count: number) {
  for (let i = 0; i < count; i++) yield `/calendar/${fromYear + Math.floor(i / 12)}/${i % 12 + 1}`;
}

function* days(fromYear: number, years: number, tail = "") {
  for (let day = 0; day < years * 372; day++) {
    yield `/archive/${fromYear + Math.floor(day / 372)}/${Math.floor(day / 31) % 12 + 1}/${day % 31 + 1}${tail}`;
  }
}

test("a calendar of empty months ends", () => {
  const { passed, reason } = walk(months(1970, 10_000), (i) => ({ ...EMPTY, length: 4000 + i % 50 }));
  assert.deepEqual([passed, reason], [LIMITS.calendarBarrenMonths + 1, "calendar"]);
  const daily = walk(days(1970, 100), () => EMPTY);
  assert.deepEqual([daily.passed, daily.reason], [LIMITS.calendarBarrenDays + 1, "calendar"]);
});

test("a daily archive of a century with gaps, and one whose articles are all known, are taken whole", () => {
  const withGaps = walk(days(1926, 100), (i) => ({ ...EMPTY, brought: i % 300 === 0 ? 1 : 0 }));
  assert.deepEqual(withGaps, { passed: 37_200, reason: undefined });
  // Pages that bring nothing new, but differ as lists of articles do.
  const known = walk(months(1996, 360), (i) => ({ ...EMPTY, length: 3000 + (i * 7919) % 9000 }));
  assert.deepEqual(known, { passed: 360, reason: undefined });
});

test("dated articles are no family: any number of them on any day", () => {
  const families: FamilyState[] = [];
  let day = 0;
  for (const path of days(2000, 20)) {
    const family = familyOf(`https://a.example${path}/story-${day++}`)!;
    assert.equal(trapReason(findFamily(families, family), family, AT), undefined);
    noteAccepted(families, family, AT);
    notePage(findFamily(families, family)!, EMPTY);
  }
  assert.equal(families.length, LIMITS.familiesPerHost);
});

test("dates far ahead are taken a few times, whatever they bring; those of now still are", () => {
  const { passed, reason } = walk(months(2040, 500), (i) => ({ ...EMPTY, length: i * 1000, brought: 1 }));
  assert.deepEqual([passed, reason], [LIMITS.calendarFutureDates, "calendar"]);
  const families: FamilyState[] = [];
  const ahead = familyOf("https://a.example/calendar/2040/1")!;
  for (let i = 0; i < 100; i++) noteAccepted(families, ahead, AT);
  const today = familyOf("https://a.example/calendar/2026/11")!;
  assert.equal(trapReason(families[0], ahead, AT), "calendar");
  assert.equal(trapReason(families[0], today, AT), undefined);
});

test("session ids: values that give the same page end; a catalogue doesn't", () => {
  const paths = Array.from({ length: 5000 }, (_, i) => `/shop?sid=${i}`);
  const session = walk(paths, (i) => ({ ...EMPTY, isDuplicate: i > 0 }));
  assert.deepEqual([session.passed, session.reason], [LIMITS.sessionPages, "session"]);
  const catalogue = walk(paths, (i) => ({ ...EMPTY, isDuplicate: i % 2 === 0 }));
  assert.deepEqual(catalogue, { passed: 5000, reason: undefined });
  const few = walk(paths.slice(0, LIMITS.sessionPages), () => ({ ...EMPTY, isDuplicate: true }));
  assert.equal(few.reason, undefined, "never on a handful of pages");
});

test("memory is bounded, and a growing family keeps its place among many small ones", () => {
  const families: FamilyState[] = [];
  const trap = familyOf("https://a.example/calendar/2024/5")!;
  for (let i = 0; i < 3; i++) noteAccepted(families, trap, AT);
  for (let i = 0; i < 1000; i++) noteAccepted(families, familyOf(`https://a.example/p${i}?q=1`)!, AT);
  assert.equal(families.length, LIMITS.familiesPerHost);
  assert.equal(findFamily(families, trap)?.accepted, 3);
});
