/** The typed client against a real coordinator: types, refusals, and the example that uses it. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ApiRefused, done, outriderClient } from "../../coordinator/api/client.ts";
import { startApi } from "../../coordinator/api/server.ts";
import { serve } from "../../runtime/serve.ts";
import { apiParts, OPERATOR_TOKEN, READER_TOKEN } from "../support/api_parts.ts";
import { type ControlPlane, withControlPlane } from "../support/control_plane.ts";
import { answerAll } from "../support/frontier.ts";
import { test } from "../support/test.ts";
import { runArguments } from "../support/web_server.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/api_client.ts", import.meta.url));
const SEED = "https://example.org/";

async function withApi(body: (url: string, plane: ControlPlane) => Promise<void>): Promise<void> {
  await withControlPlane(async (plane) => {
    const server = await startApi({ ...apiParts(plane), serve, hostname: "127.0.0.1", port: 0 });
    try {
      await body(server.url, plane);
    } finally {
      await server.close();
    }
  });
}

test("client: calls are typed by the routes, and a refusal is an error with the problem's sentence", () =>
  withApi(async (url) => {
    const { v1, healthz } = outriderClient(url, { token: OPERATOR_TOKEN });
    const { status }: { status: "ok" } = await done(healthz.$get());
    assert.equal(status, "ok");
    const created = await done(v1.crawls.$post({ json: { crawl_id: "typed", seeds: [SEED] }, header: {} }));
    const enqueued: number = created.enqueued;
    assert.deepEqual([created.crawl_id, enqueued], ["typed", 1]);
    const { spec } = await done(v1.crawls[":crawl_id"].pause.$post({ param: { crawl_id: "typed" } }));
    assert.deepEqual(spec.seeds, [SEED]);
    const { leases_out } = await done(
      v1.hosts[":host"].policy.$put({ param: { host: "example.org" }, json: { paused: true } }),
    );
    assert.deepEqual(leases_out, []);
    const status_ = await done(v1.crawl["url-status"].$get({ query: { url: SEED, crawl_id: "typed" } }));
    assert.equal(status_.status, "pending");
    const refused = done(v1.crawls[":crawl_id"].$get({ param: { crawl_id: "none" } }));
    await assert.rejects(refused, (error: ApiRefused) => error.status === 404 && /no crawl "none"/.test(error.message));
    const reader = outriderClient(url, { token: READER_TOKEN });
    // @ts-expect-error: a field that the route doesn't know
    const misspelt = reader.v1.crawls.$post({ json: { seed: [SEED] }, header: {} });
    await assert.rejects(done(misspelt), /role reader/);
  }));

test("client: the example creates a crawl, sees it end, and lists what was stored", () =>
  withApi(async (url, { coordinator, advance }) => {
    const child = spawn(process.execPath, [...runArguments(process.execPath, EXAMPLE), SEED], {
      env: { ...process.env, NO_COLOR: "1", OUTRIDER_URL: url, OUTRIDER_TOKEN: OPERATOR_TOKEN },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => out += text);
    child.stderr.setEncoding("utf8").on("data", (text) => errors += text);
    let code: number | null | undefined;
    const ended = new Promise<void>((resolve) => child.on("close", (exit) => resolve(void (code = exit))));
    const site = (page: string) => page === SEED ? [`${SEED}a`] : [];
    while (code === undefined) {
      const { leases } = await coordinator.lease({ worker_id: "w1", region: "r", max: 9, max_leases: 9, holding: 0 });
      for (const lease of leases) await answerAll(coordinator, lease, site);
      advance(2000);
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
    assert.equal(code, 0, errors);
    assert.match(out, /^crawl c-[0-9a-f]+\n/);
    assert.match(out, /finished: 2 pages, 0 queued, 0 excluded, 0 dead\n/);
    assert.match(out, /200 https:\/\/example\.org\/ in .+ at \d+\n200 https:\/\/example\.org\/a in .+ at \d+\n$/);
  }));
