import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
import { newWorld, silentLog, spec, testCore } from "../../tests/support/frontier.ts";
import { Faults, faultyStore } from "../../tests/support/faulty_store.ts";
import { nativeDigest } from "../../runtime/node.ts";
import type { Batch } from "../ports.ts";
import { MemoryShardStore } from "../store/memory_shard_store.ts";
import { AddressDirectory } from "./clocks/address_directory.ts";
import { Crawl, CrawlBook } from "./crawls/crawl.ts";
import { SeedOperation } from "./crawls/enqueue.ts";
import { HostDirectory } from "./host_directory.ts";
import { type FrontierSettings, frontierSettings } from "./settings.ts";
import type { FrontierParts } from "./shard.ts";
import { ShardBook } from "./shard_book.ts";
import { ShardWriter } from "./writer.ts";

async function openWriter(settings: Partial<FrontierSettings> = {}) {
  const world = newWorld();
  const core = await testCore();
  const book = new ShardBook(1);
  const directory = new HostDirectory(core, book);
  const parts: FrontierParts = {
    core,
    directory,
    book,
    clock: world.clock,
    random: world.random,
    digest: nativeDigest,
    log: silentLog,
    id: "test",
    settings: frontierSettings({ groupCommitMs: 0, ...settings }),
    crawls: new CrawlBook(),
    addresses: new AddressDirectory(core, book, []),
    shards: [],
  };
  const row = {
    crawlId: "c",
    spec: spec(["https://a.example/"]),
    state: "running",
    reason: "",
    stateVersion: 1,
    createdAt: 0,
    finishedAt: 0,
    seeding: false,
    extraHosts: [],
  } as const;
  const crawl = new Crawl(row, { core, directory, book: { count: 1 } });
  parts.crawls.add(crawl);
  const faults = new Faults();
  const disk = new MemoryShardStore(world.disks[0]);
  const store = faultyStore(disk, faults);
  await store.open("test", core.keyVersion);
  const writer = await ShardWriter.open(0, parts, { store, saveCrawl: () => Promise.resolve() });
  const seed = (urls: readonly string[]) =>
    writer.submit(new SeedOperation({ crawl, urls, priority: 0.5, depth: 0, discoveredFrom: "" }));
  return { core, writer, faults, seed, world, store, disk };
}

test("operations of one moment share a commit; two of them with the same new URL accept it once", async () => {
  const { writer, faults, seed } = await openWriter();
  const answers = await Promise.all(Array.from({ length: 50 }, () => seed(["https://a.example/x"])));
  assert.equal(answers.reduce((sum, { accepted }) => sum + accepted, 0), 1);
  assert.equal(faults.commits, 1);
  await writer.close();
});

test("what the cache forgot is asked of the store: an evicted URL isn't accepted again", async () => {
  const { writer, seed } = await openWriter();
  const urls = Array.from({ length: 500 }, (_, i) => `https://a.example/${i}`);
  assert.equal((await seed(urls)).accepted, 500);
  writer.shard.seen.cache.clear();
  assert.equal((await seed(urls)).known, 500);
  await writer.close();
});

test("an operation that throws is a bug: its callers are told, the shard is loaded anew and goes on", async () => {
  const { writer, seed } = await openWriter();
  const bad = writer.submit({
    apply(round) {
      round.shard.nextUrlSeq = 77;
      throw new Error("Applying: found a bug.");
    },
  });
  await assert.rejects(bad, /found a bug/);
  assert.equal((await seed(["https://a.example/x"])).accepted, 1);
  assert.equal(writer.shard.nextUrlSeq, 2);
  await writer.close();
});

test("while a shard can't be loaded, those who wait are told; afterwards it goes on", async () => {
  const { writer, faults, seed, world } = await openWriter();
  Object.defineProperty(faults, "commit", { get: () => "before", set: () => {}, configurable: true });
  await assert.rejects(seed(["https://a.example/x"]), /the disk is full/);
  for (const waitMs of [500, 1_000]) {
    const waiting = assert.rejects(seed(["https://a.example/y"]), /the disk is full/);
    await world.clock.advance(waitMs);
    await waiting;
    assert.match(writer.problem, /Loading shard 0 after a failed commit/);
  }
  Object.defineProperty(faults, "commit", { value: undefined, writable: true });
  const accepted = seed(["https://a.example/z"]);
  await world.clock.advance(2_000);
  assert.deepEqual([(await accepted).accepted, writer.problem], [1, ""]);
  await writer.close();
});

test("a closed writer refuses operations, after it has committed those that waited", async () => {
  const { writer, faults, seed } = await openWriter();
  const last = seed(["https://a.example/x"]);
  await writer.close();
  assert.equal((await last).accepted, 1);
  assert.equal(faults.commits, 1);
  await assert.rejects(seed(["https://a.example/y"]), /closed/);
});

test("group commit: an operation waits while leases are out and others come, no longer than groupCommitMs, and not when idle", async () => {
  const { writer, seed, world } = await openWriter({ groupCommitMs: 20 });
  await seed(["https://a.example/0"]);
  const commits = () => writer.shard.batchSeq;
  const before = commits();
  await seed(["https://a.example/1"]);
  assert.equal(commits(), before + 1, "nobody else could come");

  // Eight leases are out: half of them are worth a commit.
  for (let i = 0; i < 8; i++) writer.shard.leases.set(`lease ${i}`, {} as never);
  const alone = seed(["https://a.example/2"]);
  await world.clock.settle();
  assert.equal(commits(), before + 1);
  await world.clock.advance(4);
  await alone;
  assert.equal(commits(), before + 2);

  const four = [3, 4, 5, 6].map((i) => seed([`https://a.example/${i}`]));
  await Promise.all(four);
  assert.equal(commits(), before + 3, "four in one commit, without waiting");

  const steady = [];
  for (let i = 0; i < 3; i++) {
    steady.push(seed([`https://a.example/steady-${i}`]));
    await world.clock.advance(i === 0 ? 2 : 4);
    assert.equal(commits(), before + 3, "each step brought somebody");
  }
  await world.clock.advance(4);
  await Promise.all(steady);
  assert.equal(commits(), before + 4);

  const report = () => writer.submit({ isPatient: true, apply: (round) => void round.shard.changeCounts("c").bytes++ });
  const seven = Array.from({ length: 7 }, report);
  await world.clock.settle();
  assert.equal(commits(), before + 4, "reports of leases that go on wait until everybody is there");
  await Promise.all([...seven, report()]);
  assert.equal(commits(), before + 5);
  writer.shard.leases.clear();
  await writer.close();
});

test("a commit that was said to have failed is refused when it reaches the store after all", async () => {
  const { writer, seed, store, disk, world } = await openWriter();
  const late: Batch[] = [];
  const { commit } = store;
  store.commit = (batch) => {
    if (late.length > 0) return commit(batch);
    late.push(batch);
    return Promise.reject(new Error("Committing: the connection is lost."));
  };
  await assert.rejects(seed(["https://a.example/late"]), /connection is lost/);
  await world.clock.settle();
  await assert.rejects(disk.commit(late[0]!), /wanted the one before/);
  assert.equal((await seed(["https://a.example/late"])).accepted, 1);
  await writer.close();
});
