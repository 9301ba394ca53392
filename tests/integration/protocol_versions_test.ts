/**
 * An edge of protocol version 1 at a coordinator of version 2: its messages stand here as that version sent them, so that
 * a change of the schemas can't change them along.
 */

import assert from "node:assert/strict";
import { MemoryControlStore } from "../../coordinator/store/memory_control_store.ts";
import { nativeDigest, systemClock } from "../../runtime/node.ts";
import { apiParts, EDGE_TOKEN } from "../support/api_parts.ts";
import { type Answer, apiClient } from "../support/api_client.ts";
import { withControlPlane } from "../support/control_plane.ts";
import { crawlSpec } from "../support/specs.ts";
import { spec } from "../support/frontier.ts";
import { test } from "../support/test.ts";
import { createAtBoth, domainsOf, leaseOf, startPair } from "../support/two_coordinators.ts";

const SEED = "http://a.test/";
const VERSION_1 = { token: EDGE_TOKEN, headers: { "outrider-protocol": "1" } };
const BODY = "User-agent: *\nDisallow: /private\n";
const DIGEST = nativeDigest.sha256Hex(new TextEncoder().encode(BODY));
const LEASE = { worker_id: "old", region: "here", max: 50, max_leases: 8, holding: 0 };

type Ask = (verb: string, json?: unknown) => Promise<Answer>;

const robotsOutcome = {
  target_id: "robots:http://a.test",
  status: "robots",
  origin: "http://a.test",
  requests: 1,
  http_code: 200,
  class: "rules",
  body: BODY,
  digest: DIGEST,
};

const pageOutcome = (target_id: string, outlinks: readonly string[]) => ({
  target_id,
  status: "fetched",
  http_code: 200,
  requests: 1,
  timings: { started_ago_ms: 10, total_ms: 5 },
  capture: {
    fetched_at: 1_700_000_000_000,
    record: { storage_key: "old/warc/a.warc.gz", offset: 0, length: 9 },
    content_hash: "0123456789abcdef".repeat(4),
    payload_digest: "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
    length: 9,
    wire_length: 9,
    content_type: "text/html",
  },
  outlinks,
});

async function workAsOldEdge(ask: Ask): Promise<void> {
  const granted = await ask("lease", LEASE);
  assert.equal(granted.status, 200);
  const { leases: [lease], slot_map } = granted.body;
  assert.deepEqual(slot_map, { version: 1, starts: [0, 2048] }, "the map as version 1 reads it");
  const fence = { worker_id: "old", lease_id: lease.lease_id, epoch: lease.epoch, slot: lease.slot };
  assert.equal((await ask("extend", fence)).body.status, "ok");
  const permit = await ask("address_permits", { ...fence, address: "192.0.2.1", gap_ms: 1000, max_parallel: 1 });
  assert.equal(permit.body.granted, true);
  assert.equal((await ask("permits", { ...fence, host: "b.test", domain: "b.test" })).body.granted, true);
  const returned = { worker_id: "old", lease_id: lease.lease_id, addresses: ["192.0.2.1"], last_start_ago_ms: 3 };
  assert.equal((await ask("permits_return", returned)).status, 200);
  assert.equal((await ask("settled", { ...fence, last_start_ago_ms: 3, gap_ms: 1000 })).status, 200);
  const page = lease.targets.find(({ kind }: { kind: string }) => kind === "page");
  const links = Array.from({ length: 40 }, (_, i) => `http://host${i}.test/`);
  const outcomes = [robotsOutcome, pageOutcome(page.target_id, links)];
  const completed = await ask("complete", { ...fence, outcomes, done: true, last_start_ago_ms: 3, gap_ms: 1000 });
  assert.equal(completed.body.status, "ok");
  assert.ok(completed.body.accepted > 0);
  assert.equal((await ask("extend", fence)).body.status, "stale");
}

async function carryAsOldEdge(ask: Ask): Promise<number> {
  const { outbox } = (await ask("lease", { ...LEASE, max_leases: 0 })).body;
  assert.ok(outbox.length > 0, "there are rows to carry");
  assert.equal((await ask("outbox", { worker_id: "old", rows: outbox })).status, 200);
  const names = outbox.map(({ lease_id, seq }: { lease_id: string; seq: number }) => ({ lease_id, seq }));
  assert.equal((await ask("outbox_ack", { worker_id: "old", rows: names })).status, 200);
  return outbox.length;
}

test("protocol 1: an edge works for a coordinator that has all shards, by its own messages", async () => {
  await withControlPlane(async (plane) => {
    const client = apiClient(apiParts(plane));
    const ask: Ask = (verb, json) => client(`POST /v1/frontier/${verb}`, { ...VERSION_1, json });
    await plane.coordinator.createCrawl("c", {
      ...crawlSpec([SEED]),
      scope: { ...crawlSpec([SEED]).scope, kind: "any" },
    });
    await workAsOldEdge(ask);
    await carryAsOldEdge(ask);
    assert.equal(plane.coordinator.stats("c")!.outbox_rows, 0, "acknowledged without the name of a shard");
    assert.equal(plane.coordinator.stats("c")!.accepted, 41);
    const body = await client(`GET /v1/frontier/robots/${DIGEST}`, VERSION_1);
    assert.deepEqual(body.status === 200 ? body.body : body.status, { body: BODY });
    const shards = await Promise.all(
      [0, 1].map((shard) => ask("captures", { storage_prefix: "old/", shard, after_seq: -1, limit: 10 })),
    );
    assert.equal(shards.reduce((sum, { body }) => sum + body.rows.length, 0), 1);
    const release = { worker_id: "old", leases: [{ lease_id: "none", epoch: 1, slot: 0 }], reason: "stopping" };
    assert.equal((await ask("release", release)).status, 200);
  }, { shards: 2 });
});

test("protocol 1: where there are several coordinators an edge gets nothing, and is told to be upgraded", async () => {
  const pair = await startPair();
  const [coordinator] = pair.coordinators;
  const [host] = await domainsOf(0, 1);
  await createAtBoth(pair, spec([`https://${host}/`]));
  const control = new MemoryControlStore(pair.world.control);
  const client = apiClient(apiParts({ coordinator, control, clock: systemClock, advance() {} }));
  const old = (await client("POST /v1/frontier/lease", { ...VERSION_1, json: LEASE })).body;
  assert.deepEqual([old.leases, old.outbox], [[], []]);
  assert.match(old.reason, /protocol 1.*upgrade/);
  const lease = await leaseOf(coordinator, host!);
  assert.equal(lease.host, host, "others get what it didn't");
  // A lease of the time when this coordinator had everything.
  const foreign = { worker_id: "old", lease_id: "l", epoch: 1, slot: 4_095 };
  const refused = await client("POST /v1/frontier/complete", {
    ...VERSION_1,
    json: { ...foreign, outcomes: [], done: true },
  });
  assert.equal(refused.status, 421);
  await pair.close();
});

test("protocol: versions that aren't served are refused with those that are", async () => {
  await withControlPlane(async (plane) => {
    const client = apiClient(apiParts(plane));
    for (const version of ["0", "3", "x"]) {
      const headers = { "outrider-protocol": version };
      const answer = await client("POST /v1/frontier/lease", { token: EDGE_TOKEN, headers, json: LEASE });
      assert.equal(answer.status, 400);
      assert.match(answer.body.detail, /serves 1 and 2/);
    }
  });
});
