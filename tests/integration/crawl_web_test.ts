/**
 * `outrider crawl` against the synthetic web: found what there is, asked nothing twice, obeyed robots.txt, kept its pace;
 * judged by what the server saw.
 */

import assert from "node:assert/strict";
import { groundTruth } from "../../bench/web/mod.ts";
import { FINISHING } from "../../bench/web/config.ts";
import { checkIndex, checkPages } from "../support/crawl_output.ts";
import { runOutrider, summaryOf } from "../support/outrider_process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { checkCoverage, checkIdentity, checkInvented, checkRepeats } from "../support/web_checks.ts";
import { checkGaps, checkParallel, checkRobots } from "../support/web_manners.ts";
import { spawnWeb } from "../support/web_server.ts";

const LOOPBACK = ["--allow-address", "127.0.0.0/8", "--scope", "any", "--json"];

test("crawl: a web with every oddity is found to its ground truth, nothing twice, robots.txt obeyed", async () => {
  const web = await spawnWeb({ hosts: 14, pages: 420, pageKb: 3, links: 20, features: [...FINISHING] });
  const folder = temporaryFolder();
  try {
    const ended = await runOutrider([
      "crawl",
      web.seed,
      "--delay-ms",
      "0",
      "--contact",
      "tests@example.org",
      "--data",
      folder.path,
      ...LOOPBACK,
    ]);
    assert.equal(ended.code, 0, ended.stderr);
    const summary = summaryOf(ended);
    assert.equal(summary.ended, "finished");
    const log = await web.log();
    const truth = groundTruth(web.config);
    for (const check of [checkCoverage, checkRepeats, checkInvented, checkRobots]) {
      assert.deepEqual(check(log, truth), []);
    }
    assert.deepEqual(checkIdentity(log, "outrider", "tests@example.org"), []);
    assert.deepEqual(checkParallel(log, { maxParallel: 1 }), []);
    assert.equal(checkPages(folder.path).length, summary.fetched);
    assert.ok(checkIndex(folder.path) >= Number(summary.fetched));
  } finally {
    await web.stop();
    await folder.remove();
  }
});

test("crawl: the gap between two requests to a host is kept as the server sees it, redirects and robots.txt included", async () => {
  const web = await spawnWeb({ hosts: 5, pages: 40, pageKb: 2, links: 12, features: ["robots", "redirects"] });
  const folder = temporaryFolder();
  try {
    const delayMs = 150;
    const ended = await runOutrider([
      "crawl",
      web.seed,
      "--delay-ms",
      String(delayMs),
      "--delay-factor",
      "0",
      "--contact",
      "tests@example.org",
      "--data",
      folder.path,
      ...LOOPBACK,
    ]);
    assert.equal(ended.code, 0, ended.stderr);
    const log = await web.log();
    assert.deepEqual(checkGaps(log, { delayMs, toleranceMs: 0 }), []);
    assert.deepEqual(checkCoverage(log, groundTruth(web.config)), []);
  } finally {
    await web.stop();
    await folder.remove();
  }
});
