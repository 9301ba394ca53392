/** Any slots may go anywhere, there and back, several at once, and everybody may be killed meanwhile. */

import process from "node:process";
import fc from "fast-check";
import { openLibsqlShardReader } from "../../coordinator/store/libsql_shard_reader.ts";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { crawlWhileMoving, type MovePlan, seedCrawl, usedSlots } from "../support/handover_crawl.ts";
import { type HandoverOptions, HandoverWorld } from "../support/handover_world.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const SHARDS = 3;
const RUNS = Number(process.env.OUTRIDER_SLOT_RUNS ?? 4);

async function run(options: HandoverOptions, plan: MovePlan): Promise<void> {
  const all = new HandoverWorld(options);
  await all.start();
  await seedCrawl(all);
  await all.restart();
  await crawlWhileMoving(all, plan);
  await all.close();
}

test("random moves of slots: every page once, counters right", async () => {
  const slots = await usedSlots();
  const plans = fc.record({
    moves: fc.array(fc.record({ slot: fc.constantFrom(...slots), to: fc.nat(SHARDS - 1) }), { maxLength: 12 }),
    atOnce: fc.integer({ min: 1, max: 4 }),
    kills: fc.array(fc.integer({ min: 3, max: 30 }), { maxLength: 3 }),
  });
  const rows = fc.constantFrom(1, 3, 500);
  await fc.assert(
    fc.asyncProperty(plans, rows, async (plan, rowsPerCommit) => {
      await run({ processes: [[0, 1, 2]], shards: 2, rowsPerCommit }, plan);
    }),
    { numRuns: RUNS },
  );
});

test("slots go there and back between libSQL files, read over a connection of their own", async () => {
  const slots = (await usedSlots()).slice(0, 2);
  const folder = temporaryFolder();
  try {
    const location = (name: string) => folder.file(name);
    await run({
      processes: [[0, 1], [2]],
      shards: 2,
      rowsPerCommit: 4,
      store: (shard) => openLibsqlShardStore({ location: location(`frontier-${shard}.db`), clock: systemClock }),
      reader: (name) => openLibsqlShardReader({ location: location(name) }),
    }, { moves: [...slots, ...slots].map((slot, i) => ({ slot, to: i < slots.length ? 2 : i % 2 })), kills: [9] });
  } finally {
    await folder.remove();
  }
});
