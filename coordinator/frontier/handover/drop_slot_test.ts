/** A shard that gave a slot away, and one that took it, are in RAM as if they had just been loaded. */

import assert from "node:assert/strict";
import { domainPolicyOperation } from "../clocks/domain_policy.ts";
import { policyOperation } from "../clocks/host_policy.ts";
import { Crawl, CrawlBook } from "../crawls/crawl.ts";
import { ReceiveOperation, SeedOperation } from "../crawls/enqueue.ts";
import { CopyOperation } from "./arrival.ts";
import { arrivedOperation, beginArrival, thawOperation } from "./arrive.ts";
import { deleteOperation, drainOperation, freezeOperation, leaveOperation, leftOperation } from "./leave.ts";
import { slotState } from "./slot_mover.ts";
import { AddressDirectory } from "../clocks/address_directory.ts";
import { HostDirectory } from "../host_directory.ts";
import { hostRow } from "../host_state.ts";
import { LeaseOperation } from "../leases/lease.ts";
import { CompleteOperation } from "../leases/complete.ts";
import { lastWordOperation } from "../leases/sweep.ts";
import { loadShard } from "../load.ts";
import { frontierSettings } from "../settings.ts";
import type { FrontierParts, Shard } from "../shard.ts";
import { ShardBook } from "../shard_book.ts";
import { ShardWriter } from "../writer.ts";
import { MemoryShardStore } from "../../store/memory_shard_store.ts";
import { nativeDigest } from "../../../runtime/node.ts";
import { fetched, newWorld, robots, silentLog, spec, testCore } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";

const HOSTS = ["a.one.example", "b.one.example", "two.example", "three.example"];

async function openWorld() {
  const world = newWorld(2);
  const core = await testCore();
  const book = new ShardBook(1);
  const parts: FrontierParts = {
    core,
    directory: new HostDirectory(core, book),
    book,
    clock: world.clock,
    random: world.random,
    digest: nativeDigest,
    log: silentLog,
    id: "test",
    settings: frontierSettings({ groupCommitMs: 0 }),
    crawls: new CrawlBook(),
    addresses: new AddressDirectory(core, book, []),
    shards: [],
  };
  const row = {
    crawlId: "c",
    spec: spec(HOSTS.map((host) => `https://${host}/`)),
    state: "running",
    reason: "",
    stateVersion: 1,
    createdAt: 0,
    finishedAt: 0,
    seeding: false,
    extraHosts: [],
  } as const;
  parts.crawls.add(new Crawl(row, { core, directory: parts.directory, book: { count: 2 } }));
  const open = async (index: number) => {
    const store = new MemoryShardStore(world.disks[index]);
    await store.open("test", core.keyVersion);
    return await ShardWriter.open(index, parts, { store, saveCrawl: () => Promise.resolve() });
  };
  return { world, parts, old: await open(0), fresh: await open(1) };
}

/** Everything that a load makes, of all hosts. */
function dump(shard: Shard) {
  const { parts } = shard;
  const places = HOSTS.map((host) => parts.directory.placeOf(host));
  const sorted = <T>(rows: Iterable<T>) => [...rows].map((row) => JSON.stringify(row)).sort();
  return {
    hosts: sorted([...shard.hosts.values()].map((host) => ({
      ...hostRow(host),
      isPlaced: !Number.isNaN(host.placedAt),
      queues: host.queues.map(({ crawlId, ready, waiting, accepted }) => [crawlId, ready, waiting, accepted]),
    }))),
    origins: sorted(shard.origins.values()),
    counters: sorted(shard.counters.values()),
    tallies: sorted(places.map(({ host }) => shard.tallies.find("c", host) ?? null)),
    domains: sorted(places.map((place) => shard.domains.row(place))),
    use: places.map(({ domain }) => shard.domainUse.count("c", domain, 0)),
    queues: sorted([...shard.queuesOfCrawl.get("c") ?? []].map(({ host }) => host)),
    marks: sorted(shard.marks.all()),
  };
}

async function crawlSome({ parts, old, world }: Awaited<ReturnType<typeof openWorld>>): Promise<void> {
  const crawl = parts.crawls.get("c")!;
  const urls = HOSTS.flatMap((host) => Array.from({ length: 4 }, (_, i) => `https://${host}/${i}`));
  await old.submit(new SeedOperation({ crawl, urls, priority: 0.5, depth: 0, discoveredFrom: "" }));
  await old.submit(policyOperation(parts.directory.placeOf("a.one.example"), { minDelayMs: 5_000 }));
  await old.submit(domainPolicyOperation(parts.directory.placeOf("two.example"), { maxParallel: 1 }));
  const wish = { workerId: "w1", region: "r", maxTargets: 12, maxLeases: 6, outboxRows: 0 };
  for (const lease of (await old.submit(new LeaseOperation(wish))).leases) {
    const { lease_id, epoch, slot } = lease;
    const outcomes = lease.targets.slice(0, 2).map((target) =>
      target.kind === "robots"
        ? robots(target)
        : fetched(target, [`https://${lease.host}/later`, "https://no.example/"])
    );
    await old.submit(
      new CompleteOperation({ worker_id: "w1", lease_id, epoch, slot, outcomes, done: true, last_start_ago_ms: 0 }),
    );
  }
  await world.clock.advance(10_000);
}

test("a slot that left and came is in RAM as a load would find it, in both shards", async () => {
  const all = await openWorld();
  const { parts, old, fresh, world } = all;
  await crawlSome(all);
  const { slot } = parts.directory.placeOf("one.example");
  const before = dump(old.shard);
  const moving = { slot, other: 1, mapVersion: 1 };
  await old.submit(freezeOperation(moving));
  assert.equal(await old.submit(drainOperation(slot)), true);
  await fresh.submit(beginArrival({ ...moving, other: 0 }));
  for (let mark = fresh.shard.marks.get(slot)!; mark.cursor?.table !== "end"; mark = fresh.shard.marks.get(slot)!) {
    const page = await old.store.slotPage(slot, mark.cursor, 2);
    assert.equal(await fresh.submit(new CopyOperation(slot, mark.cursor, page)), true);
    assert.equal(await fresh.submit(new CopyOperation(slot, mark.cursor, page)), false, "the same page again");
  }
  await fresh.submit(arrivedOperation(slot, await fresh.store.slotQueues(slot)));
  await fresh.submit(arrivedOperation(slot, await fresh.store.slotQueues(slot)));
  await old.submit(leaveOperation(slot));
  for (let step = 0; step < 20; step++) await old.submit(deleteOperation(slot, 2));
  await old.submit(leftOperation(slot));
  await fresh.submit(thawOperation(slot, await slotState(fresh, slot, 2)));
  await world.clock.advance(60_000);
  for (const writer of [old, fresh]) {
    const { shard, store } = writer;
    await writer.submit(lastWordOperation);
    const loaded = await loadShard({ ...parts, shards: [] }, {
      index: shard.index,
      store,
      isStart: false,
      copies: undefined,
      aheadMs: 0,
    });
    for (const host of shard.hosts.values()) shard.reschedule(host, world.clock.wallMs());
    assert.deepEqual(dump(shard), dump(loaded), `shard ${shard.index}`);
    const heads = [...shard.hosts.values()].flatMap(({ queues }) => queues.flatMap((queue) => queue.heads));
    assert.equal(shard.headsInRam, heads.length);
    loaded.free();
  }
  // Together they hold what the one held, counters included.
  const [left, came] = [dump(old.shard), dump(fresh.shard)];
  assert.deepEqual([...left.hosts, ...came.hosts].sort(), before.hosts);
  assert.deepEqual([...left.origins, ...came.origins].sort(), before.origins);
  assert.equal(came.hosts.length, 2);
  const counts = (writer: ShardWriter) => writer.shard.countsOf("c");
  const queued = (writer: ShardWriter) =>
    [...writer.shard.hosts.values()].flatMap(({ queues }) => queues).reduce((n, q) => n + q.ready + q.waiting, 0);
  assert.ok(queued(fresh) > 0);
  assert.equal(counts(fresh).accepted - counts(fresh).settled, queued(fresh));
  assert.equal(counts(old).accepted - counts(old).settled, queued(old));
  await old.close();
  await fresh.close();
});

test("a row that comes back to its sender goes on: links that it sent aren't taken for being on their way", async () => {
  const { parts, old, fresh } = await openWorld();
  const crawl = parts.crawls.get("c")!;
  // The map has every slot in shard 0: what shard 1 finds goes to its outbox.
  const seeds = {
    crawl,
    urls: ["https://two.example/x"],
    priority: 0.5,
    depth: 0,
    discoveredFrom: "https://a.example/",
  };
  await fresh.submit(new SeedOperation(seeds));
  const [row] = await fresh.store.readOutbox(10);
  assert.equal(row!.links.length, 1);
  assert.deepEqual(await fresh.submit(new ReceiveOperation([row!])), []);
  const { sent, received } = fresh.shard.countsOf("c");
  assert.deepEqual([sent, received], [2, 1]);
  const rows = await fresh.store.readOutbox(10);
  assert.deepEqual(rows.map(({ links }) => links.map(({ url }) => url)), [["https://two.example/x"], [
    "https://two.example/x",
  ]]);
  assert.deepEqual(await old.submit(new ReceiveOperation([rows[1]!])), []);
  assert.equal(old.shard.countsOf("c").accepted, 1);
  await old.close();
  await fresh.close();
});
