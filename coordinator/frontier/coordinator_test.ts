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
  visit,
} from "../../tests/support/frontier.ts";

test("a crawl goes from its seed to the end, each URL once, and is finished after two quiet sweeps", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const site: Record<string, string[]> = {
    "https://a.example/": ["https://a.example/1", "https://a.example/2", "https://other.example/"],
    "https://a.example/1": ["https://a.example/", "https://a.example/2", "https://a.example/2#x"],
    "https://a.example/2": ["https://a.example/1", "https://a.example/3"],
  };
  const urls = await crawlAll(coordinator, world, (url) => site[url] ?? []);
  assert.deepEqual(urls.sort(), ["", "1", "2", "3"].map((path) => `https://a.example/${path}`));
  const stats = coordinator.stats("c")!;
  assert.equal(stats.state, "finished");
  assert.equal(stats.reason, "every accepted URL is settled");
  assert.deepEqual([stats.accepted, stats.settled, stats.pages, stats.queued, stats.leased], [4, 4, 4, 0, 0]);
  assert.deepEqual(stats.rejected_by_reason, { scope: 1 });
  await coordinator.close();
});

test("E42: two lease calls in one millisecond, one grant; the next not before the delay", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/", "https://a.example/b"]));
  const replies = await Promise.all([ask(coordinator, { worker_id: "w1" }), ask(coordinator, { worker_id: "w2" })]);
  const leases = replies.flatMap((reply) => reply.leases);
  assert.equal(leases.length, 1);
  assert.equal(leases[0]!.targets[0]!.kind, "robots");
  assert.match(replies[1]!.reason, /fetching from 1 host/);
  const [lease] = leases;
  await world.clock.advance(300);
  await complete(coordinator, lease!, [robots(lease!.targets[0]!)], { last_start_ago_ms: 200 });
  assert.equal((await ask(coordinator)).leases.length, 0, "800 ms of the gap are left");
  await world.clock.advance(799);
  assert.equal((await ask(coordinator)).leases.length, 0);
  await world.clock.advance(1);
  const next = (await ask(coordinator)).leases[0]!;
  assert.equal(next.epoch, lease!.epoch + 1);
  assert.equal(next.targets.length, 2, "robots.txt is known now");
  assert.equal(next.robots[0]!.class, "allow_all");
  await coordinator.close();
});

test("E51: a lease expires, its URLs are offered again after the last request must be over, the first worker is fenced off", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const first = (await ask(coordinator)).leases[0]!;
  await world.clock.advance(first.expires_in_ms + 30_000);
  assert.equal((await ask(coordinator)).leases.length, 0, "fetch limit and gap aren't over");
  await world.clock.advance(2_000);
  const second = (await ask(coordinator, { worker_id: "w2" })).leases[0]!;
  assert.ok(second.epoch > first.epoch);
  const late = await answerAll(coordinator, first, () => ["https://a.example/late"]);
  assert.deepEqual(late, { status: "stale", accepted: 0 });
  const { lease_id, epoch, slot } = second;
  const page = second.targets.find(({ kind }) => kind === "page")!;
  const reply = await coordinator.complete({
    worker_id: "w2",
    lease_id,
    epoch,
    slot,
    outcomes: [fetched(page, ["https://a.example/x", "https://a.example/x"])],
    done: true,
  });
  assert.deepEqual(reply, { status: "ok", accepted: 1 });
  assert.equal(coordinator.stats("c")!.pages, 1);
  await coordinator.close();
});

test("a completion that is repeated, or repeats an outcome, counts once; what isn't settled goes back", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/1", "https://a.example/2"]));
  const lease = (await ask(coordinator)).leases[0]!;
  const page = lease.targets.find(({ kind }) => kind === "page")!;
  const outcome = fetched(page, ["https://a.example/3"]);
  for (const accepted of [1, 0]) {
    const reply = await complete(coordinator, lease, [outcome, outcome], { done: false });
    assert.deepEqual(reply, { status: "ok", accepted });
  }
  await complete(coordinator, lease, []);
  const stats = coordinator.stats("c")!;
  assert.deepEqual([stats.accepted, stats.settled, stats.leased, stats.queued], [3, 1, 0, 2]);
  await coordinator.close();
});

test("E46: delays, leases, epochs and counters are the same after a crash; an open lease gets its time again", async () => {
  const world = newWorld();
  const first = await start(world);
  await first.createCrawl(
    "c",
    spec(["https://a.example/1", "https://a.example/2", "https://b.example/"], {
      scope: { kind: "any", domains: [], include: [], exclude: [] },
    }),
  );
  const [lease, other] = (await ask(first)).leases;
  await complete(first, lease!, [robots(lease!.targets[0]!), fetched(lease!.targets[1]!)], { done: false });
  await answerAll(first, other!);
  await first.setHostPolicy("b.example", { paused: true });
  await world.clock.advance(60_000);
  // No close: the process is gone. What lies on the disks is all that is left.
  const second = await start(world);
  assert.equal((await ask(second)).leases.length, 0, "one host is leased, the other paused");
  await world.clock.advance(60_000);
  assert.equal((await ask(second)).leases.length, 0, "the full duration counts from the restart");
  const rest = lease!.targets.filter(({ kind }) => kind === "page").slice(1);
  const reply = await complete(second, lease!, rest.map((target) => fetched(target)));
  assert.equal(reply.status, "ok");
  assert.equal(second.stats("c")!.pages, 3);
  await second.close();
  await first.close();
});

test("leases of a worker that is known to be dead end at the start, and their hosts wait one gap", async () => {
  const world = newWorld();
  const first = await start(world);
  await first.createCrawl("c", spec(["https://a.example/"]));
  assert.equal((await ask(first)).leases.length, 1);
  const second = await start(world, { settings: { deadWorker: "w1" } });
  assert.equal((await ask(second)).leases.length, 0);
  await world.clock.advance(1_000);
  assert.equal((await ask(second)).leases.length, 1);
  await second.close();
  await first.close();
});

test("E48: clean stop, start, crash, start: every queue is there", async () => {
  const world = newWorld();
  const hosts = Array.from({ length: 12 }, (_, i) => `https://h${i}.example/`);
  const first = await start(world);
  await first.createCrawl("c", spec(hosts));
  await first.close();
  const second = await start(world);
  const third = await start(world);
  const reply = await ask(third, { max_leases: 64, max: 1000 });
  assert.equal(reply.leases.length, 12);
  await third.close();
  await second.close();
});

test("E52: a worker that holds its limit gets back-pressure, whatever it says it holds", async () => {
  const world = newWorld();
  const { LIMITS } = await import("../../protocol/mod.ts");
  const coordinator = await start(world, { settings: { limits: { ...LIMITS, leasesPerWorker: 3 } } });
  await coordinator.createCrawl("c", spec(Array.from({ length: 9 }, (_, i) => `https://h${i}.example/`)));
  assert.equal((await ask(coordinator, { max_leases: 100 })).leases.length, 3);
  const second = await ask(coordinator, { max_leases: 100, holding: 0 });
  assert.equal(second.leases.length, 0);
  assert.match(second.reason, /^back-pressure: w1 holds 3 leases/);
  assert.equal((await ask(coordinator, { worker_id: "w2", holding: 2 })).leases.length, 1);
  await coordinator.close();
});

test("E52: requests that one worker makes at once share its limit, and none of it is lost", async () => {
  const world = newWorld(2);
  const { LIMITS } = await import("../../protocol/mod.ts");
  const coordinator = await start(world, { settings: { limits: { ...LIMITS, leasesPerWorker: 6 } } });
  await coordinator.createCrawl("c", spec(Array.from({ length: 40 }, (_, i) => `https://h${i}.example/`)));
  const replies = await Promise.all(Array.from({ length: 8 }, () => ask(coordinator, { max_leases: 4 })));
  assert.equal(replies.flatMap(({ leases }) => leases).length, 6);
  assert.match(replies.at(-1)!.reason, /^back-pressure: w1 /);
  for (const lease of replies.flatMap(({ leases }) => leases)) await answerAll(coordinator, lease);
  assert.equal((await ask(coordinator, { max_leases: 64 })).leases.length, 6, "what was asked for isn't held for ever");
  await coordinator.close();
});

test("E54: the page limit counts fetched pages, not links; queued URLs stay and say so", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"], { max_pages: 2 }));
  const self = Array.from({ length: 10 }, () => "https://a.example/");
  const site = (url: string) =>
    url === "https://a.example/" ? [...self, "https://a.example/new"] : ["https://a.example/x"];
  const urls = await crawlAll(coordinator, world, site);
  assert.deepEqual(urls, ["https://a.example/", "https://a.example/new"]);
  const stats = coordinator.stats("c")!;
  assert.deepEqual([stats.state, stats.reason], ["finished", "reached its limit of 2 pages"]);
  assert.equal(stats.queued, 1);
  const status = await coordinator.urlStatus("c", "https://a.example/x");
  assert.equal(status!.why, "not fetched: the crawl is finished, reached its limit of 2 pages");
  await coordinator.close();
});

test("E56: sub-domains of one registered domain share a limit of four leases, and all get their turn", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  const seeds = Array.from({ length: 20 }, (_, i) => `https://s${i}.many.example/`);
  await coordinator.createCrawl("c", spec(seeds));
  const seen = new Set<string>();
  for (let turn = 0; turn < 30 && seen.size < 20; turn++) {
    const { leases } = await ask(coordinator, { max_leases: 64, max: 1000 });
    assert.ok(leases.length <= 4);
    for (const lease of leases) {
      seen.add(lease.host);
      await answerAll(coordinator, lease);
    }
    await world.clock.advance(250);
  }
  assert.equal(seen.size, 20);
  await coordinator.close();
});

test("a permit moves the host's clock as a lease's request would; leased and paused hosts give none", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://z.example/", "https://a.example/"]));
  const [lease] = (await ask(coordinator, { max_leases: 1 })).leases;
  const permit = (host: string) => visit(coordinator, lease!, host);
  assert.deepEqual(await permit("b.example"), { granted: true, wait_ms: 0 });
  // A permitted request may start as late as permitStartMs: only from then on the gap counts.
  assert.deepEqual(await permit("b.example"), { granted: true, wait_ms: 4_000 });
  assert.deepEqual(await permit("b.example"), { granted: false, wait_ms: 8_000 });
  await permit("a.example");
  await world.clock.advance(32_999);
  assert.equal((await ask(coordinator)).leases.length, 0, "it may start 3 s late and last 30 s");
  await world.clock.advance(1);
  assert.equal((await ask(coordinator)).leases.length, 1);
  assert.equal((await permit("a.example")).granted, false);
  await coordinator.setHostPolicy("b.example", { paused: true });
  assert.equal((await permit("b.example")).granted, false);
  await coordinator.close();
});

test("a permit under a lease whose crawl was paused keeps the crawl's delay", async () => {
  const world = newWorld(2);
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const [lease] = (await ask(coordinator)).leases;
  await coordinator.setCrawlState("c", "paused");
  const permit = () => visit(coordinator, lease!, "b.example");
  assert.deepEqual([await permit(), await permit()], [{ granted: true, wait_ms: 0 }, {
    granted: true,
    wait_ms: 4_000,
  }]);
  await coordinator.close();
});

test("a host that somebody waits for isn't leased again before the permit was given", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://z.example/", "https://a.example/", "https://a.example/2"]));
  const [other] = (await ask(coordinator, { worker_id: "w2", max_leases: 1 })).leases;
  const [lease] = (await ask(coordinator)).leases;
  const permit = () => visit(coordinator, other!, "a.example", "w2");
  assert.equal((await permit()).granted, false);
  await complete(coordinator, lease!, []);
  await world.clock.advance(1_500);
  assert.equal((await ask(coordinator)).leases.length, 0, "kept free for who asked in vain");
  assert.equal((await permit()).granted, true);
  await world.clock.advance(33_000);
  assert.equal((await ask(coordinator)).leases.length, 1);
  await coordinator.close();
});

test("a host with the root's dot is the same host: one lease, one clock, one scope; its robots.txt is its own", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/", "https://a.example./dotted"]));
  const { leases } = await ask(coordinator);
  assert.deepEqual(leases.map(({ host }) => host), ["a.example"]);
  assert.deepEqual(leases[0]!.targets.map(({ url }) => url), [
    "https://a.example/robots.txt",
    "https://a.example./robots.txt",
    "https://a.example/",
    "https://a.example./dotted",
  ]);
  assert.equal((await visit(coordinator, leases[0]!, "a.example.")).granted, false);
  const links = ["https://a.example/1", "https://a.example./2"];
  const outcomes = leases[0]!.targets.map((one) => one.kind === "robots" ? robots(one) : fetched(one, links));
  await complete(coordinator, leases[0]!, outcomes);
  assert.equal(coordinator.stats("c")!.accepted, 4);
  await coordinator.setHostPolicy("a.example.", { paused: true });
  await world.clock.advance(10_000);
  assert.equal((await ask(coordinator)).leases.length, 0);
  await coordinator.close();
});

test("a host that nobody waits for any more is leased again", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://z.example/", "https://a.example/", "https://a.example/2"]));
  const [other] = (await ask(coordinator, { worker_id: "w2", max_leases: 1 })).leases;
  const [lease] = (await ask(coordinator)).leases;
  await visit(coordinator, other!, "a.example", "w2");
  await complete(coordinator, lease!, []);
  await world.clock.advance(2_001);
  assert.equal((await ask(coordinator)).leases.length, 1);
  await coordinator.close();
});

test("the fence: another epoch, another worker, another slot change nothing", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const lease = (await ask(coordinator)).leases[0]!;
  const { lease_id, epoch, slot } = lease;
  const whole = {
    worker_id: "w1",
    lease_id,
    epoch,
    slot,
    outcomes: lease.targets.map((one) => fetched(one)),
    done: true,
  };
  const wrong = [{ epoch: epoch + 1 }, { epoch: epoch - 1 }, { worker_id: "w2" }, { lease_id: "x" }, { slot: -1 }];
  for (const change of wrong) {
    assert.equal((await coordinator.complete({ ...whole, ...change })).status, "stale");
    assert.equal((await coordinator.extend({ worker_id: "w1", lease_id, epoch, slot, ...change })).status, "stale");
    await coordinator.release({ worker_id: "w1", leases: [{ lease_id, epoch: epoch + 1, slot }], reason: "test" });
  }
  assert.deepEqual([coordinator.stats("c")!.leased, coordinator.stats("c")!.pages], [1, 0]);
  await coordinator.close();
});
