/** Every judge passes a crawl that does all things right, and catches a fault that is planted in its log. */

import assert from "node:assert/strict";
import { FINISHING, groundTruth } from "../../bench/web/mod.ts";
import type { GroundTruth, RequestEntry } from "../../bench/web/mod.ts";
import { placeOf } from "../../bench/web/truth.ts";
import { test } from "./test.ts";
import { checkCoverage, checkIdentity, checkInvented, checkRepeats, trapRequests } from "./web_checks.ts";
import { checkGaps, checkParallel, checkRobots, smallestGap } from "./web_manners.ts";

const DELAY_MS = 100;
const AGENT = "Outrider/0.1 (+mailto:a@example.org)";
const truth = groundTruth({
  seed: 3,
  hosts: 19,
  pages: 900,
  features: [...FINISHING, "failures", "robots_blocked"],
  port: 8080,
});

function entryAt(of: GroundTruth, host: number, path: string, startMs: number): RequestEntry {
  const resource = of.resource(host, path);
  const robots = resource.kind === "robots" ? of.world.robotsOf(host).answer(0).status : undefined;
  return {
    seq: 0,
    startMs,
    endMs: startMs + 5,
    connection: host,
    host,
    authority: of.world.origin(host).slice(7),
    method: "GET",
    target: path,
    path,
    kind: resource.kind,
    status: robots ?? resource.status,
    bytes: 100,
    userAgent: AGENT,
  };
}

/** The log of a crawler that asks each host for its robots.txt, then for each URL of the truth once, paced. */
function perfectLog(): RequestEntry[] {
  const log: RequestEntry[] = [];
  const next = new Map<number, number>();
  const ask = (host: number, path: string, notBeforeMs = 0): RequestEntry => {
    const startMs = Math.max(next.get(host) ?? host, notBeforeMs);
    next.set(host, startMs + DELAY_MS);
    const entry = entryAt(truth, host, path, startMs);
    log.push(entry);
    return entry;
  };
  for (let host = 0; host < truth.world.config.hosts; host++) {
    const robots = ask(host, "/robots.txt");
    if (truth.world.robotsOf(host).name !== "redirected") continue;
    const hop = ask((host + 1) % truth.world.config.hosts, "/shared/robots.txt", robots.endMs);
    next.set(host, Math.max(next.get(host)!, hop.endMs));
  }
  for (const url of [...truth.pages, ...truth.answers]) {
    const { host, path } = placeOf(url)!;
    ask(host, path);
  }
  return log.sort((a, b) => a.startMs - b.startMs);
}

const good = perfectLog();
const isPage = (entry: RequestEntry) => !entry.kind.startsWith("robots");
const aPage = good.filter((entry) => entry.kind === "plain")[20]!;
const lastMs = good.at(-1)!.startMs;

test("a perfect crawl breaks no rule", () => {
  assert.deepEqual(checkCoverage(good, truth), []);
  assert.deepEqual(checkRepeats(good, truth), []);
  assert.deepEqual(checkInvented(good, truth), []);
  assert.deepEqual(checkRobots(good, truth), []);
  assert.deepEqual(checkGaps(good, { delayMs: DELAY_MS }), []);
  assert.deepEqual(checkParallel(good, { maxParallel: 1 }), []);
  assert.deepEqual(checkIdentity(good, "outrider", "a@example.org"), []);
  assert.equal(trapRequests(good), 0);
  assert.ok(smallestGap(good) >= DELAY_MS);
});

test("coverage catches a page that was never fetched, and one that was only refused", () => {
  assert.equal(checkCoverage(good.filter((entry) => entry !== aPage), truth).length, 1);
  const refused = good.map((entry) => (entry === aPage ? { ...entry, status: 503 } : entry));
  assert.match(checkCoverage(refused, truth)[0]!.detail, /never answered 200/);
  const redirect = good.find((entry) => entry.kind === "redirect")!;
  assert.match(checkCoverage(good.filter((entry) => entry !== redirect), truth)[0]!.detail, /never asked/);
});

test("repeats catches a page under another spelling, and grants what a kill had in flight", () => {
  const again = { ...aPage, target: `${aPage.target}?utm_source=x`, startMs: lastMs + 1000 };
  const found = checkRepeats([...good, again], truth);
  assert.equal(found.length, 1);
  assert.match(found[0]!.detail, /utm_source/);
  assert.deepEqual(checkRepeats([...good, again], truth, { inFlightAtKills: 1 }), []);
  assert.equal(checkRepeats([...good, again, again], truth, { inFlightAtKills: 1 }).length, 1);
});

test("repeats allows the tries of a failing page and no more, and one verdict on robots.txt", () => {
  const failing = good.find((entry) => entry.kind === "failing")!;
  assert.deepEqual(checkRepeats([...good, failing, failing], truth), []);
  assert.equal(checkRepeats([...good, failing, failing, failing], truth).length, 1);
  const robots = good.find((entry) => entry.kind === "robots" && entry.status === 200)!;
  assert.match(checkRepeats([...good, robots], truth)[0]!.detail, /robots.txt was answered 2 times/);
});

test("invented catches ghosts, wrong resolutions, foreign hosts and hops over the limit", () => {
  const wrong = [
    entryAt(truth, 0, "/ghost/comment-3", lastMs),
    entryAt(truth, 0, "/www.google.com/x", lastMs),
    { ...aPage, host: -1, kind: "misdirected", authority: "other.test" },
    { ...aPage, kind: "hop", path: "/hop/9/6", target: "/hop/9/6" },
    { ...aPage, kind: "method", method: "POST" },
  ];
  for (const entry of wrong) assert.equal(checkInvented([...good, entry], truth).length, 1, entry.target);
  assert.deepEqual(checkInvented([...good, { ...aPage, kind: "hop", path: "/hop/9/5" }], truth), []);
});

test("robots catches a forbidden page, also in an odd spelling", () => {
  const host = good.find((entry) => truth.world.robotsOf(entry.host).name === "own_group")!.host;
  const entry = { ...entryAt(truth, host, "/private/p7.html", lastMs), target: "/%70rivate/p7.html" };
  assert.match(checkRobots([...good, entry], truth)[0]!.detail, /%70rivate.*forbids/);
});

test("robots catches a page that was asked before robots.txt was answered, also behind its redirect", () => {
  const early = good.map((entry) => (entry === aPage ? { ...entry, startMs: -1 } : entry));
  assert.match(checkRobots(early, truth)[0]!.detail, /answered first/);
  const never = good.filter((entry) => entry.kind !== "robots" || entry.host !== aPage.host);
  assert.ok(checkRobots(never, truth).length > 10);
  const noHop = good.filter((entry) => entry.kind !== "robots_hop");
  const redirected = checkRobots(noHop, truth);
  assert.ok(redirected.length > 10);
  for (const { url } of redirected) assert.equal(truth.world.robotsOf(placeOf(url)!.host).name, "redirected");
});

test("robots catches a page of a host whose robots.txt is unavailable", () => {
  const host = Array.from({ length: 19 }, (_, i) => i).find((i) => truth.world.robotsOf(i).blocked)!;
  assert.ok(!good.some((entry) => entry.host === host && isPage(entry)));
  const found = checkRobots([...good, entryAt(truth, host, "/", lastMs)], truth);
  assert.match(found[0]!.detail, /nothing else may be asked/);
});

test("gaps catches a short gap, whatever kind of request made it, within the stated tolerance", () => {
  const index = good.findIndex((entry) => entry.kind === "hop");
  const hop = good[index]!;
  const moved = (ms: number) =>
    good.map((entry) => (entry === hop ? { ...entry, startMs: entry.startMs - ms } : entry));
  assert.equal(checkGaps(moved(3), { delayMs: DELAY_MS }).length, 1);
  assert.deepEqual(checkGaps(moved(1), { delayMs: DELAY_MS }), []);
  const double = checkGaps(good, { delayMs: (host) => (host === 0 ? 2 * DELAY_MS : DELAY_MS) });
  assert.ok(double.length > 0 && double.every(({ url }) => placeOf(url)!.host === 0));
  assert.ok(checkGaps(good, { delayMs: DELAY_MS, groupBy: () => "all" }).length > 0);
});

test("parallel catches an overlap, and an answer that ends as the next starts is none", () => {
  const [first, second] = good.filter((entry) => entry.host === 0 && isPage(entry));
  const until = (endMs: number) => good.map((entry) => (entry === first ? { ...entry, endMs } : entry));
  assert.equal(checkParallel(until(second!.startMs + 0.1), { maxParallel: 1 }).length, 1);
  assert.deepEqual(checkParallel(until(second!.startMs + 0.1), { maxParallel: 2 }), []);
  assert.deepEqual(checkParallel(until(second!.startMs), { maxParallel: 1 }), []);
});

test("identity catches a request without product token or contact", () => {
  for (const userAgent of ["", "Mozilla/5.0", "Outrider/0.1", "NotOutrider/1 (+mailto:a@example.org)"]) {
    const changed = [...good.slice(1), { ...good[0]!, userAgent }];
    assert.equal(checkIdentity(changed, "outrider", "a@example.org").length, 1, userAgent);
  }
});
