import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import {
  answerAll,
  ask,
  complete,
  crawlAll,
  fetched,
  newWorld,
  robots,
  spec,
  start,
} from "../../../tests/support/frontier.ts";
import { Faults, faultyStore } from "../../../tests/support/faulty_store.ts";
import type { Coordinator, ShardStore } from "../../ports.ts";
import type { Failed, Lease, Target } from "../../../protocol/mod.ts";

async function pageLease(coordinator: Coordinator, advance: (ms: number) => Promise<void>): Promise<Lease> {
  const first = (await ask(coordinator)).leases[0]!;
  await complete(coordinator, first, [robots(first.targets[0]!)]);
  await advance(1_000);
  return (await ask(coordinator)).leases[0]!;
}

function failed(target: Target, change: Partial<Failed> = {}): Failed {
  return { status: "failed", target_id: target.target_id, failure: "http_503", http_code: 503, requests: 1, ...change };
}

test("a URL that fails is tried again with growing waits, and is dead after three tries", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  let lease = await pageLease(coordinator, (ms) => world.clock.advance(ms));
  for (const waitMs of [10_000, 20_000]) {
    await complete(coordinator, lease, [failed(lease.targets[0]!, { failure: "protocol", http_code: 0 })]);
    const status = await coordinator.urlStatus("c", "https://a.example/");
    assert.match(status!.why, /^tried again from \d\d:\d\d:\d\d UTC on: protocol/);
    await world.clock.advance(waitMs - 1);
    assert.equal((await ask(coordinator)).leases.length, 0);
    await world.clock.advance(1);
    lease = (await ask(coordinator)).leases[0]!;
  }
  await complete(coordinator, lease, [failed(lease.targets[0]!, { failure: "protocol", detail: "bad chunk" })]);
  const stats = coordinator.stats("c")!;
  assert.deepEqual([stats.dead, stats.queued, stats.errors_by_class["protocol"]], [1, 0, 3]);
  assert.equal(
    (await coordinator.urlStatus("c", "https://a.example/"))!.why,
    "given up after 3 tries: protocol: bad chunk",
  );
  await coordinator.close();
});

test("E49: only hosts that back off are left: waiting until a time, neither finished nor spinning, and it goes on", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/1", "https://a.example/2"]));
  const lease = await pageLease(coordinator, (ms) => world.clock.advance(ms));
  await complete(coordinator, lease, [failed(lease.targets[0]!, { retry_after_ms: 120_000 })]);
  const reply = await ask(coordinator);
  assert.equal(reply.leases.length, 0);
  assert.match(reply.reason, /^waiting until \d\d:\d\d:\d\d UTC: 1 host backing off$/);
  assert.equal(reply.retry_after_ms, 5_000);
  await world.clock.advance(119_999);
  assert.equal(coordinator.stats("c")!.state, "running");
  assert.equal((await ask(coordinator)).leases.length, 0);
  await world.clock.advance(1);
  assert.equal((await ask(coordinator)).leases.length, 1);
  await coordinator.close();
});

test("E50: Retry-After is honoured up to a day; nonsense falls back to our own back-off", async () => {
  const day = 86_400_000;
  for (const [given, waitMs] of [[120_000, 120_000], [-5, 5_000], [0, 5_000], [9_999_999_999_000, day], [NaN, 5_000]]) {
    const world = newWorld();
    const coordinator = await start(world);
    await coordinator.createCrawl("c", spec(["https://a.example/1", "https://a.example/2"]));
    const lease = await pageLease(coordinator, (ms) => world.clock.advance(ms));
    await complete(coordinator, lease, [failed(lease.targets[0]!, { retry_after_ms: given! })]);
    const inMs = coordinator.stats("c")!.next_in_ms!;
    assert.equal(inMs, waitMs, `Retry-After ${given}`);
    await coordinator.close();
  }
});

test("an edge's nonsense about its pace never makes a host's next start earlier than our own count", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  const seeds = Array.from({ length: 8 }, (_, i) => `https://a.example/${i}`);
  await coordinator.createCrawl("c", spec(seeds));
  const lease = await pageLease(coordinator, (ms) => world.clock.advance(ms));
  const outcomes = lease.targets.slice(0, 4).map((target) => fetched(target));
  await complete(coordinator, lease, outcomes, { last_start_ago_ms: 1e12, gap_ms: -1e9 });
  assert.equal(coordinator.stats("c")!.next_in_ms, 4_000, "four requests, one second each");
  await coordinator.close();
});

test("a capture outside its folder is not believed", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const lease = await pageLease(coordinator, (ms) => world.clock.advance(ms));
  const honest = fetched(lease.targets[0]!, ["https://a.example/x"]);
  const record = { ...honest.capture.record, storage_key: "warc/../../etc/passwd" };
  await complete(coordinator, lease, [{ ...honest, capture: { ...honest.capture, record } }]);
  const stats = coordinator.stats("c")!;
  assert.deepEqual([stats.pages, stats.accepted, stats.errors_by_class["protocol"]], [0, 1, 1]);
  const captures = await coordinator.captures({ storage_prefix: "", shard: 0, after_seq: 0, limit: 10 });
  assert.deepEqual(captures.rows, []);
  await coordinator.close();
});

for (const fault of ["before", "after"] as const) {
  test(`a commit that fails ${fault} it happened is told to its callers, and the shard goes on from the store`, async () => {
    const world = newWorld();
    const faults = new Faults();
    const coordinator = await start(world, { wrap: (store) => faultyStore(store, faults) });
    await coordinator.createCrawl("c", spec(["https://a.example/"]));
    const lease = await pageLease(coordinator, (ms) => world.clock.advance(ms));
    faults.commit = fault;
    await assert.rejects(answerAll(coordinator, lease, () => ["https://a.example/next"]), /Committing/);
    const again = await answerAll(coordinator, lease, () => ["https://a.example/next"]);
    assert.equal(again.status, fault === "before" ? "ok" : "stale");
    const stats = coordinator.stats("c")!;
    assert.deepEqual([stats.accepted, stats.settled, stats.pages, stats.leased], [2, 1, 1, 0]);
    const urls = await crawlAll(coordinator, world, () => []);
    assert.deepEqual(urls, ["https://a.example/next"]);
    assert.equal(coordinator.stats("c")!.state, "finished");
    await coordinator.close();
  });
}

test("a read that fails loses nothing; a load that fails is tried again, and says so meanwhile", async () => {
  const world = newWorld();
  const faults = new Faults();
  const coordinator = await start(world, { wrap: (store) => faultyStore(store, faults) });
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  faults.commit = "before";
  faults.read = "load";
  await assert.rejects(ask(coordinator), /disk is full/);
  await world.clock.settle();
  assert.match(coordinator.problems().join(), /^Loading shard 0 after a failed commit/);
  await world.clock.advance(1_000);
  assert.deepEqual(coordinator.problems(), []);
  assert.equal((await ask(coordinator)).leases.length, 1);
  await coordinator.close();
});

test("a coordinator that is closed while its disk is full waits for no later try", async () => {
  const world = newWorld();
  const faults = new Faults();
  const coordinator = await start(world, { wrap: (store) => faultyStore(store, faults) });
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  Object.defineProperty(faults, "commit", { get: () => "before", set: () => {} });
  await assert.rejects(ask(coordinator), /disk is full/);
  // Some sweep waits for the shard, and the next try is many seconds away.
  await world.clock.advance(12_000);
  assert.match(coordinator.problems().join(), /^Loading shard 0 after a failed commit/);
  const before = world.clock.monotonicMs();
  await coordinator.close();
  assert.equal(world.clock.monotonicMs(), before);
});

test("another owner takes the shard: this one stops and says why", async () => {
  const world = newWorld();
  const first = await start(world);
  await first.createCrawl("c", spec(["https://a.example/"]));
  const second = await start(world);
  await assert.rejects(ask(first), /owner/);
  assert.match(first.problems().join(), /owner/);
  assert.equal((await ask(second)).leases.length, 1);
  await first.close();
  await second.close();
});

test("a failed commit doesn't end the leases of a worker that lives, though its predecessor's ended at the start", async () => {
  const world = newWorld();
  const faults = new Faults();
  const settings = { deadWorker: "w1" };
  const coordinator = await start(world, { settings, wrap: (store) => faultyStore(store, faults) });
  await coordinator.createCrawl("c", spec(["https://a.example/", "https://b.example/"]));
  const lease = (await ask(coordinator, { max_leases: 1 })).leases[0]!;
  faults.commit = "before";
  await assert.rejects(ask(coordinator, { max_leases: 1 }), /disk is full/);
  const { lease_id, epoch, slot } = lease;
  assert.equal((await coordinator.extend({ worker_id: "w1", lease_id, epoch, slot })).status, "ok");
  await coordinator.close();
});

test("one shard that fails doesn't keep back what the others granted", async () => {
  const world = newWorld(2);
  const faults = new Faults();
  let stores = 0;
  const wrap = (store: ShardStore) => stores++ === 0 ? faultyStore(store, faults) : store;
  const coordinator = await start(world, { wrap });
  const seeds = Array.from({ length: 8 }, (_, i) => `https://h${i}.s${i}.example/`);
  await coordinator.createCrawl("c", spec(seeds));
  let leased = 0;
  for (let turn = 0; turn < 2; turn++) {
    faults.commit = "before";
    leased += await ask(coordinator).then(({ leases }) => leases.length, () => 0);
    await world.clock.settle();
  }
  assert.ok(leased > 0 && leased < 8);
  leased += (await ask(coordinator)).leases.length;
  assert.equal(leased, 8);
  await coordinator.close();
});

test("a store of another keyVersion is refused with a sentence, and nothing stays open", async () => {
  const world = newWorld();
  await (await start(world)).close();
  world.disks[0]!.keyVersion = 9_999;
  await assert.rejects(start(world), /written with keyVersion 9999/);
});
