/** The contract suites on the stores in RAM. */

import { MemoryControlDisk, MemoryControlStore } from "../../coordinator/store/memory_control_store.ts";
import { memoryShardReader } from "../../coordinator/store/memory_shard_reader.ts";
import { MemoryShardDisk, MemoryShardStore } from "../../coordinator/store/memory_shard_store.ts";
import { runControlStoreSuite } from "./control_store_suite.ts";
import { runShardStoreSuite } from "./shard_store_suite.ts";

runShardStoreSuite("memory", async () => {
  const disk = new MemoryShardDisk();
  return {
    handle: () => new MemoryShardStore(disk),
    reader: () => memoryShardReader(disk),
    remove: async () => {},
  };
});

runControlStoreSuite("memory", async () => {
  const disk = new MemoryControlDisk();
  return { handle: () => new MemoryControlStore(disk), remove: async () => {} };
});
