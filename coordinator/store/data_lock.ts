/**
 * One process at a time in a data folder.
 * Invariant: the lock is the operating system's own lock on a file (held by an open SQLite transaction), so it ends with
 * the process however that ends, kill -9 and power cut included; the file itself means nothing and may stay. Process
 * ids wouldn't do: they are given again after a restart, and two containers on one volume have the same.
 */

import { dirname } from "node:path";
import { type Database, SqlError } from "./libsql_client.ts";
import { storeError } from "./libsql_errors.ts";
import { connectChecked, plain } from "./libsql_open.ts";

export interface DataLock {
  /** Another process may have the folder from now on. */
  release(): Promise<void>;
}

const DAMAGED = new Set(["SQLITE_NOTADB", "SQLITE_CORRUPT"]);

/** Who was the last to take the lock; readable while it is held. */
async function holderOf(database: Database): Promise<string> {
  const rows = await database.read("select name from holder").catch(() => []);
  return rows.length === 0 ? "another process" : String(rows[0]![0]);
}

/** Nothing is kept in the file: a damaged one may go, which is not what the sentence for a database says. */
function lockError(database: Database, error: unknown): Error {
  if (!(error instanceof SqlError) || !DAMAGED.has(error.code)) return storeError("Opening", database, error);
  return new Error(
    `Opening ${database.place} failed: the lock file is damaged (${error.code}); it holds nothing of the crawl, so ` +
      "remove it and run the same command again.",
    { cause: error },
  );
}

/**
 * Takes the lock file `path`, made with its folder where it isn't there; `holder` is what others are told ("process 12").
 * Rejects at once, with a sentence, when another process, or this one, holds it.
 */
export async function lockDataFolder(path: string, holder: string): Promise<DataLock> {
  const database = connectChecked({ location: path, busyMs: 0 });
  try {
    await database.write([
      plain("create table if not exists holder (id integer primary key check (id = 1), name text not null)"),
      plain("insert or replace into holder (id, name) values (1, ?)", [holder]),
    ]);
    return await database.hold();
  } catch (error) {
    const busy = error instanceof SqlError && error.code === "SQLITE_BUSY";
    const found = busy ? await holderOf(database) : "";
    database.close();
    if (!busy) throw lockError(database, error);
    throw new Error(
      `Opening the data folder ${dirname(path)} failed: it is in use by ${found}; wait for it, stop it, or name ` +
        "another data folder.",
      { cause: error },
    );
  }
}
