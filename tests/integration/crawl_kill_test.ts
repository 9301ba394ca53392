/**
 * kill -9 in the middle of a crawl, again and again: nothing acknowledged is lost, nothing is published twice, the
 * archive is readable, and the crawl comes to the same end.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { FINISHING } from "../../bench/web/config.ts";
import { groundTruth } from "../../bench/web/mod.ts";
import { checkIndex, checkPages, warcFiles } from "../support/crawl_output.ts";
import { runOutrider, spawnOutrider, summaryOf } from "../support/outrider_process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { checkCoverage, checkRepeats } from "../support/web_checks.ts";
import { checkRobots } from "../support/web_manners.ts";
import { spawnWeb } from "../support/web_server.ts";

const KILLS = Number(process.env.OUTRIDER_TEST_KILLS ?? 4);

const HOSTS = 14;
/** Of one host: a request under way, answers that are scanned and archived, outcomes on their way. */
const IN_FLIGHT = 12;

/** Whole lines of a file that may be torn at its end. */
function wholeLines(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
}

test(`kill: a crawl killed ${KILLS} times at random moments ends with everything, once`, async () => {
  const web = await spawnWeb({
    hosts: HOSTS,
    pages: 700,
    pageKb: 4,
    links: 20,
    latencyMs: 4,
    features: [...FINISHING],
  });
  const folder = temporaryFolder();
  const command = [
    "crawl",
    web.seed,
    "--delay-ms",
    "0",
    "--allow-address",
    "127.0.0.0/8",
    "--scope",
    "any",
    "--json",
    "--data",
    folder.path,
  ];
  try {
    let published: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = spawnOutrider(command);
      const before = (await web.stats()).requests;
      const wanted = before + 20 + Math.floor(Math.random() * 120);
      for (let polls = 0; polls < 400 && (await web.stats()).requests < wanted; polls++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      victim.kill("SIGKILL");
      await victim.ended;
      const now = wholeLines(join(folder.path, "pages.jsonl"));
      // What was written behind the publisher's last saved state is cut at the next start, and then written again.
      const both = Math.min(now.length, published.length);
      assert.deepEqual(now.slice(0, both), published.slice(0, both), "lines that were published stay as they are");
      if (now.length > published.length) published = now;
    }
    const ended = await runOutrider(command);
    assert.equal(ended.code, 0, ended.stderr);
    const summary = summaryOf(ended);
    assert.equal(summary.ended, "finished");
    const log = await web.log();
    const truth = groundTruth(web.config);
    assert.deepEqual(checkCoverage(log, truth), []);
    assert.deepEqual(checkRobots(log, truth), []);
    assert.deepEqual(
      checkRepeats(log, truth, { inFlightAtKills: KILLS * HOSTS * IN_FLIGHT }).filter(({ detail }) =>
        !detail.startsWith("robots.txt")
      ),
      [],
    );
    const pages = checkPages(folder.path);
    assert.equal(pages.length, summary.fetched);
    const urls = new Set(pages.map((page) => page.url));
    for (const line of published.slice(1)) assert.ok(urls.has(JSON.parse(line).url), "an acknowledged page is lost");
    checkIndex(folder.path);
    const check = await runOutrider(["warc", "check", ...warcFiles(folder.path)]);
    assert.equal(check.code, 0, check.stdout + check.stderr);
  } finally {
    await web.stop();
    await folder.remove();
  }
}, { timeoutMs: 240_000 });
