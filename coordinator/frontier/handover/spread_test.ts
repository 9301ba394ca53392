import assert from "node:assert/strict";
import { evenSlotMap, shardOf, type SlotMap, withSlot } from "../../../protocol/mod.ts";
import { test } from "../../../tests/support/test.ts";
import { giantOf, nextPair, slotsPerShard, slotToGive } from "./spread.ts";

/** Moves slots until nothing more evens them out; how many moved. */
function spread(map: SlotMap, giants: ReadonlyMap<number, number> = new Map()): { map: SlotMap; moves: number } {
  for (let moves = 0;; moves++) {
    assert.ok(moves < 5_000, "it never ends");
    const pair = nextPair(map);
    const slot = pair && slotToGive(map, pair.from, giants.get(pair.from));
    if (pair === undefined || slot === undefined) return { map, moves };
    assert.equal(shardOf(map, slot), pair.from);
    map = withSlot(map, slot, pair.to);
  }
}

test("slots spread to shards that were added until all have as many, and no more move than must", () => {
  const { map, moves } = spread({ ...evenSlotMap(9), shards: 11 });
  const counts = slotsPerShard(map);
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, counts.join());
  assert.equal(moves, counts[9]! + counts[10]!, "each slot moves once");
  assert.equal(spread(map).moves, 0);
});

test("the stretches of the map stay few, and a giant's slot stays where it is", () => {
  const giant = 4_095;
  const { map } = spread({ ...evenSlotMap(16), shards: 17 }, new Map([[15, giant]]));
  assert.equal(shardOf(map, giant), 15);
  assert.ok(map.runs.length <= 34, `${map.runs.length} stretches`);
});

test("a slot is a giant when it holds most of a shard's URLs, and these are many", () => {
  const others = [1, 2, 3].map((slot) => [slot, 10_000] as const);
  assert.deepEqual(giantOf(new Map([...others, [9, 70_000]])), { slot: 9, share: 0.7 });
  assert.equal(giantOf(new Map([...others, [9, 20_000]])), undefined);
  assert.equal(giantOf(new Map([[9, 9_999], [1, 1]])), undefined);
  assert.equal(giantOf(new Map()), undefined);
});
