/**
 * Promise 12: an edge can do no more than its lease allows. Each test is a message that an edge forged, over the API, and
 * what the coordinator makes of it.
 */

import assert from "node:assert/strict";
import { type Lease, LIMITS, type Outcome } from "../../protocol/mod.ts";
import { type Answer, apiClient } from "../support/api_client.ts";
import { apiParts, EDGE_TOKEN, NAMED_EDGE_TOKEN } from "../support/api_parts.ts";
import { type ControlPlane, freshDisks, openControlPlane } from "../support/control_plane.ts";
import { stateOf } from "../support/disk_state.ts";
import { captureOf, fetched, robots, targetOf } from "../support/outcomes.ts";
import { test } from "../support/test.ts";

const A = "https://a.example/";

interface Scene {
  readonly plane: ControlPlane;
  readonly lease: Lease;
  /** A second edge's, of another host. */
  readonly other: Lease;
  tell(verb: string, json: object, token?: string): Promise<Answer>;
  /** Asserts that the message is answered so, and that nothing at all changed. */
  ignored(verb: string, json: object, body: object): Promise<void>;
  stats(): Promise<Answer["body"]>;
}

const fenceOf = ({ lease_id, epoch, slot }: Lease, worker_id = "w1") => ({ worker_id, lease_id, epoch, slot });

function forgedTest(name: string, body: (scene: Scene) => Promise<void>, shards = 1): void {
  test(`forged: ${name}`, async () => {
    const disks = freshDisks(shards);
    const plane = await openControlPlane(disks, { keysUnderWorker: true });
    try {
      const ask = apiClient(apiParts(plane));
      await ask("POST /v1/crawls", {
        json: { crawl_id: "c", seeds: [A, `${A}2`, "https://b.example/"], scope: { kind: "host", max_depth: 2 } },
      });
      const leaseOf = async (worker_id: string) => {
        const json = { worker_id, region: "r", max: 9, max_leases: 1, holding: 0 };
        return (await ask("POST /v1/frontier/lease", { json, token: EDGE_TOKEN })).body.leases[0] as Lease;
      };
      const leases = [await leaseOf("w1"), await leaseOf("w2")];
      const tell = (verb: string, json: object, token = EDGE_TOKEN) =>
        ask(`POST /v1/frontier/${verb}`, { json, token });
      await body({
        plane,
        lease: leases[0]!,
        other: leases[1]!,
        tell,
        async ignored(verb, json, expected) {
          const before = stateOf(disks);
          const { status, body: answer } = await tell(verb, json);
          assert.equal(status, 200, JSON.stringify(answer));
          assert.deepEqual({ ...answer, ...expected }, answer);
          assert.equal(stateOf(disks), before, `${verb} changed something`);
        },
        stats: async () => (await ask("GET /v1/crawls/c/stats")).body,
      });
    } finally {
      await plane.coordinator.close();
    }
  });
}

function pageOf(lease: Lease, worker = "w1", over: Partial<Outcome> = {}): Outcome {
  const page = fetched(targetOf(lease, "page"));
  return { ...page, capture: captureOf("content", `${worker}/warc/a.warc.gz`), ...over } as Outcome;
}

forgedTest("a lease that isn't there, another epoch, another worker's lease", async ({ lease, other, ignored }) => {
  const outcomes = [pageOf(lease)];
  const stale = { status: "stale" };
  const fences = [
    { ...fenceOf(lease), lease_id: "l-none" },
    { ...fenceOf(lease), epoch: lease.epoch + 1 },
    { ...fenceOf(lease), epoch: lease.epoch - 1 },
    { ...fenceOf(lease), worker_id: "w2" },
    { ...fenceOf(other), worker_id: "w1" },
  ];
  for (const fence of fences) {
    await ignored("complete", { ...fence, outcomes, done: true }, stale);
    await ignored("extend", fence, { status: "stale", stop: true });
    await ignored("settled", { ...fence, last_start_ago_ms: 0, gap_ms: 0 }, {});
    const { worker_id, ...named } = fence;
    await ignored("release", { worker_id, leases: [named], reason: "" }, {});
    await ignored("permits", { ...fence, host: "d.example", domain: "d.example" }, { granted: false });
    await ignored("address_permits", { ...fence, address: "192.0.2.1", gap_ms: 0, max_parallel: 8 }, {
      granted: false,
    });
  }
  await ignored("permits_return", { worker_id: "w2", lease_id: lease.lease_id, addresses: ["192.0.2.1"] }, {});
});

forgedTest("outcomes of another host, of robots.txt that nobody asked for", async ({ lease, other, tell, stats }) => {
  const foreign = { ...pageOf(other), target_id: targetOf(other, "page").target_id } as Outcome;
  const unasked = { ...robots(targetOf(other, "robots"), "User-agent: *\nDisallow: /\n") };
  const reply = await tell("complete", { ...fenceOf(lease), outcomes: [foreign, unasked], done: false });
  assert.deepEqual(reply.body, { status: "ok", accepted: 0 });
  const { settled, fetched: answers, requests, leased } = await stats();
  assert.deepEqual([settled, answers, requests, leased], [0, 0, 0, 3]);
  const { body } = await tell("captures", { storage_prefix: "w1/", shard: 0, after_seq: -1, limit: 10 });
  assert.deepEqual(body.rows, []);
});

forgedTest("links out of scope, too deep, of a forged kind", async ({ plane, lease, tell, stats }) => {
  const kinds = "LERSM";
  const stray = ["https://evil.example/", "http://10.0.0.1/", "file:///etc/passwd", "https://evil.a.example/"];
  const outlinks = stray.flatMap((url) => [...kinds].map((kind) => `${url}${kind}`));
  const outcome = pageOf(lease, "w1", { outlinks, outlink_kinds: kinds.repeat(stray.length) } as Partial<Outcome>);
  const outcomes = [robots(targetOf(lease, "robots")), outcome];
  const { body } = await tell("complete", { ...fenceOf(lease), outcomes, done: true });
  assert.equal(body.accepted, 0);
  assert.equal((await stats()).accepted, 3);
  // From depth 0 three steps are too many, whatever the edge calls them.
  for (let depth = 1; depth <= 3; depth++) {
    plane.advance(60_000);
    const json = { worker_id: "w1", region: "r", max: 9, max_leases: 9, holding: 0 };
    const { leases } = (await tell("lease", json)).body as { leases: Lease[] };
    const next = leases.find(({ host }) => host === "a.example");
    if (next === undefined) break;
    const made = next.targets.filter(({ kind }) => kind === "page").map((target) => {
      assert.ok(target.depth <= 2, target.url);
      const links = { outlinks: [`${target.url}/x`], outlink_kinds: "L" };
      return { ...fetched(target), capture: captureOf(target.url, "w1/a"), ...links };
    });
    await tell("complete", { ...fenceOf(next), outcomes: made, done: true });
  }
  const deep = (await stats()).rejected_by_reason.max_depth;
  assert.ok(deep >= 1, "the third step was refused");
});

forgedTest(
  "huge counts, times and delays are clamped, and slow the leased host alone",
  async ({ plane, lease, tell, stats }) => {
    const huge = Number.MAX_SAFE_INTEGER;
    const page = pageOf(lease) as Extract<Outcome, { status: "fetched" }>;
    const capture = { ...page.capture, wire_length: huge, length: huge };
    const timings = { started_ago_ms: 1e300, total_ms: 1e300, connect_ms: 1e300, tcp_ms: 1e300 };
    const outcomes = [
      { ...robots(targetOf(lease, "robots"), "User-agent: *\n"), crawl_delay_ms: 1e300, requests: 1000 },
      { ...page, capture, timings, requests: 1000 },
    ];
    const json = { ...fenceOf(lease), outcomes, done: true, last_start_ago_ms: 1e300, gap_ms: 1e300 };
    assert.equal((await tell("complete", json)).status, 200);
    const { requests, bytes } = await stats();
    assert.ok(requests <= 2 * 12, `${requests} requests`);
    assert.ok(bytes <= 2 * LIMITS.wireBytes, `${bytes} bytes`);
    const { clocks, blockedReason } = plane.coordinator.hostView(lease.host)!;
    assert.ok(
      Number.isFinite(clocks.nextStartInMs) && clocks.nextStartInMs <= 12 * 3_600_000,
      `${clocks.nextStartInMs}`,
    );
    assert.ok(clocks.responseMs <= 10 * 60_000, `${clocks.responseMs}`);
    assert.match(blockedReason, /^robots\.txt asks for a Crawl-delay of 864000 s/);
    const rest = plane.coordinator.hostView(lease.host === "a.example" ? "b.example" : "a.example")!;
    assert.deepEqual([rest.blockedReason, rest.clocks.crawlDelayMs], ["", 0]);
  },
);

forgedTest("an absurd Retry-After is clamped", async ({ plane, lease, tell }) => {
  const base = { target_id: targetOf(lease, "page").target_id, requests: 1, status: "failed" as const };
  const outcome = { ...base, failure: "http_429" as const, http_code: 429, retry_after_ms: Number.MAX_SAFE_INTEGER };
  const { status, body } = await tell("complete", { ...fenceOf(lease), outcomes: [outcome], done: true });
  assert.equal(status, 200, JSON.stringify(body));
  const { nextStartInMs } = plane.coordinator.hostView(lease.host)!.clocks;
  assert.ok(nextStartInMs > 0 && nextStartInMs <= 24 * 3_600_000, `${nextStartInMs}`);
});

forgedTest("a clock can't be talked faster than the lease's own", async ({ plane, lease, tell }) => {
  const hurried = { last_start_ago_ms: 1e12, gap_ms: 0 };
  await tell("settled", { ...fenceOf(lease), ...hurried });
  const outcomes = [robots(targetOf(lease, "robots")), pageOf(lease)];
  await tell("complete", { ...fenceOf(lease), outcomes, done: true, ...hurried });
  const { nextStartInMs } = plane.coordinator.hostView(lease.host)!.clocks;
  assert.ok(nextStartInMs > 0.9 * LIMITS.delayMs, `${nextStartInMs}`);
});

forgedTest("captures outside its worker's folder are no captures", async ({ lease, tell, stats }) => {
  const hop = { url: A, http_code: 302, location: `${A}x`, capture: captureOf("hop", "w2/warc/a.warc.gz") };
  const outcomes = [pageOf(lease, "w2", { hops: [hop] } as Partial<Outcome>)];
  assert.equal((await tell("complete", { ...fenceOf(lease), outcomes, done: false })).status, 200);
  const { fetched: answers, errors_by_class } = await stats();
  assert.deepEqual([answers, errors_by_class], [0, { protocol: 1 }]);
  for (const prefix of ["w2/", "w1/", ""]) {
    const { body } = await tell("captures", { storage_prefix: prefix, shard: 0, after_seq: -1, limit: 10 });
    assert.deepEqual(body.rows, [], prefix);
  }
  const named = {
    ...fenceOf(lease),
    worker_id: "tokyo",
    outcomes: [pageOf(lease, "tokyo", { hops: [hop] } as Partial<Outcome>)],
    done: false,
  };
  const refused = await tell("complete", named, NAMED_EDGE_TOKEN);
  assert.equal(refused.status, 403, "a hop's file too must lie below the token's name");
});

forgedTest("the last request of a page counts once, however often it is reported", async ({ lease, tell, stats }) => {
  const outcomes = [
    robots(targetOf(lease, "robots")),
    pageOf(lease, "w1", { outlinks: [`${A}n`] } as Partial<Outcome>),
  ];
  const twice = { ...fenceOf(lease), outcomes: [...outcomes, ...outcomes], done: false };
  assert.equal((await tell("complete", twice)).body.accepted, lease.host === "a.example" ? 1 : 0);
  assert.equal((await tell("complete", twice)).body.accepted, 0);
  assert.deepEqual([(await stats()).fetched, (await stats()).requests], [1, 2]);
});

forgedTest(
  "outbox rows: made up, changed, with a borrowed seal, acknowledged by who didn't carry them",
  async (scene) => {
    const { plane, tell, lease, other } = scene;
    const home = lease.host === "a.example" ? lease : other;
    const worker = home === lease ? "w1" : "w2";
    const outlinks = Array.from({ length: 30 }, (_, i) => `https://host${i}.example/`);
    await plane.coordinator.createCrawl("wide", {
      ...plane.coordinator.crawls()[0]!.spec,
      seeds: ["https://w.example/"],
      scope: { kind: "any", domains: [], include: [], exclude: [], max_depth: 3 },
    });
    await tell("release", { worker_id: worker, leases: [home], reason: "" });
    const ask = async (worker_id: string, token: string) =>
      (await tell("lease", { worker_id, region: "r", max: 50, max_leases: 9, holding: 0 }, token)).body;
    const wide = ((await ask("w3", EDGE_TOKEN)).leases as Lease[]).find(({ host }) => host === "w.example")!;
    const page = { ...fetched(targetOf(wide, "page"), outlinks), capture: captureOf("x", "w3/a") };
    await tell("complete", { ...fenceOf(wide, "w3"), outcomes: [robots(targetOf(wide, "robots")), page], done: true });
    const { outbox: rows } = await ask("tokyo", NAMED_EDGE_TOKEN);
    assert.ok(rows.length > 0 && rows.every(({ seal }: { seal: string }) => /^[0-9a-f]{64}$/.test(seal)));
    const [row] = rows;
    const link = { ...row.links[0], url: "https://evil.example/", depth: 0, discovery_path: "I" };
    const accepted = () => plane.coordinator.stats("wide")!.accepted;
    const before = accepted();
    for (
      const forged of [
        { ...row, seal: undefined },
        { ...row, seal: "0".repeat(64) },
        { ...row, links: [link] },
        { ...row, links: [] },
        { ...row, crawl_id: "c" },
        { ...row, seq: row.seq + 1 },
        { ...row, lease_id: "l-none" },
        { ...row, links: row.links.map((one: object) => ({ ...one, depth: 0 })) },
      ]
    ) {
      const { status, body } = await tell("outbox", { worker_id: "tokyo", rows: [forged] }, NAMED_EDGE_TOKEN);
      assert.deepEqual([status, accepted()], [400, before], JSON.stringify(body));
      assert.match(body.detail, /isn't as a coordinator handed it out/);
    }
    const waiting = () => plane.coordinator.stats("wide")!.outbox_rows;
    assert.equal(waiting(), rows.length);
    const unknown = rows.map(({ lease_id, seq }: { lease_id: string; seq: number }) => ({ lease_id, seq }));
    const paris = {
      ...apiParts(plane),
      tokens: apiParts(plane).tokens.map((one) => one.name === "tokyo" ? { ...one, name: "paris" } : one),
    };
    const asParis = apiClient(paris);
    const ack = await asParis("POST /v1/frontier/outbox_ack", {
      json: { worker_id: "paris", rows: unknown },
      token: NAMED_EDGE_TOKEN,
    });
    assert.deepEqual([ack.status, waiting()], [200, rows.length], "rows that others carry stay");
    await tell("outbox", { worker_id: "tokyo", rows }, NAMED_EDGE_TOKEN);
    assert.equal(accepted(), before + rows.reduce((sum: number, one: { links: [] }) => sum + one.links.length, 0));
    await tell("outbox_ack", { worker_id: "tokyo", rows: unknown }, NAMED_EDGE_TOKEN);
    assert.equal(waiting(), 0);
  },
  4,
);
