/**
 * What every DirectoryStore does; a part of the suite of control stores.
 */

import assert from "node:assert/strict";
import type { ClusterStore, CoordinatorEntry } from "../../coordinator/owner_ports.ts";
import { shardOf } from "../../protocol/mod.ts";

type It<Store> = (title: string, body: (reopen: () => Promise<Store>) => Promise<void>) => void;

function entry(id: string, over: Partial<CoordinatorEntry> = {}): CoordinatorEntry {
  return { id, url: `http://${id}.test:8600/`, beat: 1, applied: 0, shards: [], ...over };
}

export function directoryStoreCases<Store extends ClusterStore>(it: It<Store>): void {
  it("a directory is founded once, with the slots shared out evenly", async (reopen) => {
    const { directory } = await reopen();
    const empty = await directory.read();
    assert.deepEqual([empty.changes, empty.slotMap.shards, empty.locations, empty.moves], [0, 0, [], []]);
    await directory.found(["a.db", "http://b/é"]);
    await directory.found(["c.db"]);
    const view = await (await reopen()).directory.read();
    assert.deepEqual(view.locations, ["a.db", "http://b/é"]);
    assert.deepEqual([view.slotMap.version, view.slotMap.shards, view.changes], [1, 2, 1]);
    assert.deepEqual([0, 2047, 2048, 4095].map((slot) => shardOf(view.slotMap, slot)), [0, 0, 1, 1]);
  });

  it("coordinators write rows of their own; of two that claim a shard the newer term owns it", async (reopen) => {
    const { directory } = await reopen();
    await directory.found(["a.db", "b.db"]);
    await directory.announce(
      entry("a", { beat: 2, applied: 7, shards: [{ shard: 0, term: 1 }, { shard: 1, term: 4 }] }),
    );
    await directory.announce(entry("a", { beat: 1, url: "http://late/" }));
    await directory.announce(entry("b", { shards: [{ shard: 0, term: 2 }, { shard: 9, term: 9 }] }));
    const view = await (await reopen()).directory.read();
    assert.deepEqual(view.coordinators.map(({ id, beat, applied }) => [id, beat, applied]), [["a", 2, 7], ["b", 1, 0]]);
    assert.deepEqual(view.slotMap.owners, [
      { url: "http://b.test:8600/", term: 2 },
      { url: "http://a.test:8600/", term: 4 },
    ]);
    await directory.withdraw("b").catch(() => {});
    const again = (await reopen()).directory;
    await again.withdraw("b");
    assert.deepEqual((await again.read()).slotMap.owners?.map(({ term }) => term), [1, 4]);
  });

  it("a shard that is added has no slot; the same place again is the same shard", async (reopen) => {
    const { directory } = await reopen();
    await directory.found(["a.db"]);
    assert.deepEqual([await directory.addShard("b.db"), await directory.addShard("b.db")], [1, 1]);
    assert.equal(await directory.addShard("a.db"), 0);
    const view = await (await reopen()).directory.read();
    assert.deepEqual([view.slotMap.version, view.slotMap.shards, view.changes], [2, 2, 2]);
    assert.deepEqual([0, 4095].map((slot) => shardOf(view.slotMap, slot)), [0, 0]);
  });

  it("that slots are to be spread stands until it is taken back", async (reopen) => {
    const { directory } = await reopen();
    await directory.found(["a.db", "b.db"]);
    assert.equal((await directory.read()).spreading, false);
    await directory.spread(true);
    await directory.spread(true);
    const view = await (await reopen()).directory.read();
    assert.deepEqual([view.spreading, view.changes], [true, 2]);
    const again = (await reopen()).directory;
    await again.spread(false);
    assert.equal((await again.read()).spreading, false);
  });

  it("a slot moves step by step, each step once, and the map says so with the copy", async (reopen) => {
    let { directory } = await reopen();
    await directory.found(["a.db", "b.db"]);
    const move = { slot: 5, from: 0, to: 1 };
    for (const bad of [{ slot: 5, from: 1, to: 0 }, { slot: 5, from: 0, to: 0 }, { slot: 5, from: 0, to: 2 }]) {
      assert.equal(await directory.beginMove(bad), false);
    }
    assert.deepEqual([await directory.beginMove(move), await directory.beginMove(move)], [true, true]);
    assert.equal(await directory.beginMove({ ...move, to: 0 }), false);
    await directory.endMove(5);
    await assert.rejects(directory.finishCopy(5), /found a move that is freezing, wanted one that is drained/);
    await assert.rejects(directory.finishCopy(6), /found no move of it/);
    await directory.markDrained(5);
    await directory.markDrained(5);
    ({ directory } = await reopen());
    assert.deepEqual((await directory.read()).moves, [{ ...move, state: "drained" }]);
    for (const map of [await directory.finishCopy(5), await directory.finishCopy(5)]) {
      assert.deepEqual([map.version, shardOf(map, 4), shardOf(map, 5), shardOf(map, 6)], [2, 0, 1, 0]);
    }
    await directory.markDrained(5);
    assert.equal((await directory.read()).moves[0]?.state, "copied");
    await directory.endMove(5);
    await directory.endMove(5);
    const view = await (await reopen()).directory.read();
    assert.deepEqual([view.moves, view.slotMap.version, view.changes], [[], 2, 5]);
  });

  it("moves of many slots at once and shards that come meanwhile lose nothing of the map", async (reopen) => {
    const { directory } = await reopen();
    await directory.found(["a.db", "b.db"]);
    const slots = [0, 1, 7, 100, 2047];
    await Promise.all(slots.map((slot) => directory.beginMove({ slot, from: 0, to: 1 })));
    await Promise.all(slots.map((slot) => directory.markDrained(slot)));
    await Promise.all([...slots.map((slot) => directory.finishCopy(slot)), directory.addShard("c.db")]);
    const { slotMap } = await directory.read();
    assert.deepEqual([0, 1, 2, 7, 8, 100, 2047].map((slot) => shardOf(slotMap, slot)), [1, 1, 0, 1, 0, 1, 1]);
    assert.deepEqual([slotMap.version, slotMap.shards], [7, 3]);
  });

  it("one secret for all; whoever changes a crawl makes all look again", async (reopen) => {
    const { directory } = await reopen();
    assert.equal(await directory.secret("first"), "first");
    assert.equal(await (await reopen()).directory.secret("second"), "first");
    const again = (await reopen()).directory;
    const before = (await again.read()).changes;
    await again.bump();
    assert.equal((await again.read()).changes, before + 1);
  });
}
