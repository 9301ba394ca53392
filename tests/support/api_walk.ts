/**
 * One good request for each operation of the API, sent in an order in which each has something to answer.
 * Invariant: every operation of the OpenAPI document is among them (tests/integration/api_document_test.ts sees to it).
 */

import assert from "node:assert/strict";
import { slotOf } from "../../protocol/mod.ts";
import { nativeDigest } from "../../runtime/node.ts";
import { createOutboxSeal } from "../../coordinator/api/outbox_seal.ts";
import type { Answer, apiClient } from "./api_client.ts";
import { apiParts } from "./api_parts.ts";
import type { ControlPlane } from "./control_plane.ts";
import { answerAll } from "./frontier.ts";
import { fetched, robots, targetOf } from "./outcomes.ts";

export interface GoodRequest {
  /** As the document names it: `GET /v1/crawls/{crawl_id}`. */
  readonly operation: string;
  readonly method: string;
  /** With path parameters filled in and the query. */
  readonly path: string;
  readonly json?: unknown;
}

type Ask = ReturnType<typeof apiClient>;

const SEED = "https://example.org/";
const RULES = "User-agent: *\nDisallow: /private\nSitemap: https://example.org/s.xml\n";

export async function walkApi(ask: Ask, plane: ControlPlane): Promise<GoodRequest[]> {
  const sent: GoodRequest[] = [];
  const send = async (operation: string, what: { path?: string; json?: unknown } = {}): Promise<Answer["body"]> => {
    const [method, pattern] = operation.split(" ") as [string, string];
    const { path = pattern, json } = what;
    sent.push({ operation, method, path, ...(json === undefined ? {} : { json }) });
    const answer = await ask(`${method} ${path}`, json === undefined ? {} : { json });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await createCrawls(send);
  await workAsEdge(send, plane);
  await finishAndRecrawl(send, plane);
  await lookAround(send);
  await operate(send);
  return sent;
}

type Send = (operation: string, what?: { path?: string; json?: unknown }) => Promise<Answer["body"]>;

async function createCrawls(send: Send): Promise<void> {
  const scope = { kind: "host", domains: ["b.example"], max_depth: 4, include: ["."], exclude: ["\\.zip$"] };
  const politeness = { delay_ms: 1000, delay_factor: 2, delay_cap_ms: 60_000, max_parallel: 1 };
  await send("POST /v1/crawls", {
    json: {
      crawl_id: "walk",
      seeds: [SEED, `${SEED}private`],
      scope,
      politeness,
      priority: 0.5,
      max_pages: 9,
      sitemaps: "none",
    },
  });
  await send("POST /v1/crawls", { json: { crawl_id: "other", seeds: ["https://c.example/"], order: "breadth_first" } });
  await send("POST /v1/crawl/seeds", { json: { urls: [`${SEED}a`], crawl_id: "walk", priority: 1, max_depth: 2 } });
  const urls = [{ url: `${SEED}b`, priority: 0.3, discovered_from: SEED, depth: 1 }];
  await send("POST /v1/frontier/enqueue", { json: { crawl_id: "walk", urls } });
}

const LEASE_REQUEST = { worker_id: "tokyo", region: "eu", max: 9, max_leases: 1, holding: 0 };

async function workAsEdge(send: Send, plane: ControlPlane): Promise<void> {
  const { leases: [first] } = await send("POST /v1/frontier/lease", { json: LEASE_REQUEST });
  const fence = { worker_id: "tokyo", lease_id: first.lease_id, epoch: first.epoch, slot: first.slot };
  await send("POST /v1/frontier/extend", { json: fence });
  await send("POST /v1/frontier/permits", { json: { ...fence, host: "d.example", domain: "d.example" } });
  await send("POST /v1/frontier/address_permits", {
    json: { ...fence, address: "192.0.2.1", gap_ms: 1000, max_parallel: 1 },
  });
  const answered = robots(targetOf(first, "robots"), RULES);
  const page = fetched(targetOf(first, "page"), [`${SEED}c`, "https://elsewhere.example/"]);
  const capture = { ...page.capture, record: { ...page.capture.record, storage_key: "tokyo/warc/a.warc.gz" } };
  await send("POST /v1/frontier/settled", { json: { ...fence, last_start_ago_ms: 5, gap_ms: 1000 } });
  await send("POST /v1/frontier/complete", {
    json: {
      ...fence,
      done: false,
      outcomes: [answered, { ...page, capture, outlink_kinds: "LL" }],
      last_start_ago_ms: 5,
      gap_ms: 1000,
    },
  });
  await send("POST /v1/frontier/permits_return", {
    json: { worker_id: "tokyo", lease_id: first.lease_id, addresses: ["192.0.2.1"], last_start_ago_ms: 5 },
  });
  await send("POST /v1/frontier/visited", { json: { worker_id: "tokyo", slot: first.slot, ticket: "forged" } });
  await send("GET /v1/frontier/map");
  const digest = nativeDigest.sha256Hex(new TextEncoder().encode(RULES));
  await send("GET /v1/frontier/robots/{digest}", { path: `/v1/frontier/robots/${digest}` });
  await send("POST /v1/frontier/captures", { json: { storage_prefix: "tokyo/", shard: 0, after_seq: -1, limit: 10 } });
  const link = { url: `${SEED}d`, depth: 1, hop: 0, discovery_path: "L", discovered_from: SEED, priority: 0.5 };
  const unsealed = { slot: slotOf(0n), crawl_id: "walk", lease_id: "l-9", seq: 1, links: [link] };
  const rows = await createOutboxSeal(apiParts(plane)).sealed([unsealed], "tokyo");
  await send("POST /v1/frontier/outbox", { json: { worker_id: "tokyo", rows } });
  await send("POST /v1/frontier/outbox_ack", { json: { worker_id: "tokyo", rows: [{ lease_id: "l-9", seq: 1 }] } });
  const released = [{ lease_id: first.lease_id, epoch: first.epoch, slot: first.slot }];
  await send("POST /v1/frontier/release", { json: { worker_id: "tokyo", leases: released, reason: "walked" } });
  plane.advance(600_000);
}

/** A crawl of one page comes to its end, and begins anew. */
async function finishAndRecrawl(send: Send, { coordinator, clock }: ControlPlane): Promise<void> {
  const { leases } = await coordinator.lease({ worker_id: "w1", region: "eu", max: 9, max_leases: 9, holding: 0 });
  const lease = leases.find(({ crawl }) => crawl.crawl_id === "other")!;
  await answerAll(coordinator, lease);
  while (coordinator.crawls().find(({ crawlId }) => crawlId === "other")!.state !== "finished") await clock.sleep(5);
  await send("POST /v1/crawls/{crawl_id}/recrawl", { path: "/v1/crawls/other/recrawl" });
}

async function lookAround(send: Send): Promise<void> {
  await send("GET /v1/crawls", { path: "/v1/crawls?limit=10" });
  await send("GET /v1/crawls/{crawl_id}", { path: "/v1/crawls/walk" });
  await send("GET /v1/crawls/{crawl_id}/stats", { path: "/v1/crawls/walk/stats" });
  for (const url of [SEED, `${SEED}a`, `${SEED}private`]) {
    await send("GET /v1/crawl/url-status", {
      path: `/v1/crawl/url-status?crawl_id=walk&url=${encodeURIComponent(url)}`,
    });
  }
  for (const url of [SEED, `${SEED}a`, `${SEED}private`, "https://elsewhere.example/", `${SEED}never`]) {
    await send("GET /v1/explain", { path: `/v1/explain?crawl_id=walk&url=${encodeURIComponent(url)}` });
  }
  await send("GET /v1/hosts/{host}", { path: "/v1/hosts/example.org" });
  await send("GET /v1/fleet");
  await send("GET /v1/domains/{domain}", { path: "/v1/domains/example.org" });
  const { events } = await send("GET /v1/events", { path: "/v1/events?after=&limit=5" });
  await send("GET /v1/pages/{content_hash}", { path: `/v1/pages/${events[0].content_hash}` });
  for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"]) await send(`GET ${path}`);
}

async function operate(send: Send): Promise<void> {
  await send("PUT /v1/hosts/{host}/policy", {
    path: "/v1/hosts/example.org/policy",
    json: { min_delay_ms: 2000, max_parallel: 2, paused: true, blocked_reason: "", region: "eu" },
  });
  await send("PUT /v1/domains/{domain}/policy", {
    path: "/v1/domains/example.org/policy",
    json: { min_delay_ms: 500, max_parallel: 2, paused: false, blocked_reason: "no" },
  });
  await send("POST /v1/domains/{domain}/config", {
    path: "/v1/domains/example.org/config",
    json: { crawl_delay_ms: 2000, allow_crawl: true },
  });
  await send("GET /v1/hosts/{host}", { path: "/v1/hosts/example.org" });
  const { shard } = await send("POST /v1/shards", { json: { location: "https://db.example/frontier-1" } });
  await send("POST /v1/slots/{slot}/move", { path: "/v1/slots/4095/move", json: { to: shard } });
  await send("GET /v1/shards");
  for (const action of ["pause", "resume", "cancel"]) {
    await send(`POST /v1/crawls/{crawl_id}/${action}`, { path: `/v1/crawls/other/${action}` });
  }
  await send("POST /v1/quarantines", { json: { name: "tokyo", reason: "it lied" } });
  await send("GET /v1/quarantines");
  await send("DELETE /v1/quarantines/{name}", { path: "/v1/quarantines/tokyo" });
  await send("GET /v1/audit", { path: "/v1/audit?limit=2" });
  await send("DELETE /v1/audit", { path: "/v1/audit?older_than=1" });
}
