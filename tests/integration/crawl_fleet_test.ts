/**
 * A coordinator and two edges over HTTP give the same result as one process.
 */

import assert from "node:assert/strict";
import { FINISHING } from "../../bench/web/config.ts";
import { groundTruth } from "../../bench/web/mod.ts";
import { checkIndex, checkPages } from "../support/crawl_output.ts";
import { Fleet } from "../support/fleet.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { checkCoverage, checkInvented, checkRepeats } from "../support/web_checks.ts";
import { checkParallel, checkRobots } from "../support/web_manners.ts";
import { spawnWeb } from "../support/web_server.ts";

const WORKERS = ["eu-1", "us-1"];
const ALLOWED = ["--allow-address", "127.0.0.0/8"];

for (const shards of [1, 3]) {
  test(`fleet: coordinator with ${shards} shard(s) and two edges crawl a web to its ground truth`, async () => {
    const web = await spawnWeb({ hosts: 12, pages: 300, pageKb: 3, links: 20, features: [...FINISHING] });
    const folder = temporaryFolder();
    const coordinatorFlags = ["--shards", String(shards), ...ALLOWED];
    const fleet = new Fleet({ folder, workers: WORKERS, edgeFlags: ALLOWED, coordinatorFlags });
    try {
      await fleet.start();
      const body = { seeds: [web.seed], scope: { kind: "any" }, politeness: { delay_ms: 0 } };
      const { crawl_id } = await fleet.api("/v1/crawls", { body });
      const stats = await fleet.untilFinished(String(crawl_id));
      for (const edge of fleet.edges.values()) edge.kill("SIGTERM");
      for (const edge of fleet.edges.values()) {
        assert.ok([0, 143].includes((await edge.ended).code ?? 0), (await edge.ended).stderr);
      }
      const log = await web.log();
      const truth = groundTruth(web.config);
      for (const check of [checkCoverage, checkRepeats, checkInvented, checkRobots]) {
        assert.deepEqual(check(log, truth), []);
      }
      assert.deepEqual(checkParallel(log, { maxParallel: 1 }), []);
      const pages = WORKERS.flatMap((worker) => checkPages(`${folder.file(worker)}/${worker}`));
      assert.equal(pages.length, stats.fetched);
      assert.equal(new Set(pages.map((page) => page.url)).size, pages.length, "both edges fetched a page");
      for (const worker of WORKERS) checkIndex(`${folder.file(worker)}/${worker}`);
    } finally {
      await fleet.stop();
      await web.stop();
      await folder.remove();
    }
  }, { timeoutMs: 180_000 });
}
