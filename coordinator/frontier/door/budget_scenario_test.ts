/** Budgets of hosts and domains, the cap of a queue, and what a restart makes of them. */

import assert from "node:assert/strict";
import { LIMITS } from "../../../protocol/mod.ts";
import { answerAll, ask, crawlAll, newWorld, spec, start } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";

const CYCLE_MS = 60_000;
const SCOPE = { kind: "domain", domains: [], include: [], exclude: [] } as const;

test("a domain's budget is shared by its hosts, holds over a crash, and begins anew with the cycle", async () => {
  const world = newWorld();
  const settings = { limits: { ...LIMITS, hostBudgetUrls: 6, domainBudgetUrls: 10, budgetCycleMs: CYCLE_MS } };
  let coordinator = await start(world, { settings });
  await coordinator.createCrawl("c", spec(["https://a.example/"], { scope: SCOPE }));
  const urls = ["a", "b", "c"].flatMap((host) =>
    Array.from({ length: 8 }, (_, i) => `https://${host}.a.example/${host}${i}`)
  );
  const add = async () => {
    const answer = await coordinator.addSeeds("c", urls, { discoveredFrom: "https://a.example/" });
    const reasons: Record<string, number> = {};
    for (const { reason } of answer.rejected) reasons[reason] = (reasons[reason] ?? 0) + 1;
    return [answer.enqueued, answer.alreadySeen, reasons];
  };
  // One of ten is the seed's: six of the first host, three of the second.
  assert.deepEqual(await add(), [9, 0, { host_budget: 2, domain_budget: 13 }]);
  coordinator = await start(world, { settings });
  assert.deepEqual(await add(), [0, 9, { host_budget: 2, domain_budget: 13 }], "the crash gave nothing back");
  await world.clock.advance(CYCLE_MS);
  assert.deepEqual(await add(), [10, 9, { domain_budget: 5 }], "refused URLs are admissible in the next cycle");
  coordinator = await start(world, { settings });
  assert.deepEqual(await add(), [0, 19, { domain_budget: 5 }]);
  assert.equal(coordinator.stats("c")!.accepted, 20);
  await coordinator.close();
});

test("a host that is first met in a later cycle keeps its use over a crash", async () => {
  const world = newWorld();
  const settings = { limits: { ...LIMITS, hostBudgetUrls: 3, budgetCycleMs: CYCLE_MS } };
  let coordinator = await start(world, { settings });
  await coordinator.createCrawl("c", spec(["https://a.example/"], { scope: SCOPE }));
  await world.clock.advance(5 * CYCLE_MS);
  const urls = Array.from({ length: 5 }, (_, i) => `https://late.a.example/${i}`);
  const first = await coordinator.addSeeds("c", urls, { discoveredFrom: "https://a.example/" });
  assert.deepEqual([first.enqueued, first.rejected.length], [3, 2]);
  coordinator = await start(world, { settings });
  const again = await coordinator.addSeeds("c", urls, { discoveredFrom: "https://a.example/" });
  assert.deepEqual([again.enqueued, again.alreadySeen, again.rejected.length], [0, 3, 2]);
  await coordinator.close();
});

test("a URL over its host's queue cap is refused, counted, and taken when it is found again", async () => {
  const world = newWorld();
  const coordinator = await start(world, { settings: { limits: { ...LIMITS, hostQueueUrls: 5 } } });
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const all = Array.from({ length: 12 }, (_, i) => `https://a.example/${i}`);
  const fetched = await crawlAll(coordinator, world, () => all);
  assert.deepEqual(fetched.toSorted(), ["https://a.example/", ...all].toSorted(), "each page named all others again");
  const stats = coordinator.stats("c")!;
  assert.ok(stats.rejected_by_reason["queue_full"]! >= 7, JSON.stringify(stats.rejected_by_reason));
  assert.equal(stats.state, "finished");
  await coordinator.close();
});

test("another shard's refusal isn't for ever either: the link is sent again after a while", async () => {
  const world = newWorld(2);
  const coordinator = await start(world, { settings: { limits: { ...LIMITS, hostQueueUrls: 1 } } });
  const hosts = Array.from({ length: 20 }, (_, i) => `h${i}.example`);
  const shardOf = async (host: string) => {
    await coordinator.createCrawl(`probe-${host.split(".")[0]}`, spec([`https://${host}/`]));
    return world.disks.findIndex((disk) =>
      disk.hosts.has(host) ||
      [...disk.urls.values()].some((rows) => [...rows.values()].some((row) => row.host === host))
    );
  };
  const shards = await Promise.all(hosts.map(shardOf));
  const [here, there] = [hosts[shards.indexOf(0)]!, hosts[shards.indexOf(1)]!];
  for (const host of hosts) await coordinator.setCrawlState(`probe-${host.split(".")[0]}`, "cancelled");
  const scope = { kind: "any", domains: [], include: [], exclude: [] } as const;
  await coordinator.createCrawl("c", spec([`https://${here}/0`], { scope }));
  const foreign = [`https://${there}/x`, `https://${there}/y`, `https://${there}/z`];
  const nextOf = (url: string) => `https://${here}/${Number(url.slice(url.lastIndexOf("/") + 1)) + 1}`;
  const urls: string[] = [];
  // A page a minute, each naming all three: the owner takes one at a time.
  for (let minute = 0; minute < 40; minute++) {
    const { leases, outbox } = await ask(coordinator, { max: 2 });
    for (const lease of leases) {
      urls.push(...lease.targets.map((target) => target.url));
      await answerAll(coordinator, lease, (url) => url.includes(here) ? [...foreign, nextOf(url)] : []);
    }
    await coordinator.deliverOutbox({ worker_id: "w1", rows: outbox });
    await coordinator.ackOutbox({ worker_id: "w1", rows: outbox.map(({ lease_id, seq }) => ({ lease_id, seq })) });
    await world.clock.advance(60_000);
  }
  assert.deepEqual(urls.filter((url) => url.includes(`${there}/`) && !url.endsWith("robots.txt")).toSorted(), foreign);
  await coordinator.close();
});

test("what was refused is told per host, also of hosts that are out of scope, and survives a restart", async () => {
  const world = newWorld();
  const coordinator = await start(world);
  await coordinator.createCrawl("c", spec(["https://a.example/"]));
  const { leases } = await ask(coordinator);
  const links = ["https://other.example/1", "https://other.example/2", `https://a.example/${"x/".repeat(30)}`];
  await answerAll(coordinator, leases[0]!, () => links);
  await world.clock.advance(2_000);
  const rejected = (host: string) => world.disks[0]!.tallies.get(`c ${host}`)?.rejectedByReason;
  assert.deepEqual(rejected("other.example"), { scope: 2 });
  assert.deepEqual(rejected("a.example"), { path_segments: 1 });
  await coordinator.close();
});
