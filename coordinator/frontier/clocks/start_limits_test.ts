import assert from "node:assert/strict";
import { answerAll, ask, fetched, newWorld, robots, spec, start, visit } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";
import { type Lease, LIMITS } from "../../../protocol/mod.ts";
import type { Coordinator } from "../../ports.ts";

const seedsOf = (count: number, domain: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `https://s${i}.${domain(i)}/`);

const permit = (coordinator: Coordinator, lease: Lease, address: string, worker_id = "w1") => {
  const { lease_id, epoch, slot, gap_ms, max_parallel } = lease;
  return coordinator.permitAddress({ worker_id, lease_id, epoch, slot, address, gap_ms, max_parallel });
};

const end = (coordinator: Coordinator, lease: Lease) => {
  const { lease_id, epoch, slot } = lease;
  return coordinator.complete({ worker_id: "w1", lease_id, epoch, slot, outcomes: [], done: true });
};

test("domain: a lone host that may be asked often gets the domain's whole rate, four hosts a share each", async () => {
  const politeness = { delay_ms: 20, delay_factor: 0, delay_cap_ms: 60_000, max_parallel: 9 };
  const alone = newWorld();
  const first = await start(alone);
  await first.createCrawl("c", spec(["https://s0.alone.example/"], { politeness }));
  const [lease] = (await ask(first)).leases;
  assert.deepEqual([lease!.gap_ms, lease!.max_parallel], [250, 4]);
  await first.close();
  const slow = { ...politeness, delay_ms: 900, max_parallel: 1 };
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(seedsOf(6, () => "many.example"), { politeness: slow }));
  const { leases } = await ask(coordinator);
  assert.deepEqual(leases.map(({ gap_ms }) => gap_ms), [900, 900], "two starts fit into a window of each");
  await coordinator.close();
});

test("domain: one call slows, pauses and frees a whole site, and lists the leases that are out", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(seedsOf(200, () => "site.example")));
  const before = (await ask(coordinator)).leases;
  assert.equal(before.length, 4);
  const paused = await coordinator.setDomainPolicy("s7.site.example", { paused: true });
  assert.deepEqual([paused.domain, paused.hosts, paused.policy.paused], ["site.example", 200, true]);
  assert.deepEqual([...paused.leasesOut].sort(), before.map(({ lease_id }) => lease_id).sort());
  for (const lease of before) await answerAll(coordinator, lease);
  await world.clock.advance(60_000);
  const refused = await ask(coordinator);
  assert.deepEqual(refused.leases, []);
  assert.match(refused.reason, /196 hosts paused by an operator/);
  await coordinator.setDomainPolicy("site.example", { paused: false, minDelayMs: 5_000, maxParallel: 1 });
  const slow = (await ask(coordinator)).leases;
  assert.deepEqual([slow.length, slow[0]!.gap_ms], [1, 5_000]);
  await answerAll(coordinator, slow[0]!);
  await world.clock.advance(4_999);
  assert.equal((await ask(coordinator)).leases.length, 0, "the window of the last start");
  await world.clock.advance(1_001);
  assert.equal((await ask(coordinator)).leases.length, 1);
  assert.equal(coordinator.domain("other.example"), undefined);
  await coordinator.close();
});

test("domain: a policy, and what was started before a crash, hold after it", async () => {
  const world = newWorld();
  const crashed = await start(world);
  await crashed.createCrawl("c", spec(seedsOf(9, () => "site.example")));
  await crashed.setDomainPolicy("site.example", { minDelayMs: 2_000 });
  for (const lease of (await ask(crashed)).leases) await answerAll(crashed, lease);
  const coordinator = await start(world);
  assert.equal(coordinator.domain("site.example")!.gapMs, 2_000);
  assert.equal((await ask(coordinator)).leases.length, 0, "four starts were made in this window");
  await world.clock.advance(8_000);
  assert.equal((await ask(coordinator)).leases.length, 4);
  for (const one of [crashed, coordinator]) await one.close();
});

test("domain: permits for robots.txt hops count, and survive a crash", async () => {
  const world = newWorld();
  const crashed = await start(world);
  await crashed.createCrawl("c", spec(["https://a.example/", ...seedsOf(9, () => "site.example")]));
  const [lease] = (await ask(crashed, { max_leases: 1 })).leases;
  for (let i = 0; i < 4; i++) assert.ok((await visit(crashed, lease!, `r${i}.site.example`)).granted);
  assert.equal((await visit(crashed, lease!, "r4.site.example")).granted, false);
  const coordinator = await start(world);
  assert.equal((await ask(coordinator)).leases.length, 0);
  // Each may start 3 s late and last 30 s.
  await world.clock.advance(32_999);
  assert.equal((await ask(coordinator)).leases.length, 0);
  await world.clock.advance(1);
  assert.equal((await ask(coordinator)).leases.length, 4);
  for (const one of [crashed, coordinator]) await one.close();
});

test("address: eight leases share one, the ninth goes back and its host waits until a part is free", async () => {
  const world = newWorld(3);
  const coordinator = await start(world);
  const seeds = seedsOf(12, (i) => `d${i}.example`);
  await coordinator.createCrawl("c", spec(seeds));
  const { leases } = await ask(coordinator, { max_leases: 64, max: 1000 });
  assert.equal(leases.length, 12, "nobody knows yet where they lead");
  const granted: Lease[] = [];
  const refused: Lease[] = [];
  for (const lease of leases) {
    const reply = await permit(coordinator, lease, "198.51.100.7");
    (reply.granted ? granted : refused).push(lease);
  }
  assert.deepEqual([granted.length, refused.length], [8, 4]);
  for (const lease of refused) await end(coordinator, lease);
  await world.clock.advance(5_000);
  const waiting = await ask(coordinator);
  assert.deepEqual([waiting.leases.length, waiting.reason], [0, "fetching from 8 hosts"]);
  const { lease_id } = granted[0]!;
  const addresses = ["198.51.100.7"];
  await coordinator.returnPermits({ worker_id: "w1", lease_id, addresses, last_start_ago_ms: 300 });
  await world.clock.advance(499);
  assert.equal((await ask(coordinator)).leases.length, 0, "its last start counts for the window of 800 ms");
  await world.clock.advance(1);
  assert.equal((await ask(coordinator)).leases.length, 1);
  await coordinator.close();
});

test("address: permits survive a crash, another worker's or a dead lease gets none, and each lease a few", async () => {
  const world = newWorld(2);
  const crashed = await start(world);
  await crashed.createCrawl("c", spec(seedsOf(12, (i) => `d${i}.example`)));
  const { leases } = await ask(crashed, { max_leases: 64, max: 1000 });
  for (const lease of leases.slice(0, 8)) assert.ok((await permit(crashed, lease, "::ffff:198.51.100.7")).granted);
  const coordinator = await start(world);
  const [first, , , , , , , , ninth, tenth] = leases;
  assert.equal((await permit(coordinator, ninth!, "198.51.100.7")).granted, false);
  assert.ok((await permit(coordinator, first!, "198.51.100.7")).granted, "asked for again");
  assert.equal((await permit(coordinator, tenth!, "198.51.100.8", "w2")).granted, false, "another worker's lease");
  assert.equal((await permit(coordinator, { ...tenth!, epoch: 99 }, "198.51.100.8")).granted, false);
  for (let i = 1; i <= LIMITS.addressesPerLease; i++) {
    assert.ok((await permit(coordinator, tenth!, `2001:db8:0:${i}::1`)).granted);
  }
  assert.equal((await permit(coordinator, tenth!, "2001:db8:0:99::1")).granted, false);
  assert.ok((await permit(coordinator, tenth!, "2001:db8:0:3::ffff")).granted, "the same /64");
  assert.equal((await permit(coordinator, tenth!, "no address")).granted, false);
  for (const one of [crashed, coordinator]) await one.close();
});

test("address: content delivery networks have no clock, nor have crawls without delay", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(seedsOf(30, (i) => `d${i}.example`)));
  const { leases } = await ask(coordinator, { max_leases: 64, max: 1000 });
  for (const lease of leases) assert.ok((await permit(coordinator, lease, "104.16.1.1")).granted);
  assert.equal(world.disks[0]!.addresses.size, 0);
  await coordinator.close();
});

test("address: rows of permits that are over are deleted", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const [lease] = (await ask(coordinator)).leases;
  await permit(coordinator, lease!, "198.51.100.7");
  assert.equal(world.disks[0]!.addresses.size, 1);
  const outcomes = lease!.targets.map((target) => target.kind === "robots" ? robots(target) : fetched(target));
  const { lease_id, epoch, slot } = lease!;
  const addresses = ["198.51.100.7"];
  await coordinator.returnPermits({ worker_id: "w1", lease_id, addresses, last_start_ago_ms: 0 });
  await coordinator.complete({ worker_id: "w1", lease_id, epoch, slot, outcomes, done: true });
  await world.clock.advance(2_500);
  assert.deepEqual([world.disks[0]!.addresses.size, world.disks[0]!.domains.size], [0, 0]);
  assert.equal([...world.disks[0]!.hosts.values()][0]!.address, "198.51.100.7");
  await coordinator.close();
});

test("explain: a full domain and a full address are told", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl(
    "c",
    spec([...seedsOf(6, () => "site.example"), ...seedsOf(9, (i) => `d${i}.example`)]),
  );
  const { leases } = await ask(coordinator, { max_leases: 64, max: 1000 });
  const sentences = async (url: string) =>
    (await coordinator.explain("c", url))!.checks.filter(({ passes }) => !passes).map(({ says }) => says).join(" ");
  const free = seedsOf(6, () => "site.example").find((url) => !leases.some(({ host }) => url.includes(`/${host}/`)))!;
  assert.match(
    await sentences(free),
    /site.example is asked as often as it may be: 4 requests under way and as many starts in 1000 ms/,
  );
  const others = leases.filter(({ domain }) => domain !== "site.example");
  for (const lease of others) await permit(coordinator, lease, "198.51.100.7");
  const refused = others.at(-1)!;
  await end(coordinator, refused);
  await world.clock.advance(3_000);
  await ask(coordinator);
  assert.match(await sentences(`https://${refused.host}/`), /198.51.100.7, its host's address, is asked as often/);
  await coordinator.close();
});

const giveBack = (coordinator: Coordinator, { lease_id }: Lease, worker_id = "w1", last_start_ago_ms = 5_000) =>
  coordinator.returnPermits({ worker_id, lease_id, addresses: ["198.51.100.7"], last_start_ago_ms });

test("address: what was given back, or ran out, isn't had by asking again when others have it", async () => {
  const world = newWorld();
  const coordinator = await start(world, { settings: { sweepMs: 10_000_000 } });
  await coordinator.createCrawl("c", spec(seedsOf(10, (i) => `d${i}.example`)));
  const { leases } = await ask(coordinator, { max_leases: 64, max: 1000 });
  for (const lease of leases.slice(0, 8)) assert.ok((await permit(coordinator, lease, "198.51.100.7")).granted);
  await giveBack(coordinator, leases[0]!);
  assert.ok((await permit(coordinator, leases[8]!, "198.51.100.7")).granted);
  assert.equal((await permit(coordinator, leases[0]!, "198.51.100.7")).granted, false, "given back");
  // Permits end 30.8 s after the edge's right to use them; the leases are kept up all the while.
  for (let i = 0; i < 3; i++) {
    await world.clock.advance(40_800);
    for (const { lease_id, epoch, slot } of leases) {
      assert.equal((await coordinator.extend({ worker_id: "w1", lease_id, epoch, slot })).status, "ok");
    }
  }
  for (const lease of [leases[9]!, leases[0]!, ...leases.slice(1, 7)]) {
    assert.ok((await permit(coordinator, lease, "198.51.100.7")).granted);
  }
  assert.equal((await permit(coordinator, leases[7]!, "198.51.100.7")).granted, false, "ran out");
  await coordinator.close();
});

test("address: another worker can't give a permit back", async () => {
  const coordinator = await start(newWorld());
  await coordinator.createCrawl("c", spec(seedsOf(9, (i) => `d${i}.example`)));
  const { leases } = await ask(coordinator, { max_leases: 64, max: 1000 });
  for (const lease of leases.slice(0, 8)) assert.ok((await permit(coordinator, lease, "198.51.100.7")).granted);
  await giveBack(coordinator, leases[0]!, "w2");
  assert.equal((await permit(coordinator, leases[8]!, "198.51.100.7")).granted, false);
  await giveBack(coordinator, leases[0]!);
  assert.ok((await permit(coordinator, leases[8]!, "198.51.100.7")).granted);
  await coordinator.close();
});

test("address: permits of a worker that is known to be dead end a window after the start", async () => {
  const world = newWorld(2);
  const crashed = await start(world);
  await crashed.createCrawl("c", spec(seedsOf(8, (i) => `d${i}.example`)));
  const { leases } = await ask(crashed, { max_leases: 64, max: 1000 });
  for (const lease of leases) assert.ok((await permit(crashed, lease, "198.51.100.7")).granted);
  const coordinator = await start(world, { settings: { deadWorker: "w1" } });
  await world.clock.advance(799);
  assert.equal((await ask(coordinator)).leases.length, 0);
  await world.clock.advance(1_000);
  assert.equal((await ask(coordinator)).leases.length, 8);
  for (const one of [crashed, coordinator]) await one.close();
});

test("domain: a policy that lengthens the window counts what leases that are out go on starting in it", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(seedsOf(9, () => "site.example")));
  const before = (await ask(coordinator)).leases;
  assert.equal(before.length, 4);
  await coordinator.setDomainPolicy("site.example", { minDelayMs: 2_000 });
  for (const lease of before.slice(0, 2)) await answerAll(coordinator, lease);
  await world.clock.advance(20_000);
  // Two leases of before are out, with a start each second: eight each in a window of 8 s that four may have.
  assert.equal((await ask(coordinator)).leases.length, 0);
  for (const lease of before.slice(2)) await answerAll(coordinator, lease);
  await world.clock.advance(7_999);
  assert.equal((await ask(coordinator)).leases.length, 0);
  await world.clock.advance(1_001);
  assert.ok((await ask(coordinator)).leases.length > 0);
  await coordinator.close();
});

test("domain: starts made just before a policy count in its longer window", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(seedsOf(9, () => "site.example")));
  for (const lease of (await ask(coordinator)).leases) await answerAll(coordinator, lease);
  await world.clock.advance(500);
  await coordinator.setDomainPolicy("site.example", { minDelayMs: 2_000 });
  await world.clock.advance(7_499);
  assert.equal((await ask(coordinator)).leases.length, 0);
  await world.clock.advance(1_001);
  assert.ok((await ask(coordinator)).leases.length > 0);
  await coordinator.close();
});

test("domain: a long delay is kept, and no longer one", async () => {
  const hour = 3_600_000;
  for (const delayMs of [60_000, hour, 12 * hour]) {
    const world = newWorld();
    const coordinator = await start(world, { settings: { sweepMs: delayMs / 10 } });
    await coordinator.createCrawl("c", spec(["https://a.site.example/", "https://b.site.example/"]));
    await coordinator.setDomainPolicy("site.example", { minDelayMs: delayMs });
    const startedAt: number[] = [];
    for (let step = 0; step < 100 && startedAt.length < 4; step++) {
      for (const lease of (await ask(coordinator)).leases) {
        startedAt.push(...lease.targets.map((_, i) => world.clock.wallMs() + i * lease.gap_ms));
        await world.clock.advance((lease.targets.length - 1) * lease.gap_ms);
        await answerAll(coordinator, lease);
      }
      await world.clock.advance(delayMs / 20);
    }
    const gaps = startedAt.slice(1).map((at, i) => at - startedAt[i]!);
    assert.equal(gaps.length, 3, `delay ${delayMs}: ${startedAt.length} starts`);
    for (const gap of gaps) assert.ok(gap >= delayMs && gap < 1.2 * delayMs, `delay ${delayMs}, gaps ${gaps}`);
    await coordinator.close();
  }
});
