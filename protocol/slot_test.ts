import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { evenSlotMap, mergedMap, shardOf, SLOT_COUNT, withSlot } from "./slot.ts";

function shards(map: Parameters<typeof shardOf>[0]): number[] {
  return Array.from({ length: SLOT_COUNT }, (_, slot) => shardOf(map, slot));
}

test("an even map gives every shard its share, in order", () => {
  for (const count of [1, 2, 3, 7, 64]) {
    const owners = shards(evenSlotMap(count));
    assert.deepEqual(owners, owners.toSorted((a, b) => a - b));
    for (let shard = 0; shard < count; shard++) {
      const share = owners.filter((owner) => owner === shard).length;
      assert.ok(Math.abs(share - SLOT_COUNT / count) < 1, `${share} slots of ${count} shards`);
    }
  }
});

test("a slot that moves takes no other with it", () => {
  let map = evenSlotMap(2);
  for (const [slot, shard] of [[0, 1], [4095, 0], [2047, 2], [2048, 2], [100, 1], [100, 0], [7, 7]] as const) {
    const before = shards(map);
    const moved = withSlot(map, slot, shard);
    assert.equal(moved.version, map.version + 1);
    assert.deepEqual(shards(moved), before.with(slot, shard));
    map = moved;
  }
  assert.equal(map.shards, 8);
  assert.equal(map.runs[0]![0], 0);
});

test("two words on the map: the newer assignment, and of each shard the newer owner", () => {
  const a = { ...evenSlotMap(2), owners: [{ url: "http://a/", term: 3 }, { url: "http://a/", term: 1 }] };
  const b = {
    ...withSlot(evenSlotMap(2), 9, 2),
    owners: [{ url: "http://b/", term: 2 }, { url: "http://b/", term: 2 }],
  };
  for (const merged of [mergedMap(a, b), mergedMap(b, a)]) {
    assert.equal(merged.version, 2);
    assert.equal(shardOf(merged, 9), 2);
    assert.deepEqual(merged.owners?.map(({ url }) => url), ["http://a/", "http://b/", ""]);
  }
  assert.equal(mergedMap(evenSlotMap(1), evenSlotMap(1)).owners, undefined);
});
