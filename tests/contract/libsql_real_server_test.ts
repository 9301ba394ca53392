/**
 * The contract suites on a libSQL server of somebody's own (sqld, Turso): LIBSQL_TEST_URL, and LIBSQL_TEST_TOKEN where it
 * wants one. Its database is emptied before each test; one that holds tables of another program is left alone.
 */

import process from "node:process";
import { openLibsqlControlStore } from "../../coordinator/store/libsql_control_store.ts";
import { connect } from "../../coordinator/store/libsql_client.ts";
import { openLibsqlShardReader } from "../../coordinator/store/libsql_shard_reader.ts";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { test } from "../support/test.ts";
import { runControlStoreSuite } from "./control_store_suite.ts";
import { runShardStoreSuite } from "./shard_store_suite.ts";

const location = process.env.LIBSQL_TEST_URL ?? "";
const token = process.env.LIBSQL_TEST_TOKEN ?? "";
const options = { location, ...(token === "" ? {} : { authToken: token }) };

async function emptied() {
  const database = connect(options);
  try {
    const made = await database.read(
      "select type, name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' and name not like 'libsql_%'",
    );
    const tables = made.filter((row) => row[0] === "table").map((row) => String(row[1]));
    if (tables.length > 0 && !tables.includes("shard") && !tables.includes("control")) {
      throw new Error(
        `Testing on ${database.place}: it holds the tables ${tables.join(", ")}; wanted an empty database.`,
      );
    }
    const views = made.filter((row) => row[0] === "view").map((row) => String(row[1]));
    const drops = [...views.map((name) => `drop view "${name}"`), ...tables.map((name) => `drop table "${name}"`)];
    if (drops.length > 0) {
      await database.write(["pragma defer_foreign_keys = on", ...drops].map((sql) => ({ sql, args: [] })));
    }
  } finally {
    database.close();
  }
}

if (location === "") {
  test("libSQL server of somebody's own: the contract suites", () => {}, { skip: "LIBSQL_TEST_URL isn't set" });
} else {
  runShardStoreSuite("libSQL server of somebody's own", async () => {
    await emptied();
    return {
      handle: () => openLibsqlShardStore({ ...options, clock: systemClock }),
      reader: () => openLibsqlShardReader(options),
      remove: emptied,
    };
  });
  runControlStoreSuite("libSQL server of somebody's own", async () => {
    await emptied();
    return { handle: () => openLibsqlControlStore(options), remove: emptied };
  });
}
