/**
 * A coordinator and two edges over HTTP give the same result as one process.
 */

import assert from "node:assert/strict";
import { FINISHING } from "../../bench/web/config.ts";
import { groundTruth } from "../../bench/web/mod.ts";
import { checkIndex, checkPages } from "../support/crawl_output.ts";
import { type Outrider, spawnOutrider } from "../support/outrider_process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { checkCoverage, checkInvented, checkRepeats } from "../support/web_checks.ts";
import { checkParallel, checkRobots } from "../support/web_manners.ts";
import { spawnWeb } from "../support/web_server.ts";

const TOKENS = "operator:op-secret edge:eu-1:eu-secret edge:us-1:us-secret";
const PATIENCE_MS = 90_000;

async function api(base: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${base}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: "Bearer op-secret", "content-type": "application/json", connection: "close" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  assert.ok(response.ok, `${path} was answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

async function untilFinished(base: string, crawlId: string): Promise<Record<string, unknown>> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
    const stats = await api(base, `/v1/crawls/${crawlId}/stats`);
    if (stats.state === "finished") return stats;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(
    `The crawl was not finished after ${PATIENCE_MS} ms: ${
      JSON.stringify(await api(base, `/v1/crawls/${crawlId}/stats`))
    }`,
  );
}

for (const shards of [1, 3]) {
  test(`fleet: coordinator with ${shards} shard(s) and two edges crawl a web to its ground truth`, async () => {
    const web = await spawnWeb({ hosts: 12, pages: 300, pageKb: 3, links: 20, features: [...FINISHING] });
    const folder = temporaryFolder();
    const running: Outrider[] = [];
    const start = (args: string[], env: Record<string, string>) => {
      const outrider = spawnOutrider(args, { env });
      running.push(outrider);
      return outrider;
    };
    try {
      const coordinator = start([
        "coordinator",
        "--port",
        "0",
        "--shards",
        String(shards),
        "--allow-address",
        "127.0.0.0/8",
        "--data",
        folder.file("coordinator"),
      ], { OUTRIDER_TOKENS: TOKENS });
      const base = /http:\/\/\S+/.exec(await coordinator.line(/listens on/))![0].replace(/\/$/, "");
      const workers = ["eu-1", "us-1"];
      for (const worker of workers) {
        start([
          "edge",
          "--coordinator",
          base,
          "--region",
          worker.slice(0, 2),
          "--worker",
          worker,
          "--allow-address",
          "127.0.0.0/8",
          "--data",
          folder.file(worker),
        ], { OUTRIDER_TOKEN: `${worker.slice(0, 2)}-secret` });
      }
      const { crawl_id } = await api(base, "/v1/crawls", {
        seeds: [web.seed],
        scope: { kind: "any" },
        politeness: { delay_ms: 0 },
      });
      const stats = await untilFinished(base, String(crawl_id));
      for (const edge of running.slice(1)) edge.kill("SIGTERM");
      for (const edge of running.slice(1)) {
        assert.ok([0, 143].includes((await edge.ended).code ?? 0), (await edge.ended).stderr);
      }
      const log = await web.log();
      const truth = groundTruth(web.config);
      for (const check of [checkCoverage, checkRepeats, checkInvented, checkRobots]) {
        assert.deepEqual(check(log, truth), []);
      }
      assert.deepEqual(checkParallel(log, { maxParallel: 1 }), []);
      const pages = workers.flatMap((worker) => checkPages(`${folder.file(worker)}/${worker}`));
      assert.equal(pages.length, stats.fetched);
      assert.equal(new Set(pages.map((page) => page.url)).size, pages.length, "both edges fetched a page");
      for (const worker of workers) checkIndex(`${folder.file(worker)}/${worker}`);
    } finally {
      for (const outrider of running) outrider.kill("SIGKILL");
      await Promise.all(running.map((outrider) => outrider.ended));
      await web.stop();
      await folder.remove();
    }
  }, { timeoutMs: 180_000 });
}
