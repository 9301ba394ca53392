import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { Pace } from "./pace.ts";

const options = { gapMs: 1000, delayFactor: 10, delayCapMs: 60_000, firstStartAt: 500 };

test("pace: nothing starts before the first start, then a gap apart", () => {
  const pace = new Pace(options);
  assert.equal(pace.waitMs(100), 400);
  assert.equal(pace.waitMs(500), 0);
  pace.started(500);
  assert.equal(pace.waitMs(500), 1000);
});

test("pace: the gap counts from when the server has certainly seen the request", () => {
  const pace = new Pace(options);
  pace.started(1000);
  pace.responded(1070, 80);
  assert.equal(pace.waitMs(1070), 1000);
});

test("pace: a slow site is asked at most every tenth of the time, up to the cap", () => {
  const pace = new Pace(options);
  pace.started(0);
  pace.responded(700, 700);
  assert.equal(pace.gapMs, 7000);
  pace.responded(800, 20_000);
  assert.equal(pace.gapMs, 60_000);
  pace.responded(900, 10);
  assert.equal(pace.gapMs, 1000);
  assert.ok(pace.waitMs(900) >= 59_000, "a granted wait is never taken back");
});

test("pace: a Crawl-delay learned under way holds from the last request on", () => {
  const pace = new Pace(options);
  pace.started(1000);
  pace.atLeast(5000);
  assert.equal(pace.waitMs(1000), 5000);
  pace.atLeast(10);
  assert.equal(pace.gapMs, 5000);
});

test("pace: delay 0 and factor 0 never wait", () => {
  const pace = new Pace({ gapMs: 0, delayFactor: 0, delayCapMs: 0, firstStartAt: 0 });
  pace.started(10);
  pace.responded(5000, 4990);
  assert.equal(pace.waitMs(5000), 0);
});

test("pace: after a slow answer one gap is long, not two", () => {
  const pace = new Pace(options);
  pace.started(1000);
  pace.responded(1400, 400);
  assert.equal(pace.waitMs(1400), 4000);
  pace.started(5400);
  assert.equal(pace.waitMs(5400), 4000, "until the answer says otherwise");
  pace.responded(5410, 10);
  assert.equal(pace.waitMs(5410), 1000);
});

test("pace: the gap counts from when the head went to the socket; nothing starts while one waits for its connection", () => {
  const pace = new Pace({ ...options, delayFactor: 0 });
  pace.started(1000);
  assert.equal(pace.waitMs(2500), 1000, "still connecting");
  pace.sent(2600);
  assert.equal(pace.waitMs(2700), 900);
  pace.started(3600);
  pace.responded(3700, 1100);
  assert.equal(pace.waitMs(3700), 1000);
});

test("pace: a request that failed before it was sent holds nobody up for longer than the gap", () => {
  const pace = new Pace({ ...options, delayFactor: 0 });
  pace.started(1000);
  pace.responded(9000, 8000);
  assert.equal(pace.waitMs(9500), 500);
  assert.equal(pace.waitMs(10_000), 0);
});

test("pace: what a slow answer asks for stands, though a fast one beside it comes later", () => {
  const pace = new Pace(options);
  pace.started(1000);
  pace.started(2000);
  pace.responded(2100, 700);
  pace.responded(2200, 10);
  assert.equal(pace.waitMs(2200), 6900);
});

test("pace: what wasn't the server's answer leaves no gap behind, but what the site asked for stays", () => {
  const pace = new Pace(options);
  pace.started(0);
  pace.atLeast(2000);
  pace.responded(6000, 6000);
  assert.equal(pace.gapMs, 60_000);
  pace.forgetAnswer();
  assert.equal(pace.gapMs, 2000);
});
