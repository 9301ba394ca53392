/**
 * Two coordinators on one frontier and four edges in three regions, killed and stopped at random: the crawl comes to the
 * ground truth of its web, and no promise is broken in the servers' log. By hand, as leases of killed edges last for minutes:
 * `OUTRIDER_TEST_CHAOS_MINUTES=10 deno test -A tests/integration/chaos_test.ts`, and `OUTRIDER_TEST_CHAOS_SEED=n` for other
 * chance.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { FINISHING } from "../../bench/web/config.ts";
import { groundTruth } from "../../bench/web/mod.ts";
import { Chance } from "../simulation/chance.ts";
import { ChaosFleet } from "../support/chaos_fleet.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { checkCoverage, checkInvented, checkRepeats } from "../support/web_checks.ts";
import { checkGaps, checkParallel, checkRobots } from "../support/web_manners.ts";
import { spawnWeb } from "../support/web_server.ts";

const GIVEN = process.env.OUTRIDER_TEST_CHAOS_MINUTES;
const MINUTES = Number(GIVEN ?? 10);
const SKIP = GIVEN === undefined ? "it takes minutes: OUTRIDER_TEST_CHAOS_MINUTES says how many" : undefined;
const SEED = Number(process.env.OUTRIDER_TEST_CHAOS_SEED ?? 1);
const HOSTS = 24;
const DELAY_MS = 300;
/** What a crawl that is left in peace would fetch in the time, about. */
const PAGES = Math.round(MINUTES * 60 * 15);
/** A trap is deep, and its host has one clock. */
const FEATURES = FINISHING.filter((name) => name !== "traps");
const PATIENCE_MS = 180_000 + 3 * MINUTES * 60_000;
/** Pages that an edge may have fetched and not told of when it is killed: a lease of each host. */
const UNTOLD_PER_KILL = HOSTS * 4;

test(`chaos: ${MINUTES.toFixed(1)} minutes of kills under two coordinators and four edges, seed ${SEED}`, async () => {
  const web = await spawnWeb({ hosts: HOSTS, pages: PAGES, pageKb: 3, links: 20, features: FEATURES });
  const folder = temporaryFolder();
  const fleet = new ChaosFleet({
    folder,
    chance: new Chance(SEED),
    coordinators: 2,
    shards: 3,
    regions: ["eu", "eu", "us", "ap"],
    edgeFlags: ["--allow-address", "127.0.0.0/8"],
    coordinatorFlags: ["--contact", "ops@crawl.example"],
    ownerTtlMs: 3_000,
  });
  try {
    await fleet.start();
    const { crawl_id } = await fleet.api("/v1/crawls", {
      crawl_id: "chaos",
      seeds: [web.seed],
      scope: { kind: "any" },
      politeness: { delay_ms: DELAY_MS, delay_factor: 0 },
    });
    const kills = await fleet.suffer(Date.now() + MINUTES * 60_000);
    await fleet.untilFinished(String(crawl_id), PATIENCE_MS);
    await fleet.settle();
    const log = await web.log();
    const truth = groundTruth(web.config);
    const told = fleet.troubles.join("; ");
    assert.deepEqual([...checkCoverage(log, truth), ...checkInvented(log, truth)], [], told);
    assert.deepEqual([...checkRobots(log, truth), ...checkParallel(log, { maxParallel: 1 })], [], told);
    assert.deepEqual(checkGaps(log, { delayMs: DELAY_MS }), [], told);
    const repeats = checkRepeats(log, truth, { inFlightAtKills: kills * UNTOLD_PER_KILL });
    // A verdict on robots.txt that an edge died with is asked for again.
    assert.deepEqual(repeats.filter(({ url }) => !url.endsWith("/robots.txt")), [], told);
  } finally {
    await fleet.stop();
    await web.stop();
    await folder.remove();
  }
}, { timeoutMs: PATIENCE_MS + 2 * MINUTES * 60_000 + 120_000, skip: SKIP });
