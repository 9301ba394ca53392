/** What the API refuses: strangers, wrong roles, malformed and oversized requests, forged edge messages. */

import assert from "node:assert/strict";
import { startApi } from "../../coordinator/api/server.ts";
import { LIMITS } from "../../protocol/mod.ts";
import { serve } from "../../runtime/serve.ts";
import { type Answer, apiClient } from "../support/api_client.ts";
import { apiParts, EDGE_TOKEN, NAMED_EDGE_TOKEN, OPERATOR_TOKEN, READER_TOKEN } from "../support/api_parts.ts";
import { type ControlPlane, withControlPlane } from "../support/control_plane.ts";
import { captureOf } from "../support/outcomes.ts";
import { test } from "../support/test.ts";

type Ask = ReturnType<typeof apiClient>;

function apiTest(name: string, body: (ask: Ask, plane: ControlPlane) => Promise<void>): void {
  test(name, () => withControlPlane((plane) => body(apiClient(apiParts(plane)), plane)));
}

function refused(answer: Answer, status: number, detail: RegExp): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/);
  assert.match(answer.body.detail, detail);
}

const LEASE = { worker_id: "tokyo", region: "r", max: 1, max_leases: 1, holding: 0 };

apiTest("a request without a valid token is refused everywhere but at /healthz", async (ask) => {
  for (
    const line of ["GET /v1/crawls", "POST /v1/crawls", "GET /metrics", "GET /readyz", "GET /openapi.json", "GET /none"]
  ) {
    for (const token of ["", "wrong", `${OPERATOR_TOKEN}x`]) {
      const answer = await ask(line, { token });
      refused(answer, 401, /Bearer/);
      assert.equal(answer.headers.get("www-authenticate"), "Bearer");
    }
  }
  assert.equal((await ask("GET /healthz", { token: "wrong" })).status, 200);
});

apiTest("a role may do its own work only", async (ask) => {
  assert.equal((await ask("GET /v1/crawls", { token: READER_TOKEN })).status, 200);
  refused(await ask("POST /v1/crawls", { token: READER_TOKEN, json: {} }), 403, /role reader/);
  refused(await ask("POST /v1/frontier/lease", { token: READER_TOKEN, json: LEASE }), 403, /role reader/);
  assert.equal((await ask("POST /v1/frontier/lease", { token: EDGE_TOKEN, json: LEASE })).status, 200);
  refused(await ask("GET /v1/crawls", { token: EDGE_TOKEN }), 403, /role edge/);
  refused(await ask("POST /v1/frontier/enqueue", { token: EDGE_TOKEN, json: { urls: [] } }), 403, /role edge/);
  assert.equal((await ask("POST /v1/frontier/lease", { token: OPERATOR_TOKEN, json: LEASE })).status, 200);
});

apiTest("paths, methods and bodies that don't fit are problems", async (ask) => {
  refused(await ask("GET /v2/crawls"), 404, /openapi/);
  const wrongMethod = await ask("DELETE /v1/crawls");
  refused(wrongMethod, 405, /GET or POST/);
  assert.equal(wrongMethod.headers.get("allow"), "GET, POST");
  refused(await ask("PUT /v1/crawls/a/stats"), 405, /GET/);
  refused(await ask("POST /v1/crawls/a/explode"), 404, /nothing at/);
  refused(await ask("POST /v1/crawls", { text: "{" }), 400, /no JSON/);
  refused(await ask("POST /v1/crawls", { text: "[]" }), 400, /schema/);
  refused(await ask("POST /v1/crawls", { text: "null" }), 400, /schema/);
  refused(await ask("POST /v1/crawls", { text: "seeds=x", headers: { "content-type": "text/plain" } }), 415, /JSON/);
  refused(await ask("POST /v1/crawls", { json: { seeds: ["https://example.org/"], max_page: 3 } }), 400, /max_page/);
  refused(await ask("POST /v1/crawls", { json: { seeds: ["https://e.org/"], priority: 2 } }), 400, /priority/);
  refused(
    await ask("POST /v1/crawls", { json: { seeds: ["https://e.org/"], scope: { include: ["("] } } }),
    400,
    /include/,
  );
  refused(
    await ask("POST /v1/crawls", { json: { seeds: ["https://e.org/"], politeness: { delay_ms: 0 } } }),
    400,
    /opened/,
  );
  refused(await ask("GET /v1/crawls?limit=0"), 400, /limit/);
  for (const limit of ["x", "", "0x10", "1e2", "%205", "1.0"]) {
    refused(await ask(`GET /v1/crawls?limit=${limit}`), 400, /limit.* a whole number is wanted/);
  }
  refused(await ask("GET /v1/crawls?limits=1"), 400, /no field "limits" is known/);
  refused(await ask("GET /v1/explain?url=https://e.org/&crawl=a"), 400, /query .*no field "crawl" is known/);
  refused(await ask("GET /v1/crawls/UPPER"), 400, /schema/);
});

apiTest("a body over the limit is refused, declared or not", async (ask) => {
  const text = JSON.stringify({ seeds: ["https://example.org/"], contact: "x".repeat(LIMITS.apiBodyBytes) });
  refused(await ask("POST /v1/crawls", { text }), 413, /larger than/);
});

test("a chunked body over the limit is cut off by the server", () =>
  withControlPlane(async (plane) => {
    const server = await startApi({ ...apiParts(plane), serve, hostname: "127.0.0.1", port: 0 });
    try {
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sent > LIMITS.apiBodyBytes + 1_000_000) return controller.close();
          sent += 1_000_000;
          controller.enqueue(new Uint8Array(1_000_000).fill(32));
        },
      });
      const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" };
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      const response = await fetch(`${server.url}/v1/crawls`, init);
      assert.equal(response.status, 413);
      assert.match(await response.text(), /larger than/);
    } finally {
      await server.close();
    }
  }));

apiTest("an edge of another protocol is told so", async (ask) => {
  const headers = { "outrider-protocol": "99" };
  refused(await ask("POST /v1/frontier/lease", { json: LEASE, headers }), 400, /speaks protocol 99/);
  assert.equal(
    (await ask("POST /v1/frontier/lease", { json: LEASE, headers: { "outrider-protocol": "1" } })).status,
    200,
  );
});

apiTest("a named edge token speaks for its own workers and files only", async (ask) => {
  const token = NAMED_EDGE_TOKEN;
  for (const worker_id of ["tokyo", "tokyo.2"]) {
    assert.equal((await ask("POST /v1/frontier/lease", { token, json: { ...LEASE, worker_id } })).status, 200);
  }
  const fence = { lease_id: "l", epoch: 1, slot: 1 };
  for (const worker_id of ["paris", "tokyo2", "xtokyo", "tokyo-2"]) {
    refused(await ask("POST /v1/frontier/lease", { token, json: { ...LEASE, worker_id } }), 403, /edge tokyo/);
    refused(await ask("POST /v1/frontier/extend", { token, json: { worker_id, ...fence } }), 403, /edge tokyo/);
    const release = { worker_id, leases: [], reason: "" };
    refused(await ask("POST /v1/frontier/release", { token, json: release }), 403, /edge tokyo/);
  }
  const captures = (storage_prefix: string) => ({ token, json: { storage_prefix, shard: 0, after_seq: -1, limit: 1 } });
  refused(await ask("POST /v1/frontier/captures", captures("paris/")), 403, /below/);
  refused(await ask("POST /v1/frontier/captures", captures("")), 403, /below/);
  assert.equal((await ask("POST /v1/frontier/captures", captures("tokyo/"))).status, 200);
  const complete = (key: string) => {
    const outcome = {
      target_id: "t",
      status: "fetched",
      http_code: 200,
      requests: 1,
      outlinks: [],
      capture: captureOf("x", key),
    };
    return ask("POST /v1/frontier/complete", {
      token,
      json: { worker_id: "tokyo", ...fence, outcomes: [outcome], done: true },
    });
  };
  refused(await complete("paris/a.warc.gz"), 403, /below/);
  assert.deepEqual((await complete("tokyo/a.warc.gz")).body, { status: "stale", accepted: 0 });
});

apiTest("forged frontier messages are refused before they reach the frontier", async (ask) => {
  const capture = captureOf("x");
  const outcome = { target_id: "t", status: "fetched", http_code: 200, requests: 1, outlinks: [], capture };
  const send = (change: object) => {
    const base = {
      worker_id: "w",
      lease_id: "l",
      epoch: 1,
      slot: 1,
      outcomes: [{ ...outcome, ...change }],
      done: true,
    };
    return ask("POST /v1/frontier/complete", { json: base, token: EDGE_TOKEN });
  };
  assert.equal((await send({})).body.status, "stale");
  const record = (storage_key: string) => ({ capture: { ...capture, record: { ...capture.record, storage_key } } });
  const forged: object[] = [
    record("../../etc/passwd"),
    record("/etc/passwd"),
    record("a/../../b"),
    record("a//b"),
    record("a/./b"),
    record("a\\b"),
    record(""),
    record("a/\u0000"),
    { status: "invented" },
    { requests: -1 },
    { requests: 1.5 },
    { http_code: "200" },
    { outlinks: Array(LIMITS.outlinksPerSitemap + 1).fill("x") },
    { outlinks: [1] },
    { outlink_kinds: "LX" },
    { capture: { ...capture, content_hash: "0".repeat(63) } },
    { capture: { ...capture, length: -1 } },
    { timings: { started_ago_ms: -1, total_ms: 0 } },
    { timings: { started_ago_ms: null, total_ms: 0 } },
  ];
  for (const change of forged) refused(await send(change), 400, /schema/);
  refused(await ask("POST /v1/frontier/lease", { json: { ...LEASE, worker_id: "a/b" } }), 400, /worker_id/);
  refused(
    await ask("POST /v1/frontier/lease", {
      text: '{"worker_id":"a","region":"r","max":1e999,"max_leases":1,"holding":0}',
    }),
    400,
    /max/,
  );
});

test("without tokens only loopback is served, and not to web pages of strangers", () =>
  withControlPlane(async (plane) => {
    const parts = { ...apiParts(plane), tokens: [] };
    for (const hostname of ["0.0.0.0", "::", "example.org", "192.168.1.1"]) {
      await assert.rejects(startApi({ ...parts, serve, hostname, port: 0 }), /without a token/, hostname);
    }
    const server = await startApi({ ...parts, serve, hostname: "127.0.0.1", port: 0 });
    try {
      assert.equal((await (await fetch(`${server.url}/v1/crawls`)).json()).crawls.length, 0);
      const stranger = await fetch(`${server.url}/v1/crawls`, { headers: { origin: "https://evil.example" } });
      assert.equal(stranger.status, 403);
      assert.match((await stranger.json()).detail, /another origin/);
    } finally {
      await server.close();
    }
  }));

test("a token is asked for on loopback too once there is one", () =>
  withControlPlane(async (plane) => {
    const server = await startApi({ ...apiParts(plane), serve, hostname: "127.0.0.1", port: 0 });
    try {
      const response = await fetch(`${server.url}/v1/crawls`);
      assert.equal(response.status, 401);
      await response.text();
    } finally {
      await server.close();
    }
  }));
