/**
 * What every FrontierVerbs does, whether the coordinator is in this process or across HTTP.
 * Invariant: each scenario asserts what the protocol promises and returns what was answered, so that the runs of two
 * adapters can be compared to the field.
 */

import assert from "node:assert/strict";
import type { FrontierSettings } from "../../coordinator/frontier/settings.ts";
import type { Completion, FrontierVerbs, Lease, LeaseReply, Outcome } from "../../protocol/mod.ts";
import { LIMITS } from "../../protocol/mod.ts";
import { nativeDigest } from "../../runtime/node.ts";
import type { ControlPlane } from "../support/control_plane.ts";
import { fetched, robots, targetOf } from "../support/outcomes.ts";
import { crawlSpec } from "../support/specs.ts";

export interface Scenario {
  readonly name: string;
  readonly shards?: number;
  readonly settings?: Partial<FrontierSettings>;
  /** What was answered, for comparison between adapters. */
  run(frontier: FrontierVerbs, plane: ControlPlane): Promise<unknown[]>;
}

const WORKER = "edge-1";
const SEED = "http://a.test/";

export function ask(frontier: FrontierVerbs, worker = WORKER): Promise<LeaseReply> {
  return frontier.lease({ worker_id: worker, region: "here", max: 50, max_leases: 8, holding: 0 });
}

/** Asks as often as a worker would until a sweep has noticed what is due. */
async function askUntilGranted(frontier: FrontierVerbs, { clock }: ControlPlane): Promise<Lease> {
  for (let tries = 0; tries < 500; tries++) {
    const { leases: [lease] } = await ask(frontier, "edge-2");
    if (lease) return lease;
    await clock.sleep(10);
  }
  throw new Error("Nothing was leased in 500 tries.");
}

/** The completion of a lease; more fields may follow. */
function report(lease: Lease, outcomes: readonly Outcome[], more: Partial<Completion> = {}): Completion {
  const { lease_id, epoch, slot } = lease;
  return { worker_id: WORKER, lease_id, epoch, slot, outcomes, done: true, ...more };
}

/** A crawl of SEED, and the first lease of its host. */
async function begin(frontier: FrontierVerbs, plane: ControlPlane): Promise<Lease> {
  await plane.coordinator.createCrawl("c", crawlSpec([SEED]));
  const { leases } = await ask(frontier);
  assert.equal(leases.length, 1);
  return leases[0]!;
}

/** Time enough for any gap after a request. */
function passGap(plane: ControlPlane): void {
  plane.advance(2 * LIMITS.delayCapMs);
}

const emptyFrontier: Scenario = {
  name: "with nothing to lease the reply says why and when to ask again",
  async run(frontier) {
    const reply = await ask(frontier);
    assert.deepEqual(reply.leases, []);
    assert.ok(reply.retry_after_ms > 0);
    assert.notEqual(reply.reason, "");
    return [reply];
  },
};

const wholePage: Scenario = {
  name: "a page is leased with its robots, completed with its outlinks, and captured once",
  async run(frontier, plane) {
    const lease = await begin(frontier, plane);
    assert.equal(lease.host, "a.test");
    assert.ok(lease.expires_in_ms > LIMITS.fetchWallMs && lease.expires_in_ms <= LIMITS.leaseMs + 1000);
    const kinds = lease.targets.map(({ kind }) => kind);
    assert.equal(kinds[0], "robots");
    const links = ["http://a.test/1", "http://a.test/2", "http://elsewhere.test/", SEED];
    const completion = report(lease, [
      robots(targetOf(lease, "robots")),
      fetched(targetOf(lease, "page"), links),
    ], { last_start_ago_ms: 5, gap_ms: 1000 });
    const reply = await frontier.complete(completion);
    assert.deepEqual(reply, { status: "ok", accepted: 2 });
    const again = await frontier.complete(completion);
    assert.equal(again.accepted, 0);
    const captures = await frontier.captures({ storage_prefix: "edge-1/", shard: 0, after_seq: -1, limit: 10 });
    assert.equal(captures.rows.length, 1);
    assert.equal(captures.rows[0]!.url, SEED);
    passGap(plane);
    const { leases: [next] } = await ask(frontier);
    assert.ok(next!.epoch > lease.epoch);
    assert.deepEqual(next!.targets.map(({ url }) => url).sort(), ["http://a.test/1", "http://a.test/2"]);
    return [lease, reply, captures, next];
  },
};

const fence: Scenario = {
  name: "a completion of another epoch, lease or worker is stale and changes nothing",
  async run(frontier, plane) {
    const lease = await begin(frontier, plane);
    const outcomes = [fetched(targetOf(lease, "page"), ["http://a.test/1"])];
    const replies = [
      await frontier.complete(report(lease, outcomes, { epoch: lease.epoch + 1 })),
      await frontier.complete(report(lease, outcomes, { lease_id: `${lease.lease_id}x` })),
      await frontier.complete(report(lease, outcomes, { worker_id: "edge-2" })),
    ];
    for (const reply of replies) assert.deepEqual(reply, { status: "stale", accepted: 0 });
    const stats = plane.coordinator.stats("c")!;
    assert.deepEqual([stats.accepted, stats.settled, stats.fetched], [1, 0, 0]);
    return replies;
  },
};

const confirm: Scenario = {
  name: "extend confirms a lease, says stop when its crawl is paused, and is stale once it ended",
  async run(frontier, plane) {
    const lease = await begin(frontier, plane);
    const { lease_id, epoch, slot } = lease;
    const request = { worker_id: WORKER, lease_id, epoch, slot };
    const first = await frontier.extend(request);
    assert.equal(first.status, "ok");
    assert.equal(first.stop, false);
    await plane.coordinator.setCrawlState("c", "paused");
    const second = await frontier.extend(request);
    assert.equal(second.stop, true);
    await frontier.release({ worker_id: WORKER, leases: [{ lease_id, epoch, slot }], reason: "stopping" });
    const third = await frontier.extend(request);
    assert.equal(third.status, "stale");
    return [first, second, third];
  },
};

const handBack: Scenario = {
  name: "what is released is leased again with a higher epoch and no attempt lost",
  async run(frontier, plane) {
    const lease = await begin(frontier, plane);
    const { lease_id, epoch, slot } = lease;
    await frontier.release({ worker_id: WORKER, leases: [{ lease_id, epoch, slot }], reason: "stopping" });
    passGap(plane);
    const { leases: [next] } = await ask(frontier, "edge-2");
    assert.ok(next!.epoch > epoch);
    assert.deepEqual(next!.targets.map(({ url }) => url), lease.targets.map(({ url }) => url));
    return [next];
  },
};

const expiry: Scenario = {
  name: "an expired lease is offered again and its late completion is stale",
  async run(frontier, plane) {
    const lease = await begin(frontier, plane);
    plane.advance(LIMITS.leaseMs + LIMITS.fetchWallMs + 2 * LIMITS.delayCapMs);
    const next = await askUntilGranted(frontier, plane);
    assert.equal(next.host, "a.test");
    const late = await frontier.complete(report(lease, [fetched(targetOf(lease, "page"))]));
    assert.equal(late.status, "stale");
    return [next, late];
  },
};

const robotsBodies: Scenario = {
  name: "a robots body is kept to the character and found by its digest",
  async run(frontier, plane) {
    const lease = await begin(frontier, plane);
    const body = "\ufeffUser-agent: *\r\nDisallow: /\u00e9\u{1f577}\u0000\n";
    const outcome = robots(targetOf(lease, "robots"), body);
    await frontier.complete(report(lease, [outcome], { last_start_ago_ms: 0, gap_ms: 1000 }));
    assert.equal(await frontier.robotsBody({ digest: outcome.digest!, slot: lease.slot }), body);
    const unknown = await frontier.robotsBody({ digest: nativeDigest.sha256Hex(new Uint8Array([1])) });
    assert.equal(unknown, undefined);
    passGap(plane);
    const { leases: [next] } = await ask(frontier);
    assert.equal(next!.robots[0]?.digest, outcome.digest);
    return [next];
  },
};

const manyLinks: Scenario = {
  name: "the most outlinks of the greatest length pass",
  async run(frontier, plane) {
    const lease = await begin(frontier, plane);
    const links = Array.from({ length: LIMITS.outlinksPerPage }, (_, i) => {
      const url = `http://a.test/${i}?`;
      return url + "x".repeat(LIMITS.urlBytes - url.length);
    });
    const outcomes = [robots(targetOf(lease, "robots")), fetched(targetOf(lease, "page"), links)];
    const reply = await frontier.complete(report(lease, outcomes));
    assert.deepEqual(reply, { status: "ok", accepted: links.length });
    return [reply];
  },
};

const fullQueue: Scenario = {
  name: "a completion tells when links met a full queue, so that they are reported again, and only then",
  settings: { limits: { ...LIMITS, hostQueueUrls: 2 } },
  async run(frontier, plane) {
    const lease = await begin(frontier, plane);
    const links = ["http://a.test/1", "http://a.test/2", "http://a.test/3"];
    const outcomes = [robots(targetOf(lease, "robots")), fetched(targetOf(lease, "page"), links)];
    const full = await frontier.complete(report(lease, outcomes));
    assert.deepEqual(full, { status: "ok", accepted: 2, queue_full: true });
    passGap(plane);
    const { leases: [next] } = await ask(frontier);
    const taken = await frontier.complete(report(next!, [fetched(targetOf(next!, "page"), links)]));
    assert.deepEqual(taken, { status: "ok", accepted: 1 }, "one of two was fetched, so there is room for one");
    return [full, taken];
  },
};

const permits: Scenario = {
  name: "one request start on a host without a lease is permitted once per gap",
  async run(frontier, plane) {
    const { lease_id, epoch, slot } = await begin(frontier, plane);
    const request = { worker_id: WORKER, lease_id, epoch, slot, host: "robots.test", domain: "robots.test" };
    const first = await frontier.permit(request);
    assert.equal(first.granted, true);
    const leased = await frontier.permit({ ...request, host: "a.test", domain: "a.test" });
    assert.equal(leased.granted, false);
    assert.ok(leased.wait_ms > 0);
    return [first, leased];
  },
};

const clockFreed: Scenario = {
  name: "settled frees the host's clock and the lease still stands",
  async run(frontier, plane) {
    const lease = await begin(frontier, plane);
    const { lease_id, epoch, slot } = lease;
    await frontier.settled({ worker_id: WORKER, lease_id, epoch, slot, last_start_ago_ms: 1, gap_ms: 1000 });
    const reply = await frontier.complete(report(lease, [fetched(targetOf(lease, "page"))]));
    assert.equal(reply.status, "ok");
    return [reply];
  },
};

const outbox: Scenario = {
  name: "links of another shard travel by the outbox, arrive once, and are forgotten when acknowledged",
  shards: 8,
  async run(frontier, plane) {
    const links = Array.from({ length: 40 }, (_, i) => `http://host${i}.test/`);
    await plane.coordinator.createCrawl("c", {
      ...crawlSpec([SEED]),
      scope: { ...crawlSpec([SEED]).scope, kind: "any" },
    });
    const { leases: [lease] } = await ask(frontier);
    const { accepted } = await frontier.complete(report(lease!, [
      robots(targetOf(lease!, "robots")),
      fetched(targetOf(lease!, "page"), links),
    ]));
    const { outbox: rows } = await ask(frontier, "edge-2");
    assert.ok(rows.length > 0, "no row to deliver");
    assert.equal(accepted + rows.reduce((sum, row) => sum + row.links.length, 0), links.length);
    for (let i = 0; i < 2; i++) await frontier.deliverOutbox({ worker_id: WORKER, rows });
    assert.equal(plane.coordinator.stats("c")!.accepted, 1 + links.length);
    const names = rows.map(({ lease_id, seq }) => ({ lease_id, seq }));
    for (let i = 0; i < 2; i++) await frontier.ackOutbox({ worker_id: WORKER, rows: names });
    assert.equal(plane.coordinator.stats("c")!.outbox_rows, 0);
    // Each shard fills its rows when its turn comes: their order says nothing.
    return [accepted, rows.map((row) => row.links.map(({ url }) => url).sort().join(" ")).sort()];
  },
};

export const SCENARIOS: readonly Scenario[] = [
  emptyFrontier,
  wholePage,
  fence,
  confirm,
  handBack,
  expiry,
  robotsBodies,
  manyLinks,
  fullQueue,
  permits,
  clockFreed,
  outbox,
];
