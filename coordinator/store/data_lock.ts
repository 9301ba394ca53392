/**
 * One process at a time in a data folder.
 * Invariant: the lock is the operating system's own lock on a file (held by an open SQLite transaction), so it ends with
 * the process however that ends, kill -9 and power cut included; the file itself means nothing and may stay.
 */

import { connectChecked } from "./libsql_open.ts";
import { SqlError } from "./libsql_client.ts";
import { storeError } from "./libsql_errors.ts";

export interface DataLock {
  /** Another process may have the folder from now on. */
  release(): Promise<void>;
}

/** Takes `<folder>/lock.db`; rejects with a sentence at once when another process, or this one, holds it. */
export async function lockDataFolder(folder: string): Promise<DataLock> {
  const database = connectChecked({ location: `${folder}/lock.db`, busyMs: 0 });
  try {
    return await database.hold();
  } catch (error) {
    database.close();
    if (error instanceof SqlError && error.code === "SQLITE_BUSY") {
      throw new Error(
        `Opening the data folder ${folder} failed: another process is using it; stop that process, or name another ` +
          "data folder.",
        { cause: error },
      );
    }
    throw storeError("Opening", database, error);
  }
}
