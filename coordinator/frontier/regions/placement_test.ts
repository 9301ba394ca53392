import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { BETTER_BY, BETTER_BY_MS, isShutOut, type Placed, planNextLease } from "./placement.ts";
import { noteAnswered, noteConnectTime, noteLeased, noteRefused } from "./region_facts.ts";

const NOW = 1_000_000;

function placed(times: Record<string, readonly number[]>, homeRegion = ""): Placed {
  let regions: Placed["regions"] = [];
  for (const [region, list] of Object.entries(times)) {
    regions = noteLeased(regions, region, NOW);
    for (const ms of list) regions = noteConnectTime(regions, region, ms);
  }
  return { regions, homeRegion, policyRegion: "", nextRegion: "", isProbe: false };
}

/** Chance that gives these numbers, then never a probe. */
function draws(...numbers: number[]) {
  return { next: () => numbers.shift() ?? 0.999 };
}

function plan(host: Placed, live: readonly string[], random = draws(), now = NOW): [string, string, boolean] {
  planNextLease(host, { live, now, random, probeShare: 0.05 });
  return [host.homeRegion, host.nextRegion, host.isProbe];
}

test("a new host goes to whoever asks, then by small leases where it hasn't been, then to the nearest", () => {
  const live = ["ap", "eu"];
  assert.deepEqual(plan(placed({}), live), ["", "", true]);
  assert.deepEqual(plan(placed({ ap: [90] }), live), ["", "eu", true]);
  assert.deepEqual(plan(placed({ ap: [90], eu: [] }), live), ["", "eu", true], "one lease without a new connection");
  assert.deepEqual(plan(placed({ ap: [90], eu: [20] }), live), ["eu", "eu", false]);
  const silent = placed({ ap: [90], eu: [] });
  silent.regions = noteLeased(silent.regions, "eu", NOW);
  assert.deepEqual(plan(silent, live), ["ap", "ap", false], "two leases told nothing");
});

test("with one region there is nothing to choose, and nothing to probe", () => {
  assert.deepEqual(plan(placed({}), ["eu"]), ["", "", false]);
  assert.deepEqual(plan(placed({ eu: [5] }), ["eu"], draws(0)), ["", "", false]);
  assert.deepEqual(plan(placed({ eu: [5] }, "eu"), ["eu"], draws(0)), ["eu", "eu", false]);
  assert.deepEqual(plan(placed({}), []), ["", "", false]);
});

test("the home stays unless another is better by the share and by the ms, twice in a row", () => {
  const cases: [home: number[], other: number[], moves: boolean][] = [
    [[100, 100, 100], [100 * BETTER_BY, 100 * BETTER_BY], true],
    [[100, 100, 100], [100 * BETTER_BY, 100 * BETTER_BY + 0.1], false],
    [[20, 20, 20], [20 - BETTER_BY_MS, 20 - BETTER_BY_MS], true],
    [[20, 20, 20], [20 - BETTER_BY_MS + 0.1, 20 - BETTER_BY_MS + 0.1], false],
    [[100, 100, 100], [10], false],
    [[100, 100], [10, 10], false],
    [[400, 100, 900], [80, 80], false],
    [[0, 0, 0], [0, 0], false],
    [[], [80, 80], true],
  ];
  for (const [home, other, moves] of cases) {
    const [region] = plan(placed({ eu: home, us: other }, "eu"), ["eu", "us"]);
    assert.equal(region, moves ? "us" : "eu", JSON.stringify([home, other]));
  }
});

test("a region that was better once is looked at again at once", () => {
  assert.deepEqual(plan(placed({ eu: [100, 100, 100], us: [90, 20] }, "eu"), ["eu", "us"]), ["eu", "us", true]);
  assert.deepEqual(plan(placed({ eu: [100, 100, 100], us: [20, 90] }, "eu"), ["eu", "us"]), ["eu", "eu", false]);
});

test("where every region is about as near, whichever asks first gets the host", () => {
  assert.deepEqual(plan(placed({ ap: [19.9], eu: [10] }), ["ap", "eu"]), ["eu", "", false]);
  assert.deepEqual(plan(placed({ eu: [10, 10, 10], us: [19.9] }, "eu"), ["eu", "us"]), ["eu", "", false]);
  assert.deepEqual(plan(placed({ eu: [10, 10, 10], us: [20] }, "eu"), ["eu", "us"]), ["eu", "eu", false]);
  assert.deepEqual(plan(placed({ ap: [200], eu: [10], us: [12] }), ["ap", "eu", "us"]), ["eu", "eu", false]);
  assert.deepEqual(
    plan(placed({ eu: [10], us: [] }, "eu"), ["eu", "us"]),
    ["eu", "eu", false],
    "nothing is known of us",
  );
});

test("probes go elsewhere at the stated share, first where nothing is known", () => {
  const host = () => placed({ eu: [10, 10, 10], us: [90] }, "eu");
  assert.deepEqual(plan(host(), ["eu", "us"], draws(0.049, 0)), ["eu", "us", true]);
  assert.deepEqual(plan(host(), ["eu", "us"], draws(0.05)), ["eu", "eu", false]);
  assert.deepEqual(plan(host(), ["ap", "eu", "us"], draws(0.01, 0.9)), ["eu", "ap", true]);
});

test("hosts of a silent home go to the nearest that is left, and back when it asks again", () => {
  const host = placed({ eu: [10, 10, 10], us: [90], ap: [200] }, "eu");
  assert.deepEqual(plan(host, ["ap", "us"]), ["eu", "us", false]);
  assert.deepEqual(plan(host, ["ap", "eu", "us"]), ["eu", "eu", false]);
});

test("a pin is the operator's word", () => {
  const host = { ...placed({ eu: [10], us: [90] }, "eu"), policyRegion: "us" };
  assert.deepEqual(plan(host, ["eu", "us"], draws(0)), ["eu", "us", false]);
  assert.deepEqual(plan(host, ["eu"]), ["eu", "us", false], "also while nobody asks there");
});

function refused(host: Placed, region: string, refusals: readonly ("connection" | "forbidden")[], now = NOW): void {
  for (const refusal of refusals) host.regions = noteRefused(host.regions, region, { refusal, now });
}

const DAY_MS = 86_400_000;

test("two failed connections or six 403 make a region suspect; another's answer proves it, for a day", () => {
  for (const refusals of [["connection", "connection"], Array(6).fill("forbidden")]) {
    const host = placed({ eu: [10, 10, 10], us: [90, 90, 90] }, "eu");
    refused(host, "eu", refusals.slice(1));
    assert.deepEqual(plan(host, ["eu", "us"]), ["eu", "eu", false]);
    refused(host, "eu", refusals.slice(0, 1));
    assert.deepEqual(plan(host, ["eu", "us"]), ["eu", "us", false], "it may be the host");
    assert.equal(isShutOut(host, "eu", { live: ["eu", "us"], now: NOW }), false);
    host.regions = noteAnswered(host.regions, "us", NOW + 1);
    assert.deepEqual(plan(host, ["eu", "us"], draws(0), NOW + 1), ["us", "us", false]);
    assert.equal(isShutOut(host, "eu", { live: ["eu", "us"], now: NOW + 1 }), true);
    assert.equal(isShutOut(host, "eu", { live: ["eu"], now: NOW + 1 }), false, "where there is nobody else");
    assert.deepEqual(plan(host, ["eu", "us"], draws(0, 0), NOW + DAY_MS), ["us", "eu", true], "then a probe may try");
  }
});

test("a host that refuses every region keeps its home, and an answer between refusals clears them", () => {
  const host = placed({ eu: [10, 10, 10], us: [90, 90] }, "eu");
  refused(host, "eu", ["connection", "connection"]);
  refused(host, "us", ["connection", "connection"], NOW + 1);
  assert.deepEqual(plan(host, ["eu", "us"], draws(), NOW + 2), ["eu", "eu", false]);
  host.regions = noteAnswered(host.regions, "eu", NOW + 3);
  refused(host, "eu", Array(5).fill("forbidden"), NOW + 4);
  assert.deepEqual(plan(host, ["eu", "us"], draws(), NOW + 5), ["eu", "eu", false]);
});
