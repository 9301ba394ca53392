/** Slots go from shard to shard while a crawl goes on, and processes die between any two writes. */

import assert from "node:assert/strict";
import process from "node:process";
import { evenSlotMap, shardOf, slotOf } from "../../../protocol/mod.ts";
import { SlotMoving } from "../../slot_ports.ts";
import { crawlWhileMoving, seedCrawl, usedSlots } from "../../../tests/support/handover_crawl.ts";
import { type Death, type HandoverOptions, HandoverWorld } from "../../../tests/support/handover_world.ts";
import { testCore } from "../../../tests/support/frontier.ts";
import { test } from "../../../tests/support/test.ts";

const ONE: HandoverOptions = { processes: [[0, 1, 2]], shards: 2, rowsPerCommit: 3 };

/** Every slot of shard 0 that has a host goes to shard 2, one at a time; the processes die as `death` says. */
async function emptyShard(options: HandoverOptions, death?: Death): Promise<HandoverWorld> {
  const all = new HandoverWorld(options);
  await all.start();
  await seedCrawl(all);
  const slots = (await usedSlots()).filter((slot) => shardOf(evenSlotMap(2), slot) === 0);
  assert.ok(slots.length > 1, "shard 0 has too few hosts");
  await all.restart(death);
  await crawlWhileMoving(all, { moves: slots.map((slot) => ({ slot, to: 2 })) });
  const { slotMap } = await all.control.read();
  for (const slot of slots) assert.equal(shardOf(slotMap, slot), 2);
  return all;
}

test("every slot of a shard moves while the crawl goes on, in one process", async () => {
  const all = await emptyShard(ONE);
  assert.equal(all.stats(0, "c").state, "finished");
  await all.close();
});

/** 1 = at every write: minutes. */
const EVERY = Number(process.env.OUTRIDER_SLOT_DEATHS ?? 53);

test("slots move while the process may die between any two writes: nothing is lost, nothing comes twice", async () => {
  for (const isAfter of [false, true]) {
    for (let write = 1 + (isAfter ? 17 : 0) % EVERY;; write += EVERY) {
      const all = await emptyShard(ONE, { write, isAfter }).catch((error) => {
        throw new Error(`killed ${isAfter ? "after" : "before"} write ${write}: ${error.message}`, { cause: error });
      });
      await all.close();
      if (all.deaths === 0) break;
    }
  }
});

test("a recrawl and a quarantine wait for slots that move, and slots for them", async () => {
  const all = new HandoverWorld(ONE);
  await all.start();
  await seedCrawl(all);
  const [slot] = await usedSlots();
  const from = shardOf((await all.control.read()).slotMap, slot!);
  await all.control.beginMove({ slot: slot!, from, to: 2 });
  const coordinator = all.coordinator();
  const recrawl = coordinator.recrawl("c");
  await all.moveSlots();
  await recrawl;
  assert.equal((await all.control.read()).moves[0]?.state, "freezing", "it didn't wait");
  await coordinator.lease({ worker_id: "w1", region: "r", max: 40, max_leases: 8, holding: 0 });
  await all.moveSlots();
  await assert.rejects(coordinator.recrawl("c"), SlotMoving);
  await assert.rejects(coordinator.quarantine("w1"), SlotMoving);
  await all.close();
});

test("a slot waits for the request that a permit allowed on one of its hosts", async () => {
  const all = new HandoverWorld(ONE);
  await all.start();
  await seedCrawl(all);
  const coordinator = all.coordinator();
  const [lease] = (await coordinator.lease({ worker_id: "w1", region: "r", max: 1, max_leases: 1, holding: 0 })).leases;
  const host = lease!.host === "d0.example" ? "d1.example" : "d0.example";
  const { lease_id, epoch } = lease!;
  const permit = await coordinator.permit({ worker_id: "w1", lease_id, epoch, slot: lease!.slot, host, domain: host });
  assert.equal(permit.granted, true, JSON.stringify(permit));
  const slot = slotOf((await testCore()).xxh64(new TextEncoder().encode(host)));
  await all.control.beginMove({ slot, from: shardOf((await all.control.read()).slotMap, slot), to: 2 });
  const states = async () => (await all.control.read()).moves.map(({ state }) => state);
  for (let turn = 0; turn < 3; turn++) await all.moveSlots();
  assert.deepEqual(await states(), ["freezing"], "its answer is still to come");
  await all.world.clock.advance(10 * 60_000);
  for (let turn = 0; turn < 9; turn++) await all.moveSlots();
  assert.deepEqual(await states(), []);
  await all.close();
});
