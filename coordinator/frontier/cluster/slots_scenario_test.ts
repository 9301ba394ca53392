/** Slots move among several coordinators, which take shards, lose them and are killed meanwhile. */

import assert from "node:assert/strict";
import process from "node:process";
import { evenSlotMap, shardOf } from "../../../protocol/mod.ts";
import { crawlWhileMoving, seedCrawl, usedSlots } from "../../../tests/support/handover_crawl.ts";
import { type Death, HandoverWorld } from "../../../tests/support/handover_world.ts";
import { test } from "../../../tests/support/test.ts";

const CLUSTER = { processes: [[0, 1], [2]], isCluster: true, shards: 2, rowsPerCommit: 3 } as const;

interface Plan {
  readonly aheadMs: readonly number[];
  readonly delayMs?: number;
  readonly death?: Death;
}

async function emptyShard({ aheadMs, delayMs, death }: Plan): Promise<HandoverWorld> {
  const all = new HandoverWorld({ ...CLUSTER, aheadMs });
  await all.start();
  await seedCrawl(all, delayMs);
  const slots = (await usedSlots()).filter((slot) => shardOf(evenSlotMap(2), slot) === 0);
  if (death !== undefined) await all.restart(death);
  await crawlWhileMoving(all, { moves: slots.map((slot) => ({ slot, to: 2 })) });
  return all;
}

test("slots move between two coordinators, whichever clock is ahead, and the crawl ends", async () => {
  for (const aheadMs of [[0, 7_000], [7_000, 0]]) {
    // Longer than a slot is on its way: its hosts are put off by what came with it.
    const all = await emptyShard({ aheadMs, delayMs: 8_000 });
    assert.equal(all.world.control.crawls.get("c")!.state, "finished");
    await all.advancing(all.close());
  }
});

/** 1 = at every write of every process: many minutes. */
const EVERY = Number(process.env.OUTRIDER_SLOT_DEATHS ?? 293);

test("slots move between two coordinators that may die between any two writes", async () => {
  for (let write = 7;; write += EVERY) {
    const all = await emptyShard({ aheadMs: [0, 3_000], delayMs: 8_000, death: { write, isAfter: write % 2 === 0 } })
      .catch((error) => {
        throw new Error(`killed at write ${write}: ${error.message}`, { cause: error });
      });
    assert.equal(all.world.control.crawls.get("c")!.state, "finished", `killed at write ${write}`);
    await all.advancing(all.close());
    if (all.deaths === 0 || write > 600) break;
  }
});
