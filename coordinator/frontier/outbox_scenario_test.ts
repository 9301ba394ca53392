import assert from "node:assert/strict";
import type { OutboxRow } from "../../protocol/mod.ts";
import { ask, complete, fetched, robots, spec } from "../../tests/support/frontier.ts";
import { test } from "../../tests/support/test.ts";
import { createAtBoth, domainsOf, type Pair, startPair } from "../../tests/support/two_coordinators.ts";
import { NotOwned } from "../owner_ports.ts";

const PAGES = 300;
/** Each page links to so many hosts of the other coordinator. */
const LINKS = 3;

/** Crawls a site of the first coordinator, each page reported by itself, while nobody carries its outbox rows; how many links it sent. */
async function crawlSite({ world, coordinators: [home] }: Pair, site: string, foreign: string): Promise<number> {
  const urls = Array.from({ length: PAGES }, (_, i) => `https://${site}/${i}`);
  await home.addSeeds("c", urls, {});
  let done = 0;
  while (done < PAGES) {
    await world.clock.advance(1_000);
    const { leases } = await ask(home, { max_leases: 1 });
    for (const lease of leases) {
      for (const target of lease.targets) {
        const links = Array.from({ length: LINKS }, (_, i) => `https://${foreign}/${done}/${i}`);
        const outcome = target.kind === "robots" ? robots(target) : fetched(target, links);
        if (target.kind !== "robots") done++;
        await complete(home, lease, [outcome], { done: false });
      }
      await complete(home, lease, []);
    }
  }
  return LINKS * done;
}

async function carryAll({ world, coordinators: [home, other] }: Pair): Promise<OutboxRow[]> {
  const carried: OutboxRow[] = [];
  for (let quiet = 0; quiet < 3; quiet++) {
    const { outbox } = await ask(home, { max_leases: 0 });
    if (outbox.length > 0) quiet = 0;
    await other.deliverOutbox({ worker_id: "w1", rows: outbox });
    await home.ackOutbox({
      worker_id: "w1",
      rows: outbox.map(({ lease_id, seq }) => ({ lease_id, seq, from_shard: 0 })),
    });
    carried.push(...outbox);
    await world.clock.advance(1_000);
  }
  return carried;
}

test("outbox: while another coordinator is down rows are merged, and each link arrives once when it is back", async () => {
  const pair = await startPair();
  const { world, coordinators: [home, other] } = pair;
  const [site] = await domainsOf(0, 1);
  const [foreign] = await domainsOf(1, 1);
  await createAtBoth(
    pair,
    spec([`https://${site}/`], { scope: { kind: "any", domains: [], include: [], exclude: [] } }),
  );
  // The seeds that are the other's.
  await carryAll(pair);
  const sent = await crawlSite(pair, site!, foreign!);
  for (let i = 0; i < 20; i++) await world.clock.advance(1_000);
  const stats = home.stats("c")!;
  // 64 may be in hands of edges, and as many too few to be worth it.
  assert.ok(stats.outbox_rows < 130, `${stats.outbox_rows} rows of ${PAGES} commits`);
  const carried = await carryAll(pair);
  assert.equal(carried.reduce((sum, row) => sum + row.links.length, 0), sent);
  assert.ok(carried.every((row) => row.from_shard === 0));
  assert.equal(home.stats("c")!.outbox_rows, 0);
  assert.equal(other.stats("c")!.accepted, sent);
  await pair.close();
});

test("outbox: rows and acknowledgements for shards of another coordinator are refused with the map, and none is taken", async () => {
  const pair = await startPair();
  const { coordinators: [home, other] } = pair;
  const [site] = await domainsOf(0, 1);
  const [foreign, another] = await domainsOf(1, 2);
  const scope = { kind: "any", domains: [], include: [], exclude: [] } as const;
  await createAtBoth(pair, spec([`https://${site}/`, `https://${foreign}/`, `https://${another}/`], { scope }));
  const { outbox } = await ask(home, { max_leases: 0 });
  assert.ok(outbox.length > 0);
  await assert.rejects(home.deliverOutbox({ worker_id: "w1", rows: outbox }), NotOwned);
  const names = outbox.map(({ lease_id, seq, from_shard }) => ({ lease_id, seq, from_shard: from_shard! }));
  await assert.rejects(other.ackOutbox({ worker_id: "w1", rows: names }), NotOwned);
  assert.equal(home.stats("c")!.outbox_rows, outbox.length);
  await home.ackOutbox({ worker_id: "w1", rows: outbox.map(({ lease_id, seq }) => ({ lease_id, seq })) });
  assert.equal(home.stats("c")!.outbox_rows, 0, "edges of protocol 1 don't name the shard");
  await pair.close();
});
