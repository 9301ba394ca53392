import assert from "node:assert/strict";
import { crawlAll, newWorld, spec, start } from "../../tests/support/frontier.ts";
import { test } from "../../tests/support/test.ts";
import type { ShardStore } from "../ports.ts";

const HOSTS = 12;
const PAGES = 30;
const urls = Array.from(
  { length: HOSTS * PAGES },
  (_, i) => `https://h${i % HOSTS}.example/p${Math.floor(i / HOSTS)}`,
);

/** Counts the rows that the store is asked for. */
function counted(store: ShardStore, reads: { rows: number }): ShardStore {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "readReady") return value.bind(target);
      return async (...given: Parameters<ShardStore["readReady"]>) => {
        const rows = await target.readReady(...given);
        reads.rows += rows.length;
        return rows;
      };
    },
  });
}

test("with RAM full of heads the rest waits in the store, and every URL still comes once", async () => {
  const world = newWorld();
  const reads = { rows: 0 };
  const settings = { headsPerShard: 20, headsWhenFull: 4 };
  const coordinator = await start(world, { settings, wrap: (store) => counted(store, reads) });
  const politeness = { delay_ms: 100, delay_factor: 0, delay_cap_ms: 1_000, max_parallel: 1 };
  await coordinator.createCrawl("c", spec(urls, { politeness }));
  const crawled = await crawlAll(coordinator, world, () => []);
  assert.deepEqual(crawled.sort(), [...urls].sort());
  // RAM had room for 20: all others were read, most of them once.
  assert.ok(reads.rows >= urls.length - 20 && reads.rows < 2 * urls.length, `${reads.rows} rows`);
  assert.equal(coordinator.stats("c")!.queued, 0);
  await coordinator.close();
});
