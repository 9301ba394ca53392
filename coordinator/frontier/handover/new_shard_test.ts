/** What may become a shard. */

import assert from "node:assert/strict";
import { test } from "../../../tests/support/test.ts";
import { UnfitDatabase } from "../../slot_ports.ts";
import { MemoryControlStore } from "../../store/memory_control_store.ts";
import { memoryShardReader } from "../../store/memory_shard_reader.ts";
import { MemoryShardStore } from "../../store/memory_shard_store.ts";
import { newWorld } from "../../../tests/support/frontier.ts";
import { addNewShard } from "./new_shard.ts";

test("a database of the frontier under another name is no further shard; an empty one is, and a known one stays what it is", async () => {
  const world = newWorld(2);
  const { directory } = new MemoryControlStore(world.control);
  const openReader = (location: string) => memoryShardReader(world.disks[location === "empty" ? 1 : 0]!);
  await directory.found(["a"]);
  await new MemoryShardStore(world.disks[0]!).open("owner", 1);
  const means = { directory, openReader };
  await assert.rejects(addNewShard("link/to/a", means), UnfitDatabase);
  assert.deepEqual((await directory.read()).locations, ["a"]);
  assert.equal((await directory.read()).spreading, false);
  assert.equal(await addNewShard("a", means), 0);
  assert.equal(await addNewShard("empty", means), 1);
  assert.equal(await addNewShard("empty", means), 1);
});
