/** The contract suites on libSQL files. */

import { openLibsqlControlStore } from "../../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardReader } from "../../coordinator/store/libsql_shard_reader.ts";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { runControlStoreSuite } from "./control_store_suite.ts";
import { runShardStoreSuite } from "./shard_store_suite.ts";

// The name holds what a URL would take apart.
runShardStoreSuite("libSQL file", async () => {
  const folder = temporaryFolder();
  const location = folder.file("frontier 0 100% é#?.db");
  return {
    handle: () => openLibsqlShardStore({ location, clock: systemClock }),
    reader: () => openLibsqlShardReader({ location }),
    remove: folder.remove,
  };
});

runControlStoreSuite("libSQL file", async () => {
  const folder = temporaryFolder();
  return { handle: () => openLibsqlControlStore({ location: folder.file("control.db") }), remove: folder.remove };
});
