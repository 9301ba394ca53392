/** The API over the real coordinator: what developers and operators rely on. */

import assert from "node:assert/strict";
import { parseTokens } from "../../coordinator/api/tokens.ts";
import { LIMITS } from "../../protocol/mod.ts";
import { nativeDigest } from "../../runtime/node.ts";
import { type Answer, apiClient } from "../support/api_client.ts";
import { apiParts, OPERATOR_TOKEN } from "../support/api_parts.ts";
import { type ControlPlane, withControlPlane } from "../support/control_plane.ts";
import { fetched, robots, targetOf } from "../support/outcomes.ts";
import { test } from "../support/test.ts";

type Ask = ReturnType<typeof apiClient>;

function apiTest(name: string, body: (ask: Ask, plane: ControlPlane) => Promise<void>): void {
  test(name, () => withControlPlane((plane) => body(apiClient(apiParts(plane)), plane)));
}

/** Asserts a problem of this status whose detail is a sentence, and returns it. */
function problem(answer: Answer, status: number, detail: RegExp): Answer["body"] {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/);
  assert.equal(answer.body.status, status);
  assert.equal(typeof answer.body.type, "string");
  assert.equal(typeof answer.body.title, "string");
  assert.match(answer.body.detail, detail);
  assert.match(answer.body.detail, /\.$/);
  return answer.body;
}

const SEEDS = ["https://example.org/", "https://example.org/a"];

apiTest("a crawl is created, listed, shown and counted", async (ask) => {
  const created = await ask("POST /v1/crawls", {
    json: { seeds: SEEDS, scope: { kind: "host", max_depth: 3 }, priority: 0.9 },
  });
  assert.equal(created.status, 202, JSON.stringify(created.body));
  const { crawl_id: id } = created.body;
  assert.deepEqual(created.body, { crawl_id: id, enqueued: 2, already_seen: 0, rejected: [] });
  const shown = (await ask(`GET /v1/crawls/${id}`)).body;
  assert.equal(shown.state, "running");
  assert.deepEqual(shown.spec.seeds, SEEDS);
  assert.equal(shown.spec.scope.max_depth, 3);
  assert.equal(shown.spec.politeness.delay_ms, LIMITS.delayMs);
  const listed = (await ask("GET /v1/crawls")).body.crawls;
  assert.deepEqual(listed.map((crawl: { crawl_id: string }) => crawl.crawl_id), [id]);
  const stats = (await ask(`GET /v1/crawls/${id}/stats`)).body;
  assert.deepEqual([stats.crawl_id, stats.accepted, stats.queued, stats.fetched], [id, 2, 2, 0]);
});

apiTest("the same named crawl again resumes, with another spec it is a conflict", async (ask) => {
  const json = { crawl_id: "mine", seeds: SEEDS };
  assert.equal((await ask("POST /v1/crawls", { json })).body.enqueued, 2);
  const again = await ask("POST /v1/crawls", { json });
  assert.equal(again.status, 202);
  assert.equal(again.body.enqueued, 0);
  problem(await ask("POST /v1/crawls", { json: { ...json, max_pages: 5 } }), 409, /another spec/);
});

apiTest("an Idempotency-Key gives the first answer again, and stands for one request", async (ask) => {
  const headers = { "idempotency-key": "k-1" };
  const first = await ask("POST /v1/crawls", { json: { seeds: SEEDS }, headers });
  assert.equal(first.status, 202, JSON.stringify(first.body));
  const second = await ask("POST /v1/crawls", { json: { seeds: SEEDS }, headers });
  assert.deepEqual(second.body, first.body);
  assert.equal((await ask("GET /v1/crawls")).body.crawls.length, 1);
  problem(await ask("POST /v1/crawls", { json: { seeds: [SEEDS[0]] }, headers }), 422, /another request/);
  problem(
    await ask("POST /v1/crawls", { json: { seeds: SEEDS }, headers: { "idempotency-key": "a b" } }),
    400,
    /Idempotency-Key/,
  );
  const atOnce = await Promise.all(
    Array.from({ length: 5 }, () => ask("POST /v1/crawl/seeds", { json: { urls: ["https://example.net/"] }, headers })),
  );
  for (const answer of atOnce) assert.deepEqual(answer.body, atOnce[0]!.body);
  assert.equal(atOnce[0]!.body.enqueued, 1);
});

apiTest("an Idempotency-Key has one answer, whichever coordinator is asked first", async (ask, plane) => {
  const other = apiClient(apiParts(plane));
  const headers = { "idempotency-key": "k-1" };
  const request = { json: { urls: ["https://example.net/"] }, headers };
  const answers = await Promise.all([ask, other, ask, other].map((one) => one("POST /v1/crawl/seeds", request)));
  for (const { status, body } of answers) assert.deepEqual([status, body], [202, answers[0]!.body]);
});

apiTest("an Idempotency-Key is the caller's own", async (_, plane) => {
  const tokens = parseTokens(`operator:${OPERATOR_TOKEN} operator:of-another`, nativeDigest);
  const ask = apiClient({ ...apiParts(plane), tokens });
  const headers = { "idempotency-key": "k-1" };
  const first = await ask("POST /v1/crawls", { json: { seeds: SEEDS }, headers });
  const another = await ask("POST /v1/crawls", {
    json: { seeds: ["https://a.example/"] },
    headers,
    token: "of-another",
  });
  assert.deepEqual([first.status, another.status], [202, 202], JSON.stringify(another.body));
  assert.notEqual(another.body.crawl_id, first.body.crawl_id);
});

apiTest("seeds without a crawl join the default crawl, and are seen once", async (ask) => {
  const first = await ask("POST /v1/crawl/seeds", {
    json: { urls: ["https://a.example.org/x", "https://b.example.org/"], priority: 1 },
  });
  assert.equal(first.status, 202, JSON.stringify(first.body));
  const { request_id: requestId, ...counts } = first.body;
  assert.match(requestId, /^[0-9a-f]{16}$/);
  assert.deepEqual(counts, { crawl_id: "default", enqueued: 2, already_seen: 0, rejected: [] });
  const second = await ask("POST /v1/crawl/seeds", {
    json: { urls: ["https://A.example.org:443/x#f", "https://c.example.org/"], max_depth: 2 },
  });
  assert.deepEqual([second.body.enqueued, second.body.already_seen], [1, 1]);
  assert.equal((await ask("GET /v1/crawls/default/stats")).body.accepted, 3);
});

apiTest("a malformed seed refuses the whole request and is named by its index", async (ask) => {
  const urls = ["https://ok.example.org/", "no url", "https://ok.example.org/2", "ftp://example.org/"];
  const { malformed } = problem(await ask("POST /v1/crawl/seeds", { json: { urls } }), 400, /nothing was enqueued/);
  assert.deepEqual(malformed.map((item: { index: number }) => item.index), [1, 3]);
  problem(await ask("GET /v1/crawls/default"), 404, /no crawl/);
  const created = await ask("POST /v1/crawls", { json: { crawl_id: "broken", seeds: urls } });
  assert.deepEqual(problem(created, 400, /malformed/).malformed.map((item: { index: number }) => item.index), [1, 3]);
  problem(await ask("GET /v1/crawls/broken"), 404, /no crawl/);
});

apiTest("the depth of single seeds is counted back from the crawl's limit", async (ask, { coordinator, advance }) => {
  await ask("POST /v1/crawls", {
    json: { crawl_id: "deep", seeds: ["https://z.example.org/"], scope: { max_depth: 5 } },
  });
  const urls = ["https://example.org/"];
  const added = await ask("POST /v1/crawl/seeds", { json: { urls, crawl_id: "deep", max_depth: 0 } });
  assert.equal(added.status, 202, JSON.stringify(added.body));
  advance(1);
  const { leases } = await coordinator.lease({ worker_id: "w", region: "r", max: 50, max_leases: 9, holding: 0 });
  const lease = leases.find(({ host }) => host === "example.org")!;
  const page = targetOf(lease, "page");
  assert.equal(page.depth, 5);
  const { lease_id, epoch, slot } = lease;
  const outcomes = [robots(targetOf(lease, "robots")), fetched(page, ["https://example.org/deeper"])];
  const reply = await coordinator.complete({ worker_id: "w", lease_id, epoch, slot, done: true, outcomes });
  assert.equal(reply.accepted, 0);
  await ask("POST /v1/crawls", { json: { crawl_id: "endless", seeds: SEEDS } });
  problem(
    await ask("POST /v1/crawl/seeds", { json: { urls, crawl_id: "endless", max_depth: 1 } }),
    400,
    /no max_depth/,
  );
});

apiTest("url-status tells what became of a URL, however it is spelt", async (ask, { coordinator }) => {
  await ask("POST /v1/crawl/seeds", { json: { urls: ["https://example.org/a?b=1&a=2"] } });
  const path = (url: string) => `GET /v1/crawl/url-status?url=${encodeURIComponent(url)}`;
  const pending = await ask(path("HTTPS://EXAMPLE.org:443/./a?a=2&b=1#x"));
  assert.equal(pending.status, 200, JSON.stringify(pending.body));
  assert.equal(pending.body.status, "pending");
  assert.equal(pending.body.crawl_id, "default");
  assert.notEqual(pending.body.why, "");
  const { leases: [lease] } = await coordinator.lease({
    worker_id: "w",
    region: "r",
    max: 9,
    max_leases: 1,
    holding: 0,
  });
  assert.equal((await ask(path("https://example.org/a?a=2&b=1"))).body.status, "crawling");
  const { lease_id, epoch, slot } = lease!;
  const outcomes = [robots(targetOf(lease!, "robots")), fetched(targetOf(lease!, "page"))];
  await coordinator.complete({ worker_id: "w", lease_id, epoch, slot, done: true, outcomes });
  const done = (await ask(path("https://example.org/a?a=2&b=1"))).body;
  assert.deepEqual([done.status, done.http_status], ["done", 200]);
  assert.ok(done.last_crawled_at > 0);
  problem(await ask(path("https://example.org/unseen")), 404, /hasn't seen/);
  problem(await ask(`${path("https://example.org/")}&crawl_id=other`), 404, /no crawl/);
  problem(await ask(path("nonsense")), 400, /no absolute URL/);
  problem(await ask("GET /v1/crawl/url-status"), 400, /schema/);
});

apiTest("a crawl is paused, resumed and cancelled, and what has ended stays so", async (ask, { coordinator }) => {
  await ask("POST /v1/crawls", { json: { crawl_id: "a", seeds: SEEDS } });
  const lease = () => coordinator.lease({ worker_id: "w", region: "r", max: 9, max_leases: 1, holding: 0 });
  assert.equal((await ask("POST /v1/crawls/a/pause")).body.state, "paused");
  assert.equal((await ask("POST /v1/crawls/a/pause")).body.state, "paused");
  assert.equal((await lease()).leases.length, 0);
  assert.equal((await ask("POST /v1/crawls/a/resume")).body.state, "running");
  assert.equal((await lease()).leases.length, 1);
  assert.equal((await ask("POST /v1/crawls/a/cancel")).body.state, "cancelled");
  problem(await ask("POST /v1/crawls/a/resume"), 409, /is cancelled/);
  problem(await ask("POST /v1/crawl/seeds", { json: { urls: SEEDS, crawl_id: "a" } }), 409, /cancelled/);
  problem(await ask("POST /v1/crawls/none/pause"), 404, /no crawl/);
});

apiTest("a crawl that is finished is taken up again, one that isn't, isn't", async (ask, { coordinator }) => {
  await ask("POST /v1/crawls", { json: { crawl_id: "a", seeds: SEEDS } });
  problem(await ask("POST /v1/crawls/a/recrawl"), 409, /is running: one that is finished/);
  problem(await ask("POST /v1/crawls/none/recrawl"), 404, /no crawl/);
  const [lease] = (await coordinator.lease({ worker_id: "w", region: "r", max: 9, max_leases: 1, holding: 0 })).leases;
  const outcomes = lease!.targets.map((target) => target.kind === "robots" ? robots(target) : fetched(target));
  const { lease_id, epoch, slot } = lease!;
  await coordinator.complete({ worker_id: "w", lease_id, epoch, slot, outcomes, done: true });
  while ((await ask("GET /v1/crawls/a")).body.state !== "finished") {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.deepEqual((await ask("POST /v1/crawls/a/recrawl")).body, { crawl_id: "a", queued: 2 });
  const { state, queued } = (await ask("GET /v1/crawls/a/stats")).body;
  assert.deepEqual([state, queued], ["running", 2]);
});

apiTest("a host policy stops and slows a host, and tells which leases are out", async (ask, { coordinator }) => {
  await ask("POST /v1/crawls", { json: { crawl_id: "a", seeds: SEEDS } });
  const lease = () => coordinator.lease({ worker_id: "w", region: "r", max: 9, max_leases: 1, holding: 0 });
  const { leases: [out] } = await lease();
  const paused = await ask("PUT /v1/hosts/EXAMPLE.org/policy", { json: { paused: true } });
  assert.equal(paused.status, 200, JSON.stringify(paused.body));
  assert.deepEqual(paused.body, { host: "example.org", leases_out: [out!.lease_id] });
  const { lease_id, epoch, slot } = out!;
  assert.equal((await coordinator.extend({ worker_id: "w", lease_id, epoch, slot })).stop, true);
  for (const host of ["a:80", "a%2Fb", "a%20b"]) {
    problem(await ask(`PUT /v1/hosts/${host}/policy`, { json: {} }), 400, /no hostname/);
  }
  problem(await ask("PUT /v1/hosts/a/policy", { json: { max_parallel: 0 } }), 400, /max_parallel/);
});

apiTest(
  "a host is pinned to a region: its lease elsewhere is told to stop, and the host says so",
  async (ask, { coordinator }) => {
    await ask("POST /v1/crawls", { json: { crawl_id: "a", seeds: SEEDS } });
    const lease = () => coordinator.lease({ worker_id: "w", region: "r", max: 9, max_leases: 1, holding: 0 });
    const { leases: [out] } = await lease();
    assert.equal((await ask("PUT /v1/hosts/example.org/policy", { json: { region: "eu" } })).status, 200);
    const { lease_id, epoch, slot } = out!;
    assert.equal((await coordinator.extend({ worker_id: "w", lease_id, epoch, slot })).stop, true);
    const { body } = await ask("GET /v1/hosts/EXAMPLE.org");
    assert.deepEqual([body.host, body.domain, body.placement.pinned, body.placement.leased_to], [
      "example.org",
      "example.org",
      "eu",
      "r",
    ]);
    assert.equal(body.placement.regions[0].tries, 1);
    problem(await ask("PUT /v1/hosts/example.org/policy", { json: { region: "e u" } }), 400, /region/);
    problem(await ask("GET /v1/hosts/unknown.example"), 404, /unknown.example is known/);
    problem(await ask("GET /v1/hosts/a:80"), 400, /no hostname/);
  },
);

apiTest("a URL is explained and a host tells what was refused", async (ask) => {
  await ask("POST /v1/crawls", { json: { crawl_id: "a", seeds: SEEDS, scope: { max_depth: 2 } } });
  const about = (url: string) => ask(`GET /v1/explain?crawl_id=a&url=${encodeURIComponent(url)}`);
  const seed = await about(`${SEEDS[0]}#x`);
  assert.equal(seed.status, 200, JSON.stringify(seed.body));
  assert.deepEqual([seed.body.status, seed.body.row.discovery_path, seed.body.row.in_links], ["pending", "I", 1]);
  const stranger = await about("https://stranger.example/");
  assert.deepEqual([stranger.body.status, stranger.body.refusal], ["unknown", "scope"]);
  assert.match(stranger.body.why, /refused at the door \(scope\)/);
  problem(await about("mailto:a@b"), 400, /http or https/);
  problem(await ask("GET /v1/explain?crawl_id=none&url=https://example.org/"), 404, /no crawl/);
  const urls = [{ url: "https://stranger.example/", depth: 1, discovered_from: SEEDS[0] }];
  await ask("POST /v1/frontier/enqueue", { json: { crawl_id: "a", urls } });
  const { body: host } = await ask("GET /v1/hosts/stranger.example");
  assert.deepEqual(host.crawls[0].rejected_by_reason, { scope: 1 });
  const { body: own } = await ask("GET /v1/hosts/example.org");
  assert.deepEqual([own.crawls[0].accepted, own.crawls[0].budget.used, own.crawls[0].cut], [2, 2, false]);
  assert.deepEqual([own.policy, own.clocks.backoff_ms, own.blocked_reason], [{ paused: false }, 0, ""]);
});

apiTest("the fleet shows its slots and regions", async (ask, { coordinator }) => {
  await ask("POST /v1/crawls", { json: { crawl_id: "a", seeds: SEEDS } });
  const request = { worker_id: "w", region: "eu", max: 9, max_leases: 3, holding: 0 };
  assert.equal((await coordinator.lease(request)).leases.length, 1);
  const { body } = await ask("GET /v1/fleet");
  assert.deepEqual(body.regions, [{ region: "eu", silent: false, leases: 1 }]);
  assert.deepEqual([body.slots.asked, body.slots.idle.no_allowed_host + body.slots.idle.nothing_queued], [3, 2]);
  assert.equal(body.slots.ready_per_slot, 1 / 3);
  await ask("POST /v1/frontier/lease", {
    json: { ...request, worker_id: "x", max: 0, max_leases: 0, unhealthy: "The disk is full." },
  });
  const [w, x] = (await ask("GET /v1/fleet")).body.edges;
  assert.deepEqual([w.worker, w.leases, w.unhealthy], ["w", 1, undefined]);
  assert.deepEqual([x.worker, x.leases, x.unhealthy], ["x", 0, "The disk is full."]);
  assert.ok(x.unhealthy_seconds >= 0 && x.asked_seconds_ago >= 0);
  const metrics = String((await ask("GET /metrics")).body);
  assert.match(metrics, /outrider_edge_unhealthy\{worker="x",region="eu"\} 1/);
});

apiTest("an operator enqueues discoveries with their own depth and origin", async (ask) => {
  await ask("POST /v1/crawls", { json: { crawl_id: "a", seeds: SEEDS, scope: { max_depth: 2 } } });
  const urls = [
    { url: "https://example.org/b", depth: 1, priority: 0.2, discovered_from: SEEDS[0] },
    { url: "https://example.org/c", depth: 3, discovered_from: SEEDS[0] },
    { url: "https://stranger.example/", depth: 1, discovered_from: SEEDS[0] },
    { url: SEEDS[1], depth: 1 },
  ];
  const answer = await ask("POST /v1/frontier/enqueue", { json: { crawl_id: "a", urls } });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  assert.deepEqual([answer.body.accepted, answer.body.already_seen], [1, 1]);
  assert.deepEqual(answer.body.rejected.map((item: { url: string }) => item.url).sort(), [urls[1]!.url, urls[2]!.url]);
});

apiTest("health, readiness, metrics and the OpenAPI document", async (ask) => {
  await ask("POST /v1/crawls", { json: { crawl_id: "a", seeds: SEEDS } });
  assert.deepEqual((await ask("GET /healthz", { token: "" })).body, { status: "ok", version: "0.0.0" });
  assert.deepEqual((await ask("GET /readyz")).body, { status: "ready" });
  const metrics = await ask("GET /metrics");
  assert.match(metrics.headers.get("content-type") ?? "", /^text\/plain/);
  assert.match(metrics.body, /^outrider_accepted_total\{crawl_id="a"\} 2$/m);
  const { body: document } = await ask("GET /openapi.json");
  assert.match(document.openapi, /^3\.1/);
  for (
    const path of ["/v1/crawls", "/v1/crawl/seeds", "/v1/frontier/complete", "/v1/hosts/{host}/policy", "/v1/explain"]
  ) {
    assert.ok(document.paths[path], path);
  }
  assert.ok(document.components.securitySchemes.bearer);
});
