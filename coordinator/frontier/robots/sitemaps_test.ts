import assert from "node:assert/strict";
import {
  answerAll,
  ask,
  complete,
  fetched,
  newWorld,
  robots,
  spec,
  start,
  testCore,
} from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";
import type { Batch, ShardStore } from "../../ports.ts";
import { isSitemapRow, keptSitemaps, sitemapDepth } from "./sitemaps.ts";

const MAP = "https://a.example/map.xml";
const NAMING = { class: "rules" as const, body: `Sitemap: ${MAP}`, sitemaps: [MAP] };

test("sitemaps: which URLs of a robots.txt are kept", async () => {
  const core = await testCore();
  const kept = keptSitemaps(
    ["/s.xml", "https://b.example/x", "/s.xml", "ftp://c.example/", "http://["],
    "https://a.example",
    core,
  );
  assert.deepEqual(kept, ["https://a.example/s.xml", "https://b.example/x"]);
  const many = Array.from({ length: 60 }, (_, i) => `/${i}.xml`);
  assert.equal(keptSitemaps(many, "https://a.example", core).length, 50);
});

test("sitemaps: what a discovery path tells", () => {
  const paths = ["I", "M", "MR", "ILM", "MM", "MRMR", "MS", "MSL"];
  assert.deepEqual(paths.map((discoveryPath) => isSitemapRow({ discoveryPath })), [
    ...[false, true, true, true, true, true, false, false],
  ]);
  assert.deepEqual(paths.map((discoveryPath) => sitemapDepth({ discoveryPath })), [0, 1, 1, 1, 2, 2, 0, 0]);
});

test("sitemaps: a crawl that finds the robots.txt known hears of its sitemaps too; one that wants none doesn't", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  const [first] = await leasesOf(["one"]);
  await complete(
    coordinator,
    first!,
    first!.targets.map((target) => target.kind === "robots" ? robots(target, NAMING) : fetched(target)),
    { last_start_ago_ms: 0 },
  );
  async function leasesOf(crawls: readonly string[]) {
    for (const id of crawls) {
      const change = id === "none" ? { sitemaps: "none" as const } : {};
      await coordinator.createCrawl(id, spec(["https://a.example/"], change));
    }
    await world.clock.advance(2_000);
    return (await ask(coordinator)).leases;
  }
  await world.clock.advance(2_000);
  const [maps] = (await ask(coordinator)).leases;
  assert.deepEqual(maps!.targets.map(({ url, kind }) => [url, kind]), [[MAP, "sitemap"]]);
  await answerAll(coordinator, maps!);
  assert.equal(coordinator.stats("one")!.pages, 1, "a sitemap is no page");
  const kinds: string[] = [];
  for (let [lease] = await leasesOf(["two", "none"]); lease !== undefined; [lease] = (await ask(coordinator)).leases) {
    kinds.push(...lease.targets.map(({ kind }) => `${lease!.crawl.crawl_id} ${kind}`));
    await answerAll(coordinator, lease);
    await world.clock.advance(2_000);
  }
  assert.deepEqual(kinds.sort(), ["none page", "two page", "two sitemap"]);
  await coordinator.close();
});

test("sitemaps: a crash between a robots.txt and what it names loses nothing", async () => {
  const world = newWorld();
  const wrap = (store: ShardStore): ShardStore =>
    new Proxy(store, {
      get: (target, name: keyof ShardStore) => {
        const member = target[name] as (...values: unknown[]) => unknown;
        if (name !== "commit") return member.bind(target);
        return (batch: Batch) => {
          if (batch.newUrls.some(({ discoveryPath }) => discoveryPath === "M")) return new Promise(() => {});
          return target.commit(batch);
        };
      },
    });
  const crashed = await start(world, { wrap });
  await crashed.createCrawl("c", spec(["https://a.example/"]));
  const [lease] = (await ask(crashed)).leases;
  const outcomes = lease!.targets.map((target) => target.kind === "robots" ? robots(target, NAMING) : fetched(target));
  await complete(crashed, lease!, outcomes, { last_start_ago_ms: 0 });
  assert.equal(world.disks[0]!.urlCount, 1, "the commit that makes them known never ends");
  const coordinator = await start(world);
  await world.clock.advance(3_000);
  assert.deepEqual((await ask(coordinator)).leases.flatMap(({ targets }) => targets.map(({ url }) => url)), [MAP]);
  await coordinator.close();
});

test("sitemaps: of the pages that one names those come first that it calls urgent; said of all alike, in their order", async () => {
  const names = ["/1", "/2", "/3"].map((path) => `https://a.example${path}`);
  for (const [priorities, order] of [[[10, 50, 100], ["/3", "/1", "/2"]], [[100, 100, 100], ["/1", "/2", "/3"]]]) {
    const world = newWorld();
    const coordinator = await start(world);
    await coordinator.createCrawl("c", spec(["https://a.example/"]));
    const [first] = (await ask(coordinator)).leases;
    const answers = first!.targets.map((target) => target.kind === "robots" ? robots(target, NAMING) : fetched(target));
    await complete(coordinator, first!, answers, { last_start_ago_ms: 0 });
    await world.clock.advance(2_000);
    const [maps] = (await ask(coordinator)).leases;
    const hints = { outlink_kinds: "SSS", outlink_priorities: priorities as number[], outlink_lastmods: [0, 0, 0] };
    await complete(coordinator, maps!, [fetched(maps!.targets[0]!, names, hints)], { last_start_ago_ms: 0 });
    await world.clock.advance(2_000);
    const [pages] = (await ask(coordinator)).leases;
    assert.deepEqual(pages!.targets.map(({ url }) => new URL(url).pathname), order);
    await coordinator.close();
  }
});
