/** Several coordinators on one frontier: who owns what, who takes over from whom, and what crawls see of it. */

import assert from "node:assert/strict";
import { ClusterWorld } from "../../../tests/support/cluster.ts";
import { ask, complete, fetched, robots, spec, testCore } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";
import { shardOf, slotOf } from "../../../protocol/mod.ts";
import { NotOwned } from "../../owner_ports.ts";
import { MemoryShardStore } from "../../store/memory_shard_store.ts";
import { CLUSTER_TIMES } from "./times.ts";

const { ownerTtlMs, directoryMs } = CLUSTER_TIMES;
const HOSTS = Array.from({ length: 6 }, (_, i) => `h${i}.example`);
const SEEDS = HOSTS.map((host) => `https://${host}/`);
const ANY = { scope: { kind: "any", domains: [], include: [], exclude: [] } } as const;
const PAGES = 4;

/** Every page links to the next of its host and to the first of each other. */
function site(url: string): string[] {
  const { origin, pathname } = new URL(url);
  const n = Number(pathname.slice(1) || 0);
  return [...(n + 1 < PAGES ? [`${origin}/${n + 1}`] : []), ...SEEDS];
}

const ALL = HOSTS.flatMap((host) => Array.from({ length: PAGES }, (_, i) => `https://${host}/${i || ""}`)).sort();

async function shardOfHost(host: string, cluster: ClusterWorld): Promise<number> {
  const core = await testCore();
  const slot = slotOf(core.xxh64(new TextEncoder().encode(core.domainOf(host))));
  return shardOf(cluster.nodes[0]!.coordinator.slotMap(), slot);
}

async function two(shards = 4): Promise<ClusterWorld> {
  const cluster = new ClusterWorld(shards);
  await cluster.open("http://a");
  await cluster.openAdvancing("http://b");
  await cluster.world.clock.advance(10 * directoryMs);
  return cluster;
}

function ownedBy(cluster: ClusterWorld): number[] {
  const counts = new Map<string, number>();
  for (const owner of cluster.owners()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts.values()].sort();
}

test("the first coordinator has every shard; with a second each has half; who closes gives back at once", async () => {
  const cluster = new ClusterWorld(4);
  const a = await cluster.open("http://a");
  assert.equal(new Set(cluster.owners()).size, 1);
  const b = await cluster.openAdvancing("http://b");
  await cluster.world.clock.advance(10 * directoryMs);
  assert.deepEqual(ownedBy(cluster), [2, 2]);
  const maps = [a, b].map(({ coordinator }) => coordinator.slotMap().owners!.map(({ url }) => url));
  assert.deepEqual(maps[0], maps[1]);
  assert.deepEqual(maps[0]!.toSorted(), ["http://a", "http://a", "http://b", "http://b"]);
  const closed = cluster.nodes.shift()!;
  await closed.coordinator.close();
  await cluster.world.clock.advance(3 * directoryMs + 4 * directoryMs);
  assert.deepEqual(ownedBy(cluster), [4], "what is given back is free before its owner's time is over");
  assert.equal(
    (await b.coordinator.lease({ worker_id: "w", max: 1, max_leases: 1, holding: 0, region: "" })).reason,
    "no crawl is running",
  );
  await cluster.close();
});

test("takeover: a dead coordinator's shards are taken within its term, nothing is lost, no host is asked early", async () => {
  const cluster = await two();
  const [a] = cluster.nodes;
  await a!.coordinator.createCrawl("c", spec(SEEDS, ANY));
  let killedAt = 0;
  let answered = 0;
  const pages = await cluster.crawl(site, {
    quietMs: 150_000,
    onLease: (_, node) => {
      if (killedAt > 0 || node.url !== "http://a" || ++answered < 4) return;
      killedAt = cluster.world.clock.wallMs();
      node.kill();
      return false;
    },
  });
  assert.ok(killedAt > 0);
  assert.deepEqual(ownedBy(cluster), [4]);
  assert.deepEqual([...new Set(pages.map(({ url }) => url))].sort(), ALL);
  assert.equal(pages.length, ALL.length, "no page is fetched twice");
  const last = new Map<string, number>();
  for (const { host, atMs } of pages) {
    assert.ok(atMs - (last.get(host) ?? -Infinity) >= 1_000, `${host} was asked ${atMs - last.get(host)!} ms after`);
    last.set(host, atMs);
  }
  const [b] = cluster.nodes;
  assert.equal(b!.coordinator.stats("c")!.state, "finished");
  assert.equal(b!.coordinator.stats("c")!.pages, ALL.length);
  await cluster.close();
});

test("takeover: nobody's shard is taken before it stood still for its owner's time", async () => {
  const cluster = await two(3);
  const before = cluster.owners();
  // Who is left has less than its share, and wouldn't wait for others to take them.
  const counts = cluster.nodes.map(({ url }) =>
    cluster.nodes[0]!.coordinator.slotMap().owners!.filter((owner) => owner.url === url).length
  );
  assert.deepEqual(counts.toSorted(), [1, 2]);
  cluster.nodes[counts.indexOf(2)]!.kill();
  await cluster.world.clock.advance(ownerTtlMs - 3 * directoryMs);
  assert.deepEqual(cluster.owners(), before);
  await cluster.world.clock.advance(6 * directoryMs);
  assert.deepEqual(ownedBy(cluster), [3]);
  await cluster.close();
});

test("a start under the same URL takes its dead predecessor's shards at once", async () => {
  const cluster = new ClusterWorld(2);
  const first = await cluster.open("http://a");
  await first.coordinator.createCrawl("c", spec(SEEDS));
  first.kill();
  const before = cluster.world.clock.wallMs();
  const next = await cluster.openAdvancing("http://a");
  assert.ok(cluster.world.clock.wallMs() - before < 3 * directoryMs);
  assert.deepEqual(ownedBy(cluster), [2]);
  assert.equal(next.coordinator.stats("c")!.accepted, SEEDS.length);
  await cluster.close();
});

test("a start under the URL of a coordinator that lives is refused, and takes nothing from it", async () => {
  const cluster = new ClusterWorld(2);
  await cluster.open("http://a");
  await cluster.world.clock.advance(3 * directoryMs);
  const owners = cluster.owners();
  await assert.rejects(
    cluster.openAdvancing("http://a"),
    /another one beats under the URL http:\/\/a; wanted is a --url/,
  );
  await cluster.world.clock.advance(3 * directoryMs);
  assert.deepEqual(cluster.owners(), owners);
  await cluster.close();
});

test("a start with another owner's time than that of those who live is refused", async () => {
  const cluster = new ClusterWorld(2);
  await cluster.open("http://a");
  await cluster.world.clock.advance(3 * directoryMs);
  const other = cluster.openAdvancing("http://b", { times: { ownerTtlMs: 6 * ownerTtlMs } });
  await assert.rejects(other, /that at http:\/\/a has an --owner-ttl-ms of 10000, and this one of 60000/);
  await cluster.close();
});

test("two owners who both believe: the older one's answers change nothing, and it drops the shard and goes on", async () => {
  const cluster = await two(2);
  const [a] = cluster.nodes;
  await a!.coordinator.createCrawl("c", spec(SEEDS));
  const mine = a!.coordinator.slotMap().owners!.findIndex(({ url }) => url === "http://a");
  const disk = cluster.world.disks[mine]!;
  // Somebody else takes it, as if a had been suspended.
  disk.owner = "thief";
  disk.ownerTerm++;
  const batch = disk.batchSeq;
  await assert.rejects(ask(a!.coordinator, { max_leases: 8 }), /owner/);
  assert.equal(disk.batchSeq, batch);
  const inIt = (await Promise.all(HOSTS.map((host) => shardOfHost(host, cluster)))).indexOf(mine);
  assert.throws(() => a!.coordinator.hostView(HOSTS[inIt]!), NotOwned);
  assert.equal((await ask(a!.coordinator)).leases.length, 0);
  // The thief never beats: whoever watches takes it.
  await cluster.world.clock.advance(ownerTtlMs + 6 * directoryMs);
  assert.equal(disk.owner === "thief", false);
  assert.equal(new Set(cluster.owners()).has(""), false);
  await cluster.close();
});

test("pause: answered when all coordinators obey; cut off from the control database nothing is leased", async () => {
  const cluster = await two(4);
  const [a, b] = cluster.nodes;
  await a!.coordinator.createCrawl("c", spec(SEEDS, ANY));
  await cluster.world.clock.advance(2 * directoryMs);
  await cluster.lease();
  let isDone = false;
  const pausing = b!.coordinator.setCrawlState("c", "paused").then(() => isDone = true);
  await cluster.world.clock.advance(2 * directoryMs);
  await pausing;
  assert.ok(isDone);
  assert.equal((await ask(a!.coordinator, { worker_id: "w2" })).reason, "no crawl is running");
  assert.equal(a!.coordinator.crawls()[0]!.state, "paused");

  a!.isCutOffControl = true;
  const resuming = assert.rejects(b!.coordinator.setCrawlState("c", "running"), /http:\/\/a didn't say within 5 s/);
  await cluster.world.clock.advance(CLUSTER_TIMES.obeyMs + 1_000);
  await resuming;
  await cluster.world.clock.advance(ownerTtlMs);
  const reply = await ask(a!.coordinator, { worker_id: "w2" });
  assert.equal(reply.leases.length, 0);
  assert.match(reply.reason, /the control database couldn't be read for \d+ s/);
  assert.match(a!.coordinator.problems().join(), /Leasing nothing: the control database/);
  a!.isCutOffControl = false;
  await cluster.world.clock.advance(3 * directoryMs);
  assert.equal(a!.coordinator.problems().length, 0);
  assert.equal(a!.coordinator.crawls()[0]!.state, "running");
  await cluster.close();
});

test("two coordinators widen one crawl's scope at once, and both hosts stay in it", async () => {
  const cluster = await two(2);
  const [a, b] = cluster.nodes;
  await a!.coordinator.createCrawl("c", spec([SEEDS[0]!]));
  await cluster.world.clock.advance(3 * directoryMs);
  const added = Promise.all([
    a!.coordinator.addSeeds("c", ["https://more-a.example/"], {}),
    b!.coordinator.addSeeds("c", ["https://more-b.example/"], {}),
  ]);
  await cluster.world.clock.advance(directoryMs);
  await added;
  for (let i = 0; i < 5; i++) {
    await cluster.lease();
    await cluster.world.clock.advance(2 * directoryMs);
  }
  for (const { coordinator } of cluster.nodes) {
    assert.deepEqual(coordinator.crawls()[0]!.extraHosts.toSorted(), ["more-a.example", "more-b.example"]);
  }
  await cluster.close();
});

test("seeds of a crawl whose creator died while seeding are injected by the owner of its home", async () => {
  const cluster = await two(4);
  const [a, b] = cluster.nodes;
  await a!.coordinator.createCrawl("c", spec(SEEDS, ANY));
  const { crawls } = cluster.world.control;
  crawls.set("d", { ...crawls.get("c")!, crawlId: "d", seeding: true, stateVersion: 1 });
  cluster.world.control.directory.changes++;
  a!.kill();
  await cluster.world.clock.advance(3 * ownerTtlMs);
  assert.equal(b!.coordinator.stats("d")!.accepted, SEEDS.length);
  assert.equal(crawls.get("d")!.seeding, false);
  await cluster.close();
});

test("a clock that is ahead of the dead owner's keeps its hosts' delays all the same", async () => {
  const cluster = new ClusterWorld(2);
  const a = await cluster.open("http://a");
  const b = await cluster.openAdvancing("http://b", { aheadMs: 30_000 });
  await cluster.world.clock.advance(10 * directoryMs);
  await a.coordinator.createCrawl(
    "c",
    spec(SEEDS, { ...ANY, politeness: { delay_ms: 60_000, delay_factor: 0, delay_cap_ms: 60_000, max_parallel: 1 } }),
  );
  const mine = a.coordinator.slotMap().owners!.findIndex(({ url }) => url === "http://a");
  const index = (await Promise.all(HOSTS.map((host) => shardOfHost(host, cluster)))).indexOf(mine);
  assert.ok(index >= 0, "no host lies in a's shard");
  const host = HOSTS[index]!;
  const lease = (await ask(a.coordinator, { max_leases: 8 })).leases.find((one) => one.host === host)!;
  const outcomes = lease.targets.map((target) =>
    target.kind === "robots" ? robots(target) : fetched(target, [`https://${host}/2`])
  );
  await complete(a.coordinator, lease, outcomes, { last_start_ago_ms: 0 });
  // By a's clock, which is the world's.
  const promised = cluster.world.disks[mine]!.hosts.get(host)!.nextStartAt;
  assert.ok(promised >= cluster.world.clock.wallMs() + 60_000);
  await cluster.world.clock.advance(3 * directoryMs);
  a.kill();
  let next: number | undefined;
  for (let i = 0; next === undefined && i < 400; i++) {
    await cluster.world.clock.advance(500);
    const found = (await ask(b.coordinator)).leases.find((one) => one.host === host);
    if (found !== undefined) next = cluster.world.clock.wallMs() + Math.max(0, found.first_start_in_ms);
  }
  assert.ok(next !== undefined, "the host was never leased again");
  assert.ok(next >= promised, `the host was asked ${promised - next} ms early`);
  await cluster.close();
});

test("a shard that another takes while a clock is waited for isn't claimed by who waited", async () => {
  const cluster = new ClusterWorld(2);
  const a = await cluster.open("http://a");
  const b = await cluster.openAdvancing("http://b", { aheadMs: 30_000 });
  await cluster.world.clock.advance(10 * directoryMs);
  const mine = a.coordinator.slotMap().owners!.findIndex(({ url }) => url === "http://a");
  a.kill();
  await cluster.world.clock.advance(ownerTtlMs + 5 * directoryMs);
  const waitingTerm = cluster.world.disks[mine]!.ownerTerm;
  await new MemoryShardStore(cluster.world.disks[mine]).open("a third", (await testCore()).keyVersion);
  await cluster.world.clock.advance(ownerTtlMs - 5 * directoryMs);
  assert.equal(cluster.world.disks[mine]!.ownerTerm, waitingTerm + 1);
  assert.deepEqual(b.coordinator.problems().filter((one) => one.includes("stopped")), []);
  await cluster.world.clock.advance(60_000);
  // The third never beats, so b has it again in the end, and works on it.
  assert.equal(cluster.owners()[mine], cluster.owners()[1 - mine]);
  assert.ok(cluster.world.disks[mine]!.ownerTerm > waitingTerm + 1);
  await cluster.close();
});

test("no crawl is made before every shard has a database, or that shard would be taken for a lost one for ever", async () => {
  const cluster = new ClusterWorld(2);
  cluster.sick.add(1);
  const a = await cluster.openAdvancing("http://a");
  await assert.rejects(a.coordinator.createCrawl("c", spec(SEEDS, ANY)), /nobody has made the database of shard 1 yet/);
  cluster.sick.delete(1);
  await cluster.world.clock.advance(60_000);
  await a.coordinator.createCrawl("c", spec(SEEDS, ANY));
  const pages = await cluster.crawl(site);
  assert.deepEqual(pages.map(({ url }) => url).sort(), ALL);
  await cluster.close();
});

test("a database that is new where an old one should be isn't taken, and nothing else suffers", async () => {
  const cluster = new ClusterWorld(2);
  const a = await cluster.open("http://a");
  await a.coordinator.createCrawl("c", spec(SEEDS));
  await cluster.close();
  const { disks } = cluster.world;
  const lost = new ClusterWorld(2);
  Object.assign(lost.world, {
    control: cluster.world.control,
    disks: [disks[0], lost.world.disks[1]],
    clock: cluster.world.clock,
  });
  const b = await lost.openAdvancing("http://b");
  await lost.world.clock.advance(3 * directoryMs);
  assert.match(
    b.coordinator.problems().join(),
    /Taking shard 1 failed: its database is empty, and the crawl c is older/,
  );
  assert.equal(lost.owners()[1], "");
  assert.notEqual(lost.owners()[0], "");
  await lost.close();
});

test("whoever is asked tells of all shards: counters, the feed of pages, captures and contents", async () => {
  const cluster = await two();
  const [a, b] = cluster.nodes;
  await a!.coordinator.createCrawl("c", spec(SEEDS, ANY));
  await cluster.crawl(site);
  await cluster.world.clock.advance(2 * directoryMs);
  for (const { coordinator } of [a!, b!]) {
    const stats = coordinator.stats("c")!;
    assert.deepEqual([stats.state, stats.pages, stats.accepted, stats.queued], ["finished", ALL.length, ALL.length, 0]);
    const { events } = await coordinator.pageFeed([], 100);
    assert.deepEqual(events.map(({ capture }) => capture.url).sort(), ALL);
    const rows = await Promise.all(
      [0, 1, 2, 3].map((shard) => coordinator.captures({ shard, storage_prefix: "", after_seq: 0, limit: 100 })),
    );
    assert.equal(rows.flatMap((reply) => reply.rows).length, ALL.length);
    assert.equal((await coordinator.pagesOfContent(events[0]!.capture.content_hash, 9)).length, 1);
  }
  await cluster.close();
});

test("a shard whose database can't be reached holds up no other, at its owner and at those who watch it", async () => {
  const cluster = await two();
  const [a, b] = cluster.nodes;
  const hosts = Array.from({ length: 24 }, (_, i) => `many${i}.example`);
  await a!.coordinator.createCrawl("c", spec(hosts.map((host) => `https://${host}/`), ANY));
  // Not the first: that one's outbox has the seeds of b's shards.
  const sick = a!.coordinator.slotMap().owners!.findLastIndex(({ url }) => url === "http://a");
  cluster.sick.add(sick);
  const pages = await cluster.crawl(() => [], { quietMs: 30_000 });
  assert.match(a!.coordinator.problems().join(), new RegExp(`shard ${sick}`));
  const well = (await Promise.all(hosts.map(async (host) => await shardOfHost(host, cluster) !== sick))).filter(
    Boolean,
  );
  assert.ok(well.length > 0 && well.length < hosts.length);
  assert.equal(pages.length, well.length);
  cluster.sick.clear();
  await cluster.world.clock.advance(40_000);
  const rest = await cluster.crawl(() => [], { quietMs: 150_000 });
  assert.equal(pages.length + rest.length, hosts.length);
  assert.equal(b!.coordinator.stats("c")!.state, "finished");
  await cluster.close();
});
