/**
 * `outrider crawl` against a site with every trap of the synthetic web, each far deeper than any crawl should go: it ends,
 * has fetched every real page, and was in each trap for no longer than its bound.
 */

import assert from "node:assert/strict";
import { groundTruth } from "../../bench/web/mod.ts";
import { LIMITS } from "../../protocol/mod.ts";
import { runOutrider, summaryOf } from "../support/outrider_process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { checkCoverage, checkRepeats } from "../support/web_checks.ts";
import { spawnWeb } from "../support/web_server.ts";

/** What may be leased or under way when a verdict falls. */
const UNDER_WAY = 60;

const BOUNDS: Readonly<Record<string, number>> = {
  calendar: LIMITS.calendarBarrenMonths + UNDER_WAY,
  days: LIMITS.calendarBarrenDays + UNDER_WAY,
  session: LIMITS.sessionPages + UNDER_WAY,
  grow: LIMITS.repeatedSegments,
  facets: LIMITS.queryParameters,
};

test("crawl: a site with every trap ends within their bounds, and no real page is missed", async () => {
  const web = await spawnWeb({ hosts: 1, pages: 150, pageKb: 2, links: 15, features: ["traps"], trapPages: 50_000 });
  const folder = temporaryFolder();
  try {
    const flags = ["--delay-ms", "0", "--contact", "tests@example.org", "--allow-address", "127.0.0.0/8", "--json"];
    const ended = await runOutrider(["crawl", web.seed, "--data", folder.path, ...flags]);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(summaryOf(ended).ended, "finished");
    const log = await web.log();
    const truth = groundTruth(web.config);
    for (const check of [checkCoverage, checkRepeats]) assert.deepEqual(check(log, truth), []);
    for (const [kind, bound] of Object.entries(BOUNDS)) {
      const asked = log.filter((entry) => entry.kind === kind).length;
      assert.ok(asked >= Math.min(3, bound) && asked <= bound, `${kind}: ${asked} requests, at most ${bound} wanted`);
    }
  } finally {
    await web.stop();
    await folder.remove();
  }
}, { timeoutMs: 120_000 });
