/** The contract suites on libSQL files. */

import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { runShardStoreSuite } from "./shard_store_suite.ts";

runShardStoreSuite("libSQL file", async () => {
  const folder = temporaryFolder();
  const location = folder.file("frontier 0 100% é#?.db");
  return {
    handle: () => openLibsqlShardStore({ location, clock: systemClock, seenCacheEntries: 16 }),
    remove: folder.remove,
  };
});
