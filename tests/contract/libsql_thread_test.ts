/** The contract suites on libSQL files in threads, and what is the threads' own. */

import assert from "node:assert/strict";
import { databaseThreads } from "../../cli/database_threads.ts";
import { SqlError } from "../../coordinator/store/libsql_client.ts";
import { openLibsqlControlStore } from "../../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardReader } from "../../coordinator/store/libsql_shard_reader.ts";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { runControlStoreSuite } from "./control_store_suite.ts";
import { runShardStoreSuite } from "./shard_store_suite.ts";

const threads = databaseThreads(2);

runShardStoreSuite("libSQL file in a thread", async () => {
  const folder = temporaryFolder();
  const location = folder.file("frontier 0 100% é#?.db");
  return {
    handle: () => openLibsqlShardStore({ location, clock: systemClock, thread: threads.connect }),
    reader: () => openLibsqlShardReader({ location }),
    remove: folder.remove,
  };
});

runControlStoreSuite("libSQL file in a thread", async () => {
  const folder = temporaryFolder();
  return {
    handle: () => openLibsqlControlStore({ location: folder.file("control.db"), thread: threads.connect }),
    remove: folder.remove,
  };
});

test("databases in threads: what can't be opened is told in a sentence, and may be opened when it can", async () => {
  const folder = temporaryFolder();
  try {
    const { writeFile, rm } = await import("node:fs/promises");
    const location = folder.file("frontier-0.db");
    await writeFile(location, "no database ".repeat(100));
    const store = openLibsqlShardStore({ location, clock: systemClock, thread: threads.connect });
    await assert.rejects(
      store.open("first", 1),
      /^Error: Opening .*frontier-0\.db failed: it is not an SQLite database/,
    );
    await rm(location);
    await store.open("first", 1);
    await store.close();
  } finally {
    await folder.remove();
  }
});

test("databases in threads: a thread that is lost fails what was asked; the next call begins another", async () => {
  const folder = temporaryFolder();
  const own = databaseThreads(1);
  const database = own.connect({ location: folder.file("a.db") });
  const insert = { sql: "insert into t (v) values (?)", args: [] };
  try {
    await database.tune(["journal_mode = wal", "synchronous = full", "max_page_count = 4321"]);
    await database.write([{ sql: "create table t (v text not null)", args: [] }, { ...insert, args: ["a"] }]);
    const under = database.write([{ ...insert, args: ["b"] }]);
    const refused = assert.rejects(under, /thread was closed/);
    await own.close();
    await refused;
    const kept = (await database.read("select v from t order by v")).map((row) => row[0]);
    assert.ok(["a", "a,b"].includes(kept.join()), `found ${kept}`);
    assert.equal((await database.read("pragma max_page_count"))[0]![0], 4321n, "the pragmas hold again");
    await assert.rejects(database.write([{ ...insert, args: ["c"] }, { ...insert, args: [null] }]), (error) => {
      return error instanceof SqlError && error.code === "SQLITE_CONSTRAINT";
    });
    assert.equal((await database.read("select count(*) from t"))[0]![0], BigInt(kept.length), "all or nothing");
    await assert.rejects(database.hold(), /locks are held outside/);
    database.close();
  } finally {
    await own.close();
    await folder.remove();
  }
});

test("databases in threads: those that were used end", () => threads.close());
