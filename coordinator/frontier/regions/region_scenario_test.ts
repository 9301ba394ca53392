import assert from "node:assert/strict";
import { ask, complete, fetched, newWorld, robots, spec, start } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";
import { LIMITS, type Outcome, type Target } from "../../../protocol/mod.ts";
import type { Coordinator } from "../../ports.ts";

const HOST = "a.example";
const SEEDS = Array.from({ length: 40 }, (_, i) => `https://${HOST}/p${i}`);

const timed = (tcp_ms: number) => ({ timings: { started_ago_ms: 0, total_ms: 5, connect_ms: tcp_ms, tcp_ms } });

function known(coordinator: Coordinator, region: string) {
  return coordinator.hostView(HOST)!.placement.regions.find((one) => one.region === region);
}

async function begun(settings = {}) {
  const world = newWorld();
  const coordinator = await start(world, { settings });
  await coordinator.createCrawl("c", spec(SEEDS));
  const [lease] = (await ask(coordinator, { region: "eu", max: 6 })).leases;
  return { world, coordinator, lease: lease!, pages: lease!.targets.filter(({ kind }) => kind === "page") };
}

test("an edge's connect times are clamped, and count for the lease's host and region alone", async () => {
  const { coordinator, lease, pages } = await begun();
  const report = (outcomes: readonly Outcome[]) => complete(coordinator, lease, outcomes, { done: false });
  await report([fetched(pages[0]!, [], timed(1e12))]);
  assert.equal(known(coordinator, "eu")!.connectMs, LIMITS.connectMs);
  const { connectMs } = known(coordinator, "eu")!;
  // Told twice, of a target that isn't the lease's, and after redirects that may have led anywhere.
  await report([fetched(pages[0]!, [], timed(3))]);
  await report([fetched({ ...pages[2]!, target_id: "00000000000000ff" }, [], timed(3))]);
  const robot = lease.targets.find(({ kind }) => kind === "robots")!;
  const { capture } = fetched(robot);
  const hop = { url: robot.url, http_code: 301, location: "https://far.example/robots.txt", capture };
  await report([robots(robot, { ...timed(3), hops: [hop] })]);
  assert.deepEqual(known(coordinator, "eu"), { ...known(coordinator, "eu")!, connectMs, tries: 1 });
  assert.equal(coordinator.hostView("far.example"), undefined);
  await report([fetched(pages[1]!, [], timed(-7))]);
  assert.equal(known(coordinator, "eu")!.connectMs, 0);
  await coordinator.close();
});

test("edges that name no region are served, and teach nothing", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(SEEDS));
  const [lease] = (await ask(coordinator, { region: "", max: 6 })).leases;
  await complete(coordinator, lease!, [fetched(lease!.targets.at(-1) as Target, [], timed(9))]);
  assert.deepEqual(coordinator.hostView(HOST)!.placement.regions, []);
  assert.deepEqual(coordinator.stats("c")!.leases_by_region, { "": 1 });
  await coordinator.close();
});

test("leases that find out how near a region is are small; those of a single region are not", async () => {
  const { world, coordinator, lease, pages } = await begun();
  assert.ok(lease.targets.length === 6);
  await ask(coordinator, { worker_id: "w2", region: "us" });
  await complete(coordinator, lease, [robots(lease.targets[0]!, timed(90)), ...pages.map((page) => fetched(page))]);
  assert.equal(known(coordinator, "eu")!.connectMs, 90, "robots.txt is asked first, so its connection counts");
  await world.clock.advance(6_500);
  assert.deepEqual((await ask(coordinator, { region: "eu", max: 50 })).leases, [], "it is us' turn");
  const [probe] = (await ask(coordinator, { worker_id: "w2", region: "us", max: 50 })).leases;
  assert.equal(probe!.targets.length, 5);
  await coordinator.close();
});

test("a pin is there after a restart; a crawl that waits for a pinned region says so", async () => {
  const { world, coordinator, lease } = await begun();
  await coordinator.setHostPolicy(HOST, { region: "moon" });
  await complete(coordinator, lease, []);
  await coordinator.close();
  const again = await start(world);
  await world.clock.advance(20_000);
  assert.deepEqual((await ask(again, { region: "eu" })).leases, []);
  assert.equal(again.stats("c")!.reason, "waiting: 1 host pinned to a region that asks for nothing");
  assert.equal((await ask(again, { worker_id: "m", region: "moon" })).leases.length, 1);
  await again.close();
});

test("a lease that was out at a restart still teaches about its own region", async () => {
  const { world, coordinator, lease, pages } = await begun();
  await coordinator.close();
  const again = await start(world);
  await complete(again, lease, [fetched(pages[0]!, [], timed(42))]);
  assert.equal(known(again, "eu")!.connectMs, 42);
  await again.close();
});
