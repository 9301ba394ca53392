/**
 * Placement with three regions and a fixed matrix of round trips, in virtual time: hosts go to the nearest region, and
 * elsewhere when that is dead, silent, full or turned away.
 * Invariant: deterministic by its seed; nothing is measured against a real clock.
 */

import assert from "node:assert/strict";
import type { Coordinator } from "../../coordinator/ports.ts";
import { newWorld, start, type World } from "../support/frontier.ts";
import { test } from "../support/test.ts";
import { Chance } from "./chance.ts";
import { type Granted, hostName, type RegionPlan, RegionWorld } from "./region_world.ts";

const HOSTS = 24;
const MINUTE_MS = 60_000;
const REGIONS = ["ap", "eu", "us"] as const;
const [AP, EU, US] = [0, 1, 2];
/** Row: a region; column: where a host stands. */
const RTT_MS = [[15, 180, 120], [180, 12, 85], [120, 85, 18]];

const standOf = (host: number) => host % 3;

const PLAN: RegionPlan = {
  names: REGIONS,
  hosts: HOSTS,
  pagesPerHost: 200,
  rttMs: (region, host) => RTT_MS[region]![standOf(host)]!,
  room: () => HOSTS,
  reception: () => "answered",
};

interface Scene {
  readonly world: World;
  readonly regions: RegionWorld;
  readonly chance: Chance;
  coordinator: Coordinator;
}

async function begin(change: Partial<RegionPlan> = {}, seed = 1): Promise<Scene> {
  const chance = new Chance(seed);
  const world = seeded(chance);
  const coordinator = await start(world);
  const regions = new RegionWorld({ ...PLAN, ...change }, { clock: world.clock, chance });
  await regions.begin(coordinator);
  return { world, regions, chance, coordinator };
}

function seeded(chance: Chance): World {
  const world = newWorld();
  return { ...world, random: { next: () => chance.next(), hex: (bytes) => world.random.hex(bytes) } };
}

/** Share of leases that meet `wanted`. */
function share(granted: readonly Granted[], wanted: (one: Granted) => boolean): number {
  assert.ok(granted.length > 0, "no lease was granted");
  return granted.filter(wanted).length / granted.length;
}

const isNearest = ({ region, host }: Granted) => region === standOf(host);

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

/** Leases from now on. */
function since(scene: Scene, at: number): Granted[] {
  return scene.regions.granted.filter((one) => one.at >= at);
}

for (const seed of [1, 2, 3]) {
  test(`after 20 fetches of each host nine leases in ten go to the nearest region, seed ${seed}`, async () => {
    const placed = await begin({}, seed);
    await placed.regions.run(placed.coordinator, 25 * MINUTE_MS);
    const settled = placed.regions.granted.filter(({ fetchesBefore }) => fetchesBefore >= 20);
    const nearest = share(settled, isNearest);
    const stats = placed.coordinator.stats("c")!;
    await placed.coordinator.close();
    const random = await begin({ names: ["", "", ""] }, seed);
    await random.regions.run(random.coordinator, 25 * MINUTE_MS);
    await random.coordinator.close();
    const [placedMs, randomMs] = [median(placed.regions.connectTimesMs), median(random.regions.connectTimesMs)];
    console.log(
      `regions, seed ${seed}: ${(nearest * 100).toFixed(1)} % of ${settled.length} leases nearest; ` +
        `median connect ${placedMs} ms placed, ${randomMs} ms at random`,
    );
    assert.ok(settled.length > 10 * HOSTS, `${settled.length} leases`);
    assert.ok(nearest >= 0.9, `${nearest} of ${settled.length}`);
    assert.ok(3 * placedMs < randomMs, `${placedMs} ms, at random ${randomMs} ms`);
    assert.equal(Object.values(stats.leases_by_region).reduce((a, b) => a + b), placed.regions.granted.length);
    assert.ok(stats.leases_home >= 0.9 * stats.leases_placed, `${stats.leases_home} of ${stats.leases_placed}`);
  });
}

test("hosts of a region that dies go to the others, and back when it has come back", async () => {
  const scene = await begin();
  const { regions } = scene;
  await regions.run(scene.coordinator, 6 * MINUTE_MS);
  regions.kill(EU);
  regions.plan = { ...PLAN, room: (region) => (region === EU ? 0 : HOSTS) };
  // What it held has to expire first.
  await regions.run(scene.coordinator, 4 * MINUTE_MS);
  const diedAt = scene.world.clock.wallMs();
  await regions.run(scene.coordinator, 4 * MINUTE_MS);
  const orphans = since(scene, diedAt).filter(({ host }) => standOf(host) === EU);
  assert.ok(orphans.length >= HOSTS / 3, "every host of it goes on");
  assert.ok(share(orphans, ({ region }) => region === US) >= 0.8, "with the nearest that is left");
  regions.plan = PLAN;
  await regions.run(scene.coordinator, 2 * MINUTE_MS);
  const backAt = scene.world.clock.wallMs();
  await regions.run(scene.coordinator, 6 * MINUTE_MS);
  assert.ok(share(since(scene, backAt).filter(({ host }) => standOf(host) === EU), isNearest) >= 0.85);
  await scene.coordinator.close();
});

test("a region without room doesn't hold its hosts back for longer than the patience", async () => {
  const scene = await begin();
  const { regions } = scene;
  await regions.run(scene.coordinator, 6 * MINUTE_MS);
  regions.plan = { ...PLAN, room: (region) => (region === EU ? 2 : HOSTS) };
  const fullAt = scene.world.clock.wallMs();
  await regions.run(scene.coordinator, 6 * MINUTE_MS);
  const theirs = since(scene, fullAt + MINUTE_MS).filter(({ host }) => standOf(host) === EU);
  assert.equal(new Set(theirs.map(({ host }) => host)).size, HOSTS / 3, "each of them goes on");
  assert.ok(theirs.some(({ region }) => region === EU) && theirs.some(({ region }) => region !== EU));
  await scene.coordinator.close();
});

for (const reception of ["forbidden", "unreachable"] as const) {
  test(`a host that turns the nearest region away (${reception}) is asked from the next, and not from there`, async () => {
    const scene = await begin({ reception: (region, host) => (region === EU && host === EU ? reception : "answered") });
    await scene.regions.run(scene.coordinator, 10 * MINUTE_MS);
    const learnedAt = scene.world.clock.wallMs();
    const { placement } = scene.coordinator.hostView(hostName(EU))!;
    assert.equal(placement.home, "us");
    await scene.regions.run(scene.coordinator, 10 * MINUTE_MS);
    const later = since(scene, learnedAt);
    const theirs = later.filter(({ host }) => host === EU);
    assert.equal(share(theirs, ({ region }) => region === EU), 0);
    assert.ok(share(theirs, ({ region }) => region === US) >= 0.8);
    assert.ok(share(later.filter(({ host }) => host !== EU), isNearest) >= 0.9, "others stay");
    if (reception === "forbidden") {
      const facts = scene.coordinator.hostView(hostName(EU))!.placement.regions.find(({ region }) => region === "eu");
      assert.equal(facts?.isGeoBlocked, true);
    }
    await scene.coordinator.close();
  });
}

test("a home moves once when another region becomes nearer by far, and not for a few ms", async () => {
  const scene = await begin({ pagesPerHost: 660 });
  const { regions } = scene;
  await regions.run(scene.coordinator, 6 * MINUTE_MS);
  const homes = () =>
    Array.from({ length: HOSTS }, (_, host) => scene.coordinator.hostView(hostName(host))!.placement.home);
  const before = homes();
  assert.deepEqual(before, Array.from({ length: HOSTS }, (_, host) => REGIONS[standOf(host)]));
  // Hosts of us: eu is better now, but by less than the hysteresis wants. Hosts of ap: us is far better.
  const moved = [[190, 180, 120], [180, 12, 16], [30, 85, 20]];
  regions.plan = { ...regions.plan, rttMs: (region, host) => moved[region]![standOf(host)]! };
  const moves = new Map<number, string[]>();
  for (let minute = 0; minute < 60; minute++) {
    await regions.run(scene.coordinator, MINUTE_MS);
    for (const [host, home] of homes().entries()) {
      const path = moves.get(host) ?? [before[host]!];
      if (path.at(-1) !== home) path.push(home);
      moves.set(host, path);
    }
  }
  for (const [host, path] of moves) {
    const most = standOf(host) === AP ? ["ap", "us"] : [REGIONS[standOf(host)]!];
    assert.deepEqual(path, most.slice(0, path.length), `host ${host} went ${path.join(", ")}`);
  }
  const gone = [...moves].filter(([host, path]) => standOf(host) === AP && path.at(-1) === "us");
  assert.ok(gone.length >= HOSTS / 6, `${gone.length} of ${HOSTS / 3} hosts have moved`);
  await scene.coordinator.close();
});

test("a pinned host is its region's alone, even while that is gone, and is free again without the pin", async () => {
  const scene = await begin();
  const { regions, coordinator } = scene;
  const host = AP;
  await coordinator.setHostPolicy(hostName(host), { region: "us" });
  await regions.run(coordinator, 6 * MINUTE_MS);
  const theirs = () => regions.granted.filter((one) => one.host === host);
  assert.equal(share(theirs(), ({ region }) => region === US), 1);
  regions.plan = { ...PLAN, room: (region) => (region === US ? 0 : HOSTS) };
  regions.kill(US);
  await regions.run(coordinator, 5 * MINUTE_MS);
  const granted = theirs().length;
  await regions.run(coordinator, 5 * MINUTE_MS);
  assert.equal(theirs().length, granted, "nobody else gets it");
  await coordinator.setHostPolicy(hostName(host), { region: "" });
  await regions.run(coordinator, 5 * MINUTE_MS);
  assert.ok(theirs().length > granted);
  await coordinator.close();
});

test("a restart keeps what was learned: the next leases go to the same regions", async () => {
  const scene = await begin();
  await scene.regions.run(scene.coordinator, 8 * MINUTE_MS);
  const before = Array.from({ length: HOSTS }, (_, host) => scene.coordinator.hostView(hostName(host))!.placement.home);
  // The process is simply gone; what it hadn't committed is lost.
  const killed = scene.coordinator;
  scene.coordinator = await start(scene.world);
  const after = Array.from({ length: HOSTS }, (_, host) => scene.coordinator.hostView(hostName(host))!.placement.home);
  assert.deepEqual(after, before);
  const restartedAt = scene.world.clock.wallMs();
  await scene.regions.run(scene.coordinator, 5 * MINUTE_MS);
  assert.ok(share(since(scene, restartedAt), isNearest) >= 0.9);
  await scene.coordinator.close();
  await killed.close();
});
