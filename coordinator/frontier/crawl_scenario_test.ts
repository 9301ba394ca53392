import assert from "node:assert/strict";
import { test } from "../../tests/support/test.ts";
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
} from "../../tests/support/frontier.ts";
import type { Coordinator } from "../ports.ts";
import type { Lease, Outcome, Redirected, Target } from "../../protocol/mod.ts";

function redirected(target: Target, location: string): Redirected {
  return { status: "redirected", target_id: target.target_id, http_code: 301, location, requests: 1 };
}

/** Answers pages by `where`: a redirect where it names a location, else a page without links. */
async function follow(coordinator: Coordinator, lease: Lease, where: Record<string, string>): Promise<void> {
  const outcomes = lease.targets.map((target): Outcome => {
    if (target.kind === "robots") return robots(target);
    const location = where[target.url];
    return location === undefined ? fetched(target) : redirected(target, location);
  });
  await complete(coordinator, lease, outcomes, { last_start_ago_ms: 0 });
}

async function followAll(
  world: ReturnType<typeof newWorld>,
  coordinator: Coordinator,
  where: Record<string, string>,
): Promise<string[]> {
  const urls: string[] = [];
  for (let step = 0; step < 30; step++) {
    for (const lease of (await ask(coordinator)).leases) {
      urls.push(...lease.targets.filter(({ kind }) => kind === "page").map(({ url }) => url));
      await follow(coordinator, lease, where);
    }
    await world.clock.advance(1_000);
  }
  return urls;
}

test("a seed's redirect out of scope is admitted and its host joins the scope, also after a restart", async () => {
  const world = newWorld();
  const first = await start(world);
  await first.createCrawl("c", spec(["http://a.example/"]));
  const urls = await followAll(world, first, { "http://a.example/": "https://www.b.example/home#top" });
  assert.deepEqual(urls, ["http://a.example/", "https://www.b.example/home"]);
  assert.deepEqual(first.crawls()[0]!.extraHosts, ["www.b.example"]);
  await first.close();
  const second = await start(world);
  const answer = await second.addSeeds("c", ["https://www.b.example/later"], { discoveredFrom: "https://a.example/" });
  assert.equal(answer.enqueued, 1);
  await second.close();
});

test("a discovery's redirect out of scope is refused and counted", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  await answerAll(coordinator, (await ask(coordinator)).leases[0]!, () => ["https://a.example/out"]);
  await world.clock.advance(10_000);
  const urls = await followAll(world, coordinator, { "https://a.example/out": "https://elsewhere.example/" });
  assert.deepEqual(urls, ["https://a.example/out"]);
  assert.deepEqual(coordinator.stats("c")!.rejected_by_reason, { scope: 1 });
  await coordinator.close();
});

test("more than five redirects in a row are refused and counted", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/0"]));
  const where: Record<string, string> = {};
  for (let hop = 0; hop < 10; hop++) where[`https://a.example/${hop}`] = `https://a.example/${hop + 1}`;
  const urls = await followAll(world, coordinator, where);
  assert.deepEqual(urls, [0, 1, 2, 3, 4, 5].map((hop) => `https://a.example/${hop}`));
  const stats = coordinator.stats("c")!;
  assert.deepEqual([stats.redirected, stats.rejected_by_reason], [6, { redirect_hops: 1 }]);
  assert.equal(stats.state, "finished");
  await coordinator.close();
});

test("a redirect to what was seen already, itself included, adds nothing", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/", "https://a.example/b"]));
  await followAll(world, coordinator, { "https://a.example/": "https://a.example/b", "https://a.example/b": "/" });
  assert.equal(coordinator.stats("c")!.accepted, 2);
  await coordinator.close();
});

test("depth: links beyond max_depth are refused; a queued URL found again nearer keeps the smaller depth", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  const scope = { kind: "host", domains: [], include: [], exclude: [], max_depth: 2 } as const;
  await coordinator.createCrawl("c", spec(["https://a.example/deep", "https://a.example/seed"], { scope }));
  const first = (await ask(coordinator)).leases[0]!;
  const [robotsTarget, deep, seed] = first.targets;
  await complete(coordinator, first, [robots(robotsTarget!), fetched(deep!, ["https://a.example/1"])]);
  await world.clock.advance(60_000);
  // /1 (depth 1) leads to /2 (depth 2); then the seed links to /2 (depth 1), so that /3 is within the limit.
  const second = (await ask(coordinator)).leases[0]!;
  const one = second.targets.find(({ url }) => url.endsWith("/1"))!;
  const outcomes = [fetched(one, ["https://a.example/2"])];
  await complete(coordinator, second, outcomes, { done: false });
  const again = second.targets.find(({ url }) => url === seed!.url)!;
  await complete(coordinator, second, [fetched(again, ["https://a.example/2"])]);
  await world.clock.advance(60_000);
  const third = (await ask(coordinator)).leases[0]!;
  assert.deepEqual(third.targets.map(({ url, depth }) => [url, depth]), [["https://a.example/2", 1]]);
  await answerAll(coordinator, third, () => ["https://a.example/3"]);
  await world.clock.advance(60_000);
  await answerAll(coordinator, (await ask(coordinator)).leases[0]!, () => ["https://a.example/4"]);
  assert.deepEqual(coordinator.stats("c")!.rejected_by_reason, { max_depth: 1 });
  await coordinator.close();
});

test("E45: a pause is obeyed by every lease granted after it; the lease before it is listed and told to stop", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/", "https://b.example/"]));
  const both = await Promise.all([
    ask(coordinator, { max_leases: 1 }),
    coordinator.setHostPolicy("a.example", { paused: true }),
    coordinator.setHostPolicy("b.example", { paused: true }),
    ask(coordinator),
  ]);
  const lease = both[0].leases[0]!;
  assert.deepEqual([...both[1].leasesOut, ...both[2].leasesOut], [lease.lease_id]);
  assert.equal(both[3].leases.length, 0);
  const { lease_id, epoch, slot } = lease;
  const reply = await coordinator.extend({ worker_id: "w1", lease_id, epoch, slot });
  assert.deepEqual([reply.status, reply.stop], ["ok", true]);
  await coordinator.release({ worker_id: "w1", leases: [lease], reason: "paused" });
  assert.match((await ask(coordinator)).reason, /2 hosts paused by an operator/);
  await world.clock.advance(5_000);
  await coordinator.setHostPolicy("a.example", { paused: false, minDelayMs: 3_000 });
  assert.equal((await ask(coordinator)).leases[0]!.gap_ms, 3_000);
  await coordinator.close();
});

test("a paused crawl grants nothing until it runs again; a cancelled one never; another crawl goes on (E47)", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("a", spec(["https://a.example/"]));
  await coordinator.createCrawl("b", spec(["https://a.example/"]));
  await coordinator.setCrawlState("a", "paused");
  const lease = (await ask(coordinator)).leases[0]!;
  assert.equal(lease.crawl.crawl_id, "b");
  await answerAll(coordinator, lease);
  await world.clock.advance(10_000);
  assert.equal((await ask(coordinator)).leases.length, 0);
  await coordinator.setCrawlState("a", "running");
  const other = (await ask(coordinator)).leases[0]!;
  assert.equal(other.crawl.crawl_id, "a");
  await coordinator.setCrawlState("a", "cancelled");
  await answerAll(coordinator, other);
  assert.equal((await coordinator.setCrawlState("a", "running"))!.state, "cancelled");
  assert.equal((await coordinator.urlStatus("b", "https://a.example/"))!.status, "done");
  await coordinator.close();
});

test("the same crawl again is resumed, with another spec it is an error, malformed seeds create nothing", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  const bad = await coordinator.createCrawl("c", spec(["https://a.example/", "http://[::", "mailto:x@y.example"]));
  assert.deepEqual(bad.seeds.malformed.map(({ index }) => index), [1, 2]);
  assert.deepEqual(coordinator.crawls(), []);
  assert.equal((await coordinator.createCrawl("c", spec(["https://a.example/"]))).seeds.enqueued, 1);
  assert.equal((await coordinator.createCrawl("c", spec(["https://a.example/"]))).resumed, true);
  await assert.rejects(coordinator.createCrawl("c", spec(["https://b.example/"])), /other settings/);
  await coordinator.close();
});

test("a crash between crawl and seeds: the next start injects them", async () => {
  const world = newWorld();
  const first = await start(world);
  await first.createCrawl("c", spec(["https://a.example/"]));
  await first.close();
  const row = world.control.crawls.get("c")!;
  world.control.crawls.set("c", { ...row, seeding: true, spec: spec(["https://a.example/", "https://b.example/"]) });
  const second = await start(world);
  assert.equal(second.stats("c")!.accepted, 2);
  assert.equal(second.crawls()[0]!.seeding, false);
  await second.close();
});

test("two shards: links cross by the outbox, each URL is fetched once, and only then is the crawl finished", async () => {
  const world = newWorld(4);
  const coordinator = await start(world);
  const hosts = Array.from({ length: 12 }, (_, i) => `https://h${i}.site${i}.example/`);
  const scope = { kind: "any", domains: [], include: [], exclude: [] } as const;
  await coordinator.createCrawl("c", spec([hosts[0]!], { scope }));
  const first = (await ask(coordinator)).leases[0]!;
  await answerAll(coordinator, first, () => hosts);
  assert.equal(coordinator.stats("c")!.outbox_rows > 0, true);
  await world.clock.advance(10_000);
  assert.equal(coordinator.stats("c")!.state, "running", "rows wait for delivery");
  const reply = await ask(coordinator);
  assert.ok(reply.outbox.length > 0);
  for (let again = 0; again < 2; again++) await coordinator.deliverOutbox({ worker_id: "w1", rows: reply.outbox });
  for (const lease of reply.leases) await answerAll(coordinator, lease, () => hosts);
  await world.clock.advance(31_000);
  const urls = await crawlAll(coordinator, world, () => hosts);
  const stats = coordinator.stats("c")!;
  assert.deepEqual([stats.accepted, stats.pages, stats.outbox_rows, stats.state], [12, 12, 0, "finished"]);
  assert.ok(urls.length <= 11);
  await coordinator.close();
});

test("a link to another shard is sent once, however many pages have it", async () => {
  const world = newWorld(4);
  const coordinator = await start(world);
  const scope = { kind: "any", domains: [], include: [], exclude: [] } as const;
  const pages = Array.from({ length: 6 }, (_, i) => `https://a.example/${i}`);
  await coordinator.createCrawl("c", spec(pages, { scope }));
  const away = Array.from({ length: 20 }, (_, i) => `https://www.s${i}.example/`);
  await answerAll(coordinator, (await ask(coordinator)).leases[0]!, () => away);
  const accepted = coordinator.stats("c")!.accepted - pages.length;
  const sent = world.disks.reduce((sum, disk) => sum + (disk.counters.get("c")?.sent ?? 0), 0);
  assert.ok(sent > 0);
  assert.equal(accepted + sent, away.length);
  await coordinator.close();
});

test("another budget and pace: a crawl that its page limit ended goes on; other seeds are refused", async () => {
  const world = newWorld();
  const first = await start(world);
  const seeds = ["https://a.example/1", "https://a.example/2", "https://a.example/3"];
  await first.createCrawl("c", spec(seeds, { max_pages: 1 }));
  await crawlAll(first, world, () => []);
  assert.deepEqual([first.stats("c")!.state, first.stats("c")!.pages], ["finished", 1]);
  await assert.rejects(first.retuneCrawl("c", spec(["https://b.example/"])), /other seeds or another scope/);
  assert.equal(await first.retuneCrawl("unknown", spec(seeds)), undefined);
  await first.close();
  const second = await start(world);
  const wider = spec([...seeds].reverse(), { max_pages: 2, user_agent: "outrider-test/2" });
  assert.equal((await second.retuneCrawl("c", wider))!.state, "running");
  assert.equal((await second.createCrawl("c", wider)).resumed, true);
  await crawlAll(second, world, () => []);
  assert.deepEqual([second.stats("c")!.state, second.stats("c")!.pages], ["finished", 2]);
  assert.equal((await second.retuneCrawl("c", spec(seeds)))!.state, "running", "no limit at all");
  await crawlAll(second, world, () => []);
  assert.deepEqual([second.stats("c")!.state, second.stats("c")!.pages], ["finished", 3]);
  assert.equal((await second.retuneCrawl("c", spec(seeds, { max_pages: 9 })))!.state, "finished", "all is settled");
  await second.close();
});

test("a lost database: neither side goes on without what the other knows", async () => {
  const world = newWorld();
  const first = await start(world);
  await first.createCrawl("empty", spec([]));
  await first.createCrawl("c", spec(["https://a.example/"]));
  await first.close();
  const lost = /^Error: Opening the frontier failed: .* hold.* \w+, of which .* nothing, so a database was lost .*\.$/;
  await assert.rejects(start({ ...world, disks: newWorld().disks }), lost);
  await assert.rejects(start({ ...world, control: newWorld().control }), lost);
  await (await start(world)).close();
});

test("a lost database: one shard of several is missed, whatever it held, and at each further try", async () => {
  const world = newWorld(2);
  const first = await start(world);
  await first.createCrawl("c", spec(["https://a.example/"]));
  await first.close();
  for (const index of [0, 1]) {
    const disks = world.disks.map((disk, i) => i === index ? newWorld().disks[0]! : disk);
    const lost = new RegExp(`of which shard ${index} knows nothing, so a database was lost`);
    for (let tries = 0; tries < 3; tries++) await assert.rejects(start({ ...world, disks }), lost);
  }
  const more = { ...world, disks: [...world.disks, newWorld().disks[0]!] };
  await assert.rejects(start(more), /of which shard 2 knows nothing, .* more shards than before/);
  await (await start(world)).close();
});
