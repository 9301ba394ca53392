import assert from "node:assert/strict";
import { type Hop, LIMITS } from "../../../protocol/mod.ts";
import { ask, complete, fetched, newWorld, robots, spec, start, visit } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";

test("visits: without a lease that stands, of the worker itself, nobody is permitted and nothing is kept", async () => {
  const world = newWorld(2);
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const [lease] = (await ask(coordinator)).leases;
  assert.equal((await visit(coordinator, lease!, "b.example", "w2")).granted, false, "another worker's lease");
  assert.equal((await visit(coordinator, { ...lease!, epoch: 9 }, "b.example")).granted, false);
  assert.equal((await visit(coordinator, { ...lease!, lease_id: "x" }, "b.example")).granted, false);
  assert.equal((await visit(coordinator, { ...lease!, slot: -1 }, "b.example")).granted, false);
  for (const name of ["no host", "B.example", "b.example/x", "b.example:81", "user@b.example", "", "127.1"]) {
    assert.equal((await visit(coordinator, lease!, name)).granted, false, name);
  }
  await complete(coordinator, lease!, []);
  assert.equal((await visit(coordinator, lease!, "b.example")).granted, false, "the lease is over");
  assert.deepEqual(world.disks.flatMap((disk) => [...disk.hosts.values()].map(({ host }) => host)), ["a.example"]);
  await coordinator.close();
});

test("visits: one lease moves the clocks of a bounded number of hosts", async () => {
  const coordinator = await start(newWorld());
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const [lease] = (await ask(coordinator)).leases;
  let granted = 0;
  for (let i = 0; i < 2 * LIMITS.permitsPerLease; i++) {
    if ((await visit(coordinator, lease!, `h.d${i}.example`)).granted) granted++;
  }
  assert.equal(granted, LIMITS.permitsPerLease);
  await coordinator.close();
});

/** As if a.example's robots.txt had led to these hosts, one after the other. */
const hops = (...hosts: string[]): Hop[] =>
  hosts.map((host) => ({
    url: "https://a.example/robots.txt",
    http_code: 302,
    location: `https://${host}/r.txt`,
    capture: fetched({ target_id: "" } as Parameters<typeof fetched>[0]).capture,
  }));

test("visits: a host that turns a request by permit away is left alone, for 5 min at most, and not by hearsay", async () => {
  const world = newWorld(2);
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/", "https://b.example/", "https://z.example/"]));
  const { leases } = await ask(coordinator);
  const of = (host: string) => leases.find((lease) => lease.host === host)!;
  assert.ok((await visit(coordinator, of("a.example"), "c.example")).granted);
  const busy = { class: "unreachable", http_code: 429, failure: "http_429", retry_after_ms: 9e9 } as const;
  const tell = (host: string, to: string, change: object) => {
    const [target] = of(host).targets;
    return complete(coordinator, of(host), [robots(target!, { hops: hops("x.example", to), ...change })]);
  };
  await tell("a.example", "c.example", busy);
  const waitMs = (host: string) => coordinator.hostView(host)!.clocks.nextStartInMs;
  assert.equal(waitMs("c.example"), LIMITS.backoffMaxMs);
  await tell("b.example", "z.example", busy);
  assert.ok(waitMs("z.example") < LIMITS.backoffMs, "it wasn't permitted to visit that");
  const { granted, wait_ms } = await visit(coordinator, of("z.example"), "c.example");
  assert.deepEqual([granted, wait_ms], [false, LIMITS.backoffMaxMs]);
  await coordinator.close();
});

test("visits: while one may be under way nobody else asks its host; told of, the host's delay alone counts", async () => {
  const world = newWorld(2);
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/", "https://b.example/"]));
  const { leases } = await ask(coordinator);
  const [a, b] = ["a.example", "b.example"].map((host) => leases.find((lease) => lease.host === host)!);
  await coordinator.addSeeds("c", ["https://c.example/"], {});
  assert.ok((await visit(coordinator, a!, "c.example")).granted);
  await world.clock.advance(10_000);
  assert.equal((await visit(coordinator, b!, "c.example")).granted, false, "another lease's visit");
  await world.clock.advance(5_000);
  assert.equal((await ask(coordinator)).leases.length, 0, "nor is it leased");
  const told = robots(a!.targets[0]!, { hops: hops("c.example", "d.example") });
  await complete(coordinator, a!, [told], { done: false });
  assert.deepEqual((await ask(coordinator)).leases.map(({ host }) => host), ["c.example"]);
  await coordinator.close();
});

test("visits: failures in a row double the wait, a good answer ends that, and the host's own back-off is untouched", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  const seeds = Array.from({ length: 4 }, (_, i) => `https://s${i}.d${i}.example/`);
  await coordinator.createCrawl("c", spec(seeds));
  const waits: number[] = [];
  for (const lease of (await ask(coordinator)).leases) {
    assert.ok((await visit(coordinator, lease, "c.example")).granted);
    const change = waits.length === 2 ? {} : { class: "unreachable", failure: "http_503" } as const;
    await complete(coordinator, lease, [robots(lease.targets[0]!, { hops: hops("c.example"), ...change })]);
    const { nextStartInMs, backoffMs } = coordinator.hostView("c.example")!.clocks;
    assert.equal(backoffMs, 0);
    waits.push(nextStartInMs);
    await world.clock.advance(nextStartInMs);
  }
  // After the good answer what the permit itself moved the clock by is left.
  assert.deepEqual(waits, [5_000, 10_000, 4_000, 5_000]);
  await coordinator.close();
});

test("visits: told of, a visit leaves its domain's room to others at once; asked for again it takes no second part", async () => {
  const limits = { ...LIMITS, domainInFlight: 2, domainGapMs: 0 };
  const world = newWorld();
  const coordinator = await start(world, { settings: { limits } });
  const seeds = Array.from({ length: 3 }, (_, i) => `https://s${i}.d${i}.example/`);
  await coordinator.createCrawl("c", spec(seeds));
  const [first, second, third] = (await ask(coordinator)).leases;
  for (let i = 0; i < 3; i++) {
    const { granted } = await visit(coordinator, first!, "a.site.example");
    assert.ok(granted, "the one before is over, or was never made");
    await world.clock.advance(5_000);
  }
  assert.ok((await visit(coordinator, second!, "b.site.example")).granted);
  assert.equal((await visit(coordinator, third!, "c.site.example")).granted, false, "two are under way");
  await complete(coordinator, first!, [robots(first!.targets[0]!, { hops: hops("a.site.example") })], { done: false });
  await world.clock.advance(2_000);
  assert.ok((await visit(coordinator, third!, "c.site.example")).granted);
  await coordinator.close();
});
