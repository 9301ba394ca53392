/** Tokens that are made and revoked while the API runs, the audit log, rates, CORS, TLS. */

import assert from "node:assert/strict";
import { request as httpsRequest } from "node:https";
import { createApi } from "../../coordinator/api/api.ts";
import { startApi } from "../../coordinator/api/server.ts";
import type { TokenRow } from "../../coordinator/operator_ports.ts";
import { nativeDigest } from "../../runtime/node.ts";
import { serve } from "../../runtime/serve.ts";
import { apiClient } from "../support/api_client.ts";
import { apiParts, EDGE_TOKEN, NAMED_EDGE_TOKEN, OPERATOR_TOKEN, READER_TOKEN } from "../support/api_parts.ts";
import { withControlPlane } from "../support/control_plane.ts";
import { test } from "../support/test.ts";
import { TLS_FIXTURE } from "../support/tls_fixture.ts";

function tokenRow(secret: string, over: Partial<TokenRow> = {}): TokenRow {
  const sha256 = nativeDigest.sha256Hex(new TextEncoder().encode(secret));
  return { id: `t-${secret}`, role: "reader", name: "", sha256, createdAt: 0, expiresAt: 0, revokedAt: 0, ...over };
}

test("tokens: what is made, revoked or expires counts within a second, and the last one's end opens nothing", () =>
  withControlPlane(async (plane) => {
    const { control, clock, advance } = plane;
    const ask = apiClient({ ...apiParts(plane), tokens: [] });
    assert.equal((await ask("GET /v1/crawls", { token: "" })).status, 200);
    const row = tokenRow("fresh", { role: "operator", expiresAt: clock.wallMs() + 60_000 });
    await control.putToken(row);
    advance(1000);
    assert.equal((await ask("GET /v1/crawls", { token: "" })).status, 401);
    assert.equal((await ask("GET /v1/crawls", { token: "fresh" })).status, 200);
    advance(60_000);
    assert.equal((await ask("GET /v1/crawls", { token: "fresh" })).status, 401, "it expired");
    await control.putToken({ ...row, expiresAt: 0 });
    advance(1000);
    assert.equal((await ask("GET /v1/crawls", { token: "fresh" })).status, 200);
    await control.putToken({ ...row, expiresAt: 0, revokedAt: 1 });
    advance(1000);
    assert.equal((await ask("GET /v1/crawls", { token: "fresh" })).status, 401);
    assert.equal(
      (await ask("GET /v1/crawls", { token: "" })).status,
      401,
      "no token is left, and the API stays closed",
    );
  }));

test("tokens: one that was made lets the API listen beyond loopback", () =>
  withControlPlane(async (plane) => {
    const parts = { ...apiParts(plane), tokens: [] };
    await assert.rejects(startApi({ ...parts, serve, hostname: "0.0.0.0", port: 0 }), /without a token/);
    await plane.control.putToken(tokenRow("fresh"));
    await (await startApi({ ...parts, serve, hostname: "0.0.0.0", port: 0 })).close();
  }));

test("audit: each operator's action is listed with who, what and its status; readings and edges' reports aren't", () =>
  withControlPlane(async (plane) => {
    await plane.control.putToken(tokenRow("ops", { role: "operator", name: "ops" }));
    const ask = apiClient(apiParts(plane));
    const json = { crawl_id: "a", seeds: ["https://example.org/"] };
    assert.equal((await ask("POST /v1/crawls", { json, token: "ops" })).status, 202);
    await ask("PUT /v1/hosts/example.org/policy?x=1", { text: "{", token: "ops" });
    await ask("POST /v1/crawls/a/pause", { token: READER_TOKEN });
    await ask("POST /v1/frontier/release", { json: { worker_id: "w", leases: [], reason: "" }, token: EDGE_TOKEN });
    await ask("POST /v1/frontier/enqueue", { json: { urls: [{ url: "https://example.org/b" }], crawl_id: "a" } });
    const { body } = await ask("GET /v1/audit");
    const told = body.actions.map((
      row: Record<string, string>,
    ) => [row.token, row.name, row.method, row.path, row.status]);
    assert.deepEqual(told, [
      ["env-1", "", "POST", "/v1/frontier/enqueue", 202],
      ["t-ops", "ops", "PUT", "/v1/hosts/example.org/policy?x=1", 400],
      ["t-ops", "ops", "POST", "/v1/crawls", 202],
    ]);
    assert.deepEqual(JSON.parse(body.actions[2].body), json);
    assert.ok(Math.abs(body.actions[2].at - Date.now()) < 60_000);
    assert.equal((await ask("GET /v1/audit", { token: READER_TOKEN })).status, 403);
    const page = await ask(`GET /v1/audit?limit=1&before=${body.actions[0].seq}`);
    assert.deepEqual(page.body.actions.map((row: { seq: number }) => row.seq), [body.actions[1].seq]);
    const pruned = await ask(`DELETE /v1/audit?older_than=${Date.now() + 60_000}`);
    assert.deepEqual([pruned.status, pruned.body], [200, { forgotten: 4 }]);
    assert.deepEqual((await ask("GET /v1/audit")).body.actions, []);
  }));

test("audit: an action that can't be logged isn't done", () =>
  withControlPlane(async (plane) => {
    const operators = { ...plane.control, tokens: async () => [], quarantines: async () => [] };
    const broken = Object.assign(operators, { writeAudit: () => Promise.reject(new Error("the disk is full")) });
    const ask = apiClient({ ...apiParts(plane), operators: broken as never });
    const answer = await ask("POST /v1/crawls", { json: { crawl_id: "a", seeds: ["https://example.org/"] } });
    assert.equal(answer.status, 500);
    assert.deepEqual(plane.coordinator.crawls(), []);
  }));

test("rates: a token that asks too often is told when to come again, and others go on", () =>
  withControlPlane(async (plane) => {
    const ask = apiClient({ ...apiParts(plane), rates: { reader: 2, stranger: 1, edge: 0 } });
    const get = async (token: string) => (await ask("GET /v1/crawls", { token })).status;
    assert.deepEqual([
      await get(READER_TOKEN),
      await get(READER_TOKEN),
      await get(READER_TOKEN),
      await get(READER_TOKEN),
    ], [
      200,
      200,
      200,
      200,
    ]);
    const refused = await ask("GET /v1/crawls", { token: READER_TOKEN });
    assert.deepEqual([refused.status, refused.headers.get("retry-after"), refused.body.title], [
      429,
      "1",
      "Too many requests",
    ]);
    assert.match(refused.body.detail, /role reader .* in 1 s\.$/);
    assert.equal(await get(OPERATOR_TOKEN), 200);
    assert.deepEqual([await get("x"), await get("y"), await get("z")], [401, 401, 429], "guesses of one address");
    plane.advance(1000);
    assert.equal(await get(READER_TOKEN), 200);
    for (let i = 0; i < 50; i++) assert.equal(await get(EDGE_TOKEN), 403);
    const open = apiClient({ ...apiParts(plane), tokens: [], rates: { operator: 1, stranger: 1 } });
    for (let i = 0; i < 50; i++) assert.equal((await open("GET /v1/crawls", { token: "" })).status, 200);
  }));

test("CORS: no header of it unless an origin is let in, and then for that origin only", () =>
  withControlPlane(async (plane) => {
    const url = "http://localhost/v1/crawls";
    const authorization = `Bearer ${READER_TOKEN}`;
    const origin = "https://dash.example";
    const preflight = { method: "OPTIONS", headers: { origin, "access-control-request-method": "GET" } };
    const corsOf = ({ headers }: Response) => [...headers.keys()].filter((name) => name.startsWith("access-control"));
    const closed = createApi(apiParts(plane));
    assert.deepEqual(corsOf(await closed.request(url, { headers: { origin, authorization } })), []);
    const refused = await closed.request(url, preflight);
    assert.deepEqual([refused.status, corsOf(refused)], [401, []]);
    const open = createApi({ ...apiParts(plane), corsOrigins: [origin] });
    const answer = await open.request(url, { headers: { origin, authorization } });
    assert.equal(answer.headers.get("access-control-allow-origin"), origin);
    const allowed = await open.request(url, preflight);
    assert.deepEqual([allowed.status, allowed.headers.get("access-control-allow-origin")], [204, origin]);
    const denied = await open.request(url, { headers: { origin } });
    assert.deepEqual([denied.status, denied.headers.get("access-control-allow-origin")], [401, origin]);
    const other = await open.request(url, { headers: { origin: "https://evil.example", authorization } });
    assert.equal(other.headers.get("access-control-allow-origin"), null);
  }));

test("TLS: with a certificate the API speaks HTTPS, and plain HTTP gets no answer of it", () =>
  withControlPlane(async (plane) => {
    const tls = TLS_FIXTURE.leaf;
    const server = await startApi({ ...apiParts(plane), serve, hostname: "127.0.0.1", port: 0, tls });
    try {
      assert.match(server.url, /^https:\/\/127\.0\.0\.1:/);
      const status = await new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${NAMED_EDGE_TOKEN}` };
        const asking = httpsRequest(
          `${server.url}/healthz`,
          { ca: TLS_FIXTURE.ca, headers, agent: false },
          (response) => {
            response.resume().on("end", () => resolve(response.statusCode));
          },
        );
        asking.on("error", reject).end();
      });
      assert.equal(status, 200);
      const plain = await fetch(server.url.replace("https", "http") + "/healthz").then((r) => r.status, () => 0);
      assert.notEqual(plain, 200);
    } finally {
      await server.close();
    }
  }));
