/** A crawl's page limit among several coordinators is exact, whoever dies. */

import assert from "node:assert/strict";
import { ClusterWorld } from "../../../tests/support/cluster.ts";
import { spec } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";
import { CLUSTER_TIMES } from "./times.ts";

const HOSTS = Array.from({ length: 8 }, (_, i) => `h${i}.example`);
const SEEDS = HOSTS.map((host) => `https://${host}/`);
const ANY = { scope: { kind: "any", domains: [], include: [], exclude: [] } } as const;
const PAGES = 12;

function site(url: string): string[] {
  const { origin, pathname } = new URL(url);
  const n = Number(pathname.slice(1) || 0);
  return n + 1 < PAGES ? [`${origin}/${n + 1}`] : [];
}

async function two(): Promise<ClusterWorld> {
  const cluster = new ClusterWorld(4);
  await cluster.open("http://a");
  await cluster.openAdvancing("http://b");
  await cluster.world.clock.advance(10 * CLUSTER_TIMES.directoryMs);
  return cluster;
}

function held(cluster: ClusterWorld): number {
  return [...cluster.world.control.allotments.values()].reduce((sum, { pages }) => sum + pages, 0);
}

for (const limit of [1, 7, 50]) {
  test(`page limit over two coordinators: ${limit} of ${HOSTS.length * PAGES} pages, and the crawl ends by it`, async () => {
    const cluster = await two();
    const [a, b] = cluster.nodes;
    await a!.coordinator.createCrawl("c", spec(SEEDS, { ...ANY, max_pages: limit }));
    const pages = await cluster.crawl(site, { onLease: () => void assert.ok(held(cluster) <= limit) });
    assert.equal(pages.length, limit);
    for (const { coordinator } of [a!, b!]) {
      const stats = coordinator.stats("c")!;
      assert.deepEqual([stats.pages, stats.state], [limit, "finished"]);
      assert.match(stats.reason, /reached its limit/);
    }
    await cluster.close();
  });
}

test("page limit: what a dead coordinator held and hadn't used is used by who takes its shards over, and no more", async () => {
  const cluster = await two();
  const [a, b] = cluster.nodes;
  await a!.coordinator.createCrawl("c", spec(SEEDS, { ...ANY, max_pages: 40 }));
  let leases = 0;
  let killed = false;
  const pages = await cluster.crawl(site, {
    quietMs: 150_000,
    onLease: (_, node) => {
      assert.ok(held(cluster) <= 40);
      if (killed || node.url !== "http://a" || ++leases < 5) return;
      killed = true;
      node.kill();
      return false;
    },
  });
  assert.ok(killed);
  assert.equal(pages.length, 40);
  assert.equal(b!.coordinator.stats("c")!.state, "finished");
  await cluster.close();
});

test("page limit: a wider one lets the crawl go on at all coordinators", async () => {
  const cluster = await two();
  const [a, b] = cluster.nodes;
  await a!.coordinator.createCrawl("c", spec(SEEDS, { ...ANY, max_pages: 5 }));
  assert.equal((await cluster.crawl(site)).length, 5);
  const widened = b!.coordinator.retuneCrawl("c", spec(SEEDS, { ...ANY, max_pages: 30 }));
  await cluster.world.clock.advance(3 * CLUSTER_TIMES.directoryMs);
  assert.equal((await widened)!.state, "running");
  assert.equal((await cluster.crawl(site)).length, 25);
  assert.equal(a!.coordinator.stats("c")!.pages, 30);
  await cluster.close();
});
