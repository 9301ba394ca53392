/** An edge that lied is shut out, and what it reported is taken back: promise 12. */

import assert from "node:assert/strict";
import type { Lease, Outcome } from "../../protocol/mod.ts";
import { type Answer, apiClient } from "../support/api_client.ts";
import { apiParts, EDGE_TOKEN, NAMED_EDGE_TOKEN, READER_TOKEN } from "../support/api_parts.ts";
import { type ControlPlane, freshDisks, openControlPlane } from "../support/control_plane.ts";
import { captureOf, fetched, robots } from "../support/outcomes.ts";
import { test } from "../support/test.ts";

const A = "https://a.example/";
const B = "https://b.example/";

interface Scene {
  readonly plane: ControlPlane;
  readonly ask: (line: string, options?: { json?: unknown; token?: string }) => Promise<Answer>;
  /** What a worker is leased, at most one host. */
  lease(worker: string, token?: string): Promise<Lease | undefined>;
  complete(lease: Lease, worker: string, outcomes: Outcome[], done?: boolean): Promise<void>;
}

function sceneOf(plane: ControlPlane): Scene {
  const ask = apiClient(apiParts(plane));
  return {
    plane,
    ask,
    async lease(worker_id, token = EDGE_TOKEN) {
      const json = { worker_id, region: "r", max: 9, max_leases: 1, holding: 0 };
      const { status, body } = await ask("POST /v1/frontier/lease", { json, token });
      assert.equal(status, 200, JSON.stringify(body));
      return body.leases[0];
    },
    async complete({ lease_id, epoch, slot }, worker_id, outcomes, done = true) {
      const json = { worker_id, lease_id, epoch, slot, outcomes, done };
      const { status, body } = await ask("POST /v1/frontier/complete", { json, token: EDGE_TOKEN });
      assert.deepEqual([status, body.status], [200, "ok"], JSON.stringify(body));
    },
  };
}

/** As an edge answers: `lie` says what of each page. */
function answers(lease: Lease, worker: string, lie: (url: string) => Partial<Outcome> = () => ({})): Outcome[] {
  return lease.targets.map((target) => {
    if (target.kind === "robots") return { ...robots(target), capture: captureOf(`robots ${worker}`, `${worker}/r`) };
    return {
      ...fetched(target),
      capture: captureOf(`${worker} ${target.url}`, `${worker}/w`),
      ...lie(target.url),
    } as Outcome;
  });
}

/** The honest edge works until the crawl has ended. */
async function workToTheEnd({ plane, lease, complete }: Scene, worker: string): Promise<string[]> {
  const urls: string[] = [];
  for (let turn = 0; plane.coordinator.stats("c")!.state !== "finished"; turn++) {
    assert.ok(turn < 2000, "the crawl comes to no end");
    const leased = await lease(worker);
    if (leased !== undefined) {
      urls.push(...leased.targets.map(({ url }) => url));
      await complete(leased, worker, answers(leased, worker));
    }
    plane.advance(60_000);
    await plane.clock.sleep(1);
  }
  return urls.sort();
}

test("quarantine: an edge is shut out, its leases end, what it settled is offered again, its captures are gone", async () => {
  const disks = freshDisks();
  const plane = await openControlPlane(disks, { keysUnderWorker: true });
  try {
    const scene = sceneOf(plane);
    const { ask, lease, complete } = scene;
    await ask("POST /v1/crawls", { json: { crawl_id: "c", seeds: [A, `${A}2`, `${A}3`, B] } });
    const first = (await lease("tokyo.1"))!;
    const site = first.host === "a.example" ? A : B;
    await complete(
      first,
      "tokyo.1",
      answers(first, "tokyo.1", (url) => {
        if (url === `${A}2`) return { status: "excluded", reason: "it says so", capture: undefined } as never;
        if (url === `${A}3`) return { status: "failed", failure: "bad_url", capture: undefined } as never;
        return {};
      }),
    );
    const second = (await lease("paris"))!;
    await complete(second, "paris", answers(second, "paris"));
    plane.advance(120_000);
    const before = (await ask("GET /v1/crawls/c/stats")).body;
    assert.deepEqual([before.settled, before.accepted], [4, 4]);
    await workToTheEnd(scene, "paris");
    const forged = (await ask("GET /v1/events")).body.events.find(({ url }: { url: string }) => url === site);
    assert.match(forged.storage_key, /^tokyo\.1\//);

    const reply = await ask("POST /v1/quarantines", { json: { name: "tokyo", reason: "made pages up" } });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const ofHost = site === A ? 3 : 1;
    assert.deepEqual(reply.body.reversed, {
      leases_ended: 0,
      urls_offered_again: ofHost,
      captures_withdrawn: site === A ? 2 : 2,
      origins_forgotten: 1,
    });
    assert.deepEqual(reply.body.shards, [0]);
    const after = (await ask("GET /v1/crawls/c/stats")).body;
    assert.deepEqual([after.state, after.accepted, after.settled, after.queued], ["running", 4, 4 - ofHost, ofHost]);
    assert.deepEqual([after.excluded, after.dead], [0, 0]);
    const { events } = (await ask("GET /v1/events")).body;
    assert.ok(events.every(({ storage_key }: { storage_key: string }) => !storage_key.startsWith("tokyo")));
    assert.equal((await ask(`GET /v1/pages/${forged.content_hash}`)).status, 404);
    const { status, last_crawled_at } = (await ask(`GET /v1/crawl/url-status?crawl_id=c&url=${site}`)).body;
    assert.deepEqual([status, last_crawled_at], ["pending", undefined]);

    // Whoever says to be of it is refused: by its token, or by its worker's name.
    const json = { worker_id: "tokyo", region: "r", max: 9, max_leases: 1, holding: 0 };
    const barred = await ask("POST /v1/frontier/lease", { json, token: NAMED_EDGE_TOKEN });
    assert.equal(barred.status, 403);
    assert.match(
      barred.body.detail,
      /Edge tokyo is in quarantine \(made pages up\), so nothing of worker tokyo is taken\./,
    );
    for (const worker_id of ["tokyo", "tokyo.9"]) {
      const as = await ask("POST /v1/frontier/lease", { json: { ...json, worker_id }, token: EDGE_TOKEN });
      assert.equal(as.status, 403, worker_id);
    }
    assert.equal((await ask("POST /v1/frontier/lease", { json: { ...json, worker_id: "tokyo2" } })).status, 200);
    assert.equal((await ask("GET /v1/quarantines", { token: READER_TOKEN })).status, 403);

    // The honest edge does it all again, robots.txt first.
    const again = await workToTheEnd(scene, "paris");
    assert.deepEqual(again, (site === A ? [A, `${A}2`, `${A}3`] : [B]).concat(`${site}robots.txt`).sort());
    const end = (await ask("GET /v1/crawls/c/stats")).body;
    assert.deepEqual([end.accepted, end.settled, end.fetched, end.pages], [4, 4, 4, 4]);
    const repeated = await ask("POST /v1/quarantines", { json: { name: "tokyo" } });
    assert.deepEqual(repeated.body.reversed, {
      leases_ended: 0,
      urls_offered_again: 0,
      captures_withdrawn: 0,
      origins_forgotten: 0,
    });
    assert.equal(repeated.body.reason, "made pages up");
  } finally {
    await plane.coordinator.close();
  }
  const later = await openControlPlane(disks);
  try {
    const ask = apiClient(apiParts(later));
    const json = { worker_id: "tokyo", region: "r", max: 9, max_leases: 1, holding: 0 };
    const lease = async () => (await ask("POST /v1/frontier/lease", { json, token: NAMED_EDGE_TOKEN })).status;
    assert.equal(await lease(), 403, "a restart lets nobody in");
    const lifted = await ask("DELETE /v1/quarantines/tokyo");
    assert.ok(lifted.body.lifted_at > 0);
    assert.equal(await lease(), 200);
    assert.equal((await ask("DELETE /v1/quarantines/tokyo")).status, 404);
    assert.equal((await ask("GET /v1/quarantines")).body.quarantines.length, 1);
  } finally {
    await later.coordinator.close();
  }
});

test("quarantine: leases that are out end, and their host waits until nothing of them can be under way", async () => {
  const plane = await openControlPlane(freshDisks(2), { keysUnderWorker: true });
  try {
    const { ask, lease } = sceneOf(plane);
    await ask("POST /v1/crawls", { json: { crawl_id: "c", seeds: [A] } });
    const out = (await lease("tokyo"))!;
    const { body } = await ask("POST /v1/quarantines", { json: { name: "tokyo" } });
    assert.deepEqual([body.reversed.leases_ended, body.shards], [1, [0, 1]]);
    const { leased, queued } = (await ask("GET /v1/crawls/c/stats")).body;
    assert.deepEqual([leased, queued], [0, 1]);
    const { clocks, lease: held } = plane.coordinator.hostView("a.example")!;
    assert.equal(held, undefined);
    assert.ok(clocks.nextStartInMs >= out.expires_in_ms, `${clocks.nextStartInMs} of ${out.expires_in_ms}`);
    assert.equal(await lease("paris"), undefined);
  } finally {
    await plane.coordinator.close();
  }
});

test("quarantine: after a restart too, robots.txt that the edge brought is asked for anew before any page", async () => {
  const disks = freshDisks();
  const plane = await openControlPlane(disks, { keysUnderWorker: true });
  const { ask, lease, complete } = sceneOf(plane);
  try {
    await ask("POST /v1/crawls", { json: { crawl_id: "c", seeds: [A] } });
    const out = (await lease("tokyo"))!;
    await complete(out, "tokyo", answers(out, "tokyo"));
    await ask("POST /v1/quarantines", { json: { name: "tokyo" } });
  } finally {
    await plane.coordinator.close();
  }
  const later = await openControlPlane(disks, { keysUnderWorker: true });
  try {
    later.advance(120_000);
    const again = (await sceneOf(later).lease("paris"))!;
    assert.deepEqual(again.targets.map(({ kind }) => kind), ["robots", "page"]);
    assert.deepEqual(again.robots, []);
  } finally {
    await later.coordinator.close();
  }
});
