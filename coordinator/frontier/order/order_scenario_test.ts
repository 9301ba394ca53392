/** In which order a host's URLs come, as its crawl wants it. */

import assert from "node:assert/strict";
import type { Coordinator } from "../../ports.ts";
import { ask, complete, fetched, newWorld, robots, spec, start, type World } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";

const HOST = "https://a.example";
const CRAWL_ANY = { kind: "any", domains: [], include: [], exclude: [] } as const;

/** Fetches one page at a time until `steps` pages were, and returns them in order. */
async function crawlInSteps(
  coordinator: Coordinator,
  world: World,
  options: { readonly steps: number; readonly site: (url: string) => readonly string[] },
): Promise<string[]> {
  const order: string[] = [];
  for (let idle = 0; order.length < options.steps && idle < 50; idle++) {
    const { leases } = await ask(coordinator, { max: 1, max_leases: 1 });
    for (const lease of leases) {
      idle = 0;
      const outcomes = lease.targets.map((target) => {
        if (target.kind === "robots") return robots(target);
        order.push(target.url.replace(HOST, ""));
        return fetched(target, options.site(target.url));
      });
      await complete(coordinator, lease, outcomes, { last_start_ago_ms: 0 });
    }
    await world.clock.advance(1_000);
  }
  return order;
}

function rowOf(world: World, url: string) {
  return [...world.disks[0]!.urls.get("c")!.values()].find((row) => row.url === url)!;
}

test("a queued URL that many pages link to is raised, once for each power of four, and fetched before its fellows", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec([`${HOST}/`]));
  const wanted = `${HOST}/plain/wanted`;
  // Level 1 links to a level 2 that nobody else names, but for one page that all of them name, in two spellings.
  const site = (url: string): string[] => {
    const path = url.slice(HOST.length);
    if (path === "/") return Array.from({ length: 20 }, (_, i) => `${HOST}/level1/${i}`);
    if (path.startsWith("/level1/")) {
      const own = Array.from({ length: 5 }, (_, i) => `${HOST}/plain/${path.slice(8)}-${i}`);
      return [...own, wanted, `${wanted}#again`, `${HOST}/plain/%77anted`, url];
    }
    return [];
  };
  const first = await crawlInSteps(coordinator, world, { steps: 4, site });
  assert.deepEqual(first.filter((path) => path.startsWith("/level1")).length, 3);
  await world.clock.advance(2_000);
  assert.equal(rowOf(world, wanted).inLinks, 1, "three pages found it");
  await crawlInSteps(coordinator, world, { steps: 1, site });
  await world.clock.advance(2_000);
  const raised = rowOf(world, wanted);
  assert.equal(raised.inLinks, 4);
  assert.ok(raised.priority > rowOf(world, `${HOST}/plain/0-0`).priority);
  const rest = await crawlInSteps(coordinator, world, { steps: 117, site });
  const plain = rest.filter((path) => path.startsWith("/plain/"));
  assert.equal(rowOf(world, wanted).inLinks, 16, "twenty pages linked to it: each once, whatever its spellings");
  assert.equal(plain.length, 101);
  assert.equal(plain[0], "/plain/wanted", "it was the fifth of its level to be found");
  assert.equal(rowOf(world, `${HOST}/level1/3`).inLinks, 1, "links of a page to itself don't count");
  await coordinator.close();
});

test("an edge can't raise a URL by repeating a page's report, nor by one that the fence refuses", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec([`${HOST}/1`, `${HOST}/2`, `${HOST}/wanted`]));
  const lease = (await ask(coordinator, { max: 2 })).leases[0]!;
  const page = lease.targets.find(({ kind }) => kind === "page")!;
  assert.equal(page.url, `${HOST}/1`);
  const outcome = fetched(page, [`${HOST}/wanted`]);
  for (let i = 0; i < 10; i++) await complete(coordinator, lease, [outcome, outcome], { done: false });
  await complete(coordinator, { ...lease, epoch: lease.epoch + 1 }, [outcome]);
  await complete(coordinator, lease, [outcome]);
  for (let i = 0; i < 10; i++) await complete(coordinator, lease, [outcome]);
  await world.clock.advance(5_000);
  assert.equal(rowOf(world, `${HOST}/wanted`).inLinks, 1);
  await coordinator.close();
});

test("breadth first: all pages of a depth before those of the next, whatever links to them", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec([`${HOST}/`], { order: "breadth_first", scope: CRAWL_ANY }));
  const site = (url: string): string[] => {
    const path = url.slice(HOST.length);
    if (path.length > 3) return [];
    const below = ["a", "b", "c"].map((letter) =>
      `${HOST}${path}${letter}${path.length > 1 ? "?q=1&r=2&s=3&t=4&u=5" : ""}`
    );
    return [...below, `${HOST}/abc`];
  };
  const order = await crawlInSteps(coordinator, world, { steps: 12, site });
  const depths = order.map((path) => rowOf(world, HOST + path).depth);
  assert.deepEqual(depths, depths.toSorted((a, b) => a - b), order.join(" "));
  assert.deepEqual([...world.disks[0]!.urls.get("c")!.values()].map((row) => row.inLinks).filter((n) => n > 1), []);
  await coordinator.close();
});

test("no host is starved: of two hosts the poor one still gets its share while the rich one always has more", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  const seeds = Array.from({ length: 60 }, (_, i) => `https://rich${i}.example/`);
  await coordinator.createCrawl("c", spec(seeds, { priority: 0.95, scope: CRAWL_ANY }));
  await coordinator.addSeeds("c", ["https://poor.example/1", "https://poor.example/2"], { priority: 0.05 });
  let rich = 0;
  for (let i = 0; i < 1_000; i++) {
    const { leases } = await ask(coordinator, { max: 1, max_leases: 1 });
    for (const lease of leases) {
      if (lease.host === "poor.example") return await coordinator.close();
      rich++;
      const more = `https://${lease.host}/${rich}`;
      const outcomes = lease.targets.map((target) =>
        target.kind === "robots" ? robots(target) : fetched(target, [more])
      );
      await complete(coordinator, lease, outcomes, { last_start_ago_ms: 0 });
    }
    await world.clock.advance(100);
  }
  assert.fail(`${rich} leases of urgent hosts, and none of the other`);
});
