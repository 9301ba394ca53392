import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { LIMITS } from "../../../protocol/mod.ts";
import {
  abandonedGapMs,
  gapMs,
  type HostClocks,
  likelyGapMs,
  nextStartAt,
  noteFailure,
  noteResponseTime,
  noteSuccess,
  retryAfter,
  startsThatFit,
  urlRetryMs,
} from "./politeness.ts";

function clocks(change: Partial<HostClocks> = {}): HostClocks {
  return {
    crawlDelayMs: 0,
    responseMs: 0,
    backoffMs: 0,
    failuresInRow: 0,
    successesInRow: 0,
    policyDelayMs: -1,
    nextStartAt: 0,
    ...change,
  };
}

test("the gap is the largest of delay, policy, Crawl-delay up to 300 s, and back-off", () => {
  const table: [Partial<HostClocks>, number, number][] = [
    [{}, 0, 0],
    [{}, 1_000, 1_000],
    [{ policyDelayMs: 3_000 }, 1_000, 3_000],
    [{ policyDelayMs: 10 }, 1_000, 1_000],
    [{ crawlDelayMs: 200 }, 1_000, 1_000],
    [{ crawlDelayMs: 20_000 }, 1_000, 20_000],
    [{ crawlDelayMs: 900_000 }, 1_000, 300_000],
    [{ backoffMs: 40_000, crawlDelayMs: 20_000 }, 1_000, 40_000],
  ];
  for (const [host, delay, gap] of table) assert.equal(gapMs(clocks(host), delay, LIMITS), gap);
});

test("after an edge that fell silent a slow host gets the gap that it would have got", () => {
  const politeness = { delay_ms: 1_000, delay_factor: 10, delay_cap_ms: 60_000, max_parallel: 1 };
  const table: [Partial<HostClocks>, number][] = [
    [{}, 1_000],
    [{ responseMs: 700 }, 7_000],
    [{ responseMs: 20_000 }, 60_000],
    [{ responseMs: 700, crawlDelayMs: 9_000 }, 9_000],
    [{ responseMs: 10, policyDelayMs: 4_000 }, 4_000],
  ];
  for (const [host, gap] of table) {
    assert.equal(abandonedGapMs({ gapMs: 1_000, host: clocks(host) }, politeness, LIMITS), gap);
  }
  assert.equal(abandonedGapMs({ gapMs: 1_000, host: clocks({ responseMs: 700 }) }, undefined, LIMITS), 1_000);
});

test("a lease holds as many starts as can end within it, and always one", () => {
  const politeness = { delay_ms: 1_000, delay_factor: 10, delay_cap_ms: 60_000, max_parallel: 1 };
  assert.equal(likelyGapMs(1_000, 300, politeness), 3_000);
  assert.equal(likelyGapMs(1_000, 30_000, politeness), 60_000);
  assert.equal(likelyGapMs(0, 30_000, { ...politeness, delay_ms: 0 }), 0);
  assert.equal(startsThatFit(1_000, LIMITS), 61);
  assert.equal(startsThatFit(300_000, LIMITS), 1);
  assert.ok(startsThatFit(0, LIMITS) > 1e9);
});

test("the next start: our own count and the edge's word, whichever is later, the word clamped", () => {
  const lease = { firstStartAt: 10_000, requests: 3, gapMs: 1_000, delayCapMs: 60_000, closingGapMs: 1_000 };
  const table: [number | undefined, number | undefined, number, number][] = [
    [0, 1_000, 20_000, 21_000],
    [500, 1_000, 20_000, 20_500],
    [500, 5_000, 20_000, 24_500],
    [500, 1, 20_000, 20_500],
    [500, 1e12, 20_000, 79_500],
    [1e12, 1_000, 20_000, 13_000],
    [-1e12, 1_000, 20_000, 21_000],
    [NaN, NaN, 20_000, 21_000],
    [undefined, undefined, 20_000, 21_000],
    [10_000, 1_000, 11_000, 13_000],
  ];
  for (const [lastStartAgoMs, gap, now, at] of table) {
    assert.equal(nextStartAt(lease, { lastStartAgoMs, gapMs: gap }, now), at, `${lastStartAgoMs} ${gap} ${now}`);
  }
  const idle = { ...lease, requests: 0 };
  assert.equal(nextStartAt(idle, { lastStartAgoMs: undefined, gapMs: undefined }, 20_000), 10_000);
});

test("back-off doubles to its cap, timeouts count from the second in a row, five successes halve it", () => {
  const host = clocks();
  const fail = (name: "http_503" | "read_timeout" | "protocol") =>
    noteFailure(host, { class: name, retryAfterMs: 0 }, { now: 1_000, limits: LIMITS });
  fail("read_timeout");
  assert.equal(host.backoffMs, 0);
  fail("read_timeout");
  assert.deepEqual([host.backoffMs, host.nextStartAt], [5_000, 6_000]);
  for (let i = 0; i < 10; i++) fail("http_503");
  assert.deepEqual([host.backoffMs, host.nextStartAt], [300_000, 301_000]);
  fail("protocol");
  assert.equal(host.backoffMs, 300_000);
  for (let i = 0; i < 5; i++) noteSuccess(host, LIMITS);
  assert.deepEqual([host.backoffMs, host.failuresInRow], [150_000, 0]);
  for (let i = 0; i < 100; i++) noteSuccess(host, LIMITS);
  assert.equal(host.backoffMs, 0);
});

test("a timeout after a failure that says nothing of the host is the first in a row, not the second", () => {
  for (const name of ["header_too_large", "protocol", "address_refused"] as const) {
    const host = clocks();
    const fail = (failure: typeof name | "connect_timeout") =>
      noteFailure(host, { class: failure, retryAfterMs: 0 }, { now: 1_000, limits: LIMITS });
    fail(name);
    fail("connect_timeout");
    assert.equal(host.backoffMs, 0, name);
    fail(name);
    fail("connect_timeout");
    assert.equal(host.backoffMs, 5_000, `${name} is no success either`);
  }
});

test("Retry-After binds the host after any failure, also where the class alone would not slow it", () => {
  for (const name of ["http_429", "http_5xx", "http_503"] as const) {
    const host = clocks();
    noteFailure(host, { class: name, retryAfterMs: 120_000 }, { now: 1_000, limits: LIMITS });
    assert.equal(host.nextStartAt, 121_000, name);
  }
});

test("E50: Retry-After is clamped; what is no positive number is none", () => {
  const table: [number | undefined, number][] = [
    [120_000, 120_000],
    [-5, 0],
    [0, 0],
    [NaN, 0],
    [undefined, 0],
    [Infinity, 86_400_000],
    [9_999_999_999_000, 86_400_000],
  ];
  for (const [given, wanted] of table) assert.equal(retryAfter(given, LIMITS), wanted);
});

test("a URL's waits double and respect Retry-After", () => {
  assert.deepEqual([1, 2, 3].map((attempts) => urlRetryMs(attempts, 0, LIMITS)), [10_000, 20_000, 40_000]);
  assert.equal(urlRetryMs(1, 60_000, LIMITS), 60_000);
});

test("response times rise at once and fall slowly; nonsense is ignored or clamped", () => {
  const host = clocks();
  noteResponseTime(host, undefined, LIMITS);
  noteResponseTime(host, NaN, LIMITS);
  assert.equal(host.responseMs, 0);
  noteResponseTime(host, 400, LIMITS);
  noteResponseTime(host, 800, LIMITS);
  assert.equal(host.responseMs, 800);
  noteResponseTime(host, 400, LIMITS);
  assert.equal(host.responseMs, 700);
  noteResponseTime(host, 1e12, LIMITS);
  assert.equal(host.responseMs, LIMITS.fetchWallMs);
});
