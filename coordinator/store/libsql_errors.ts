/**
 * Turns what SQLite reports into one sentence for the person who runs the crawl.
 * Invariant: every sentence names what was attempted, the file, what was found, and what is wanted.
 */

import { type Database, SqlError } from "./libsql_client.ts";

/** Found and wanted, by SQLite's base code. */
const CAUSES: Readonly<Record<string, readonly [found: string, wanted: string]>> = {
  SQLITE_NOTADB: ["it is not an SQLite database", "move it away, or name another data folder"],
  SQLITE_CORRUPT: ["the database is damaged", "restore it from a copy, or name another data folder"],
  SQLITE_FULL: ["the disk is full", "free space there and run the same command again; nothing acknowledged is lost"],
  SQLITE_READONLY: ["the file or its folder can't be written to", "allow writing, or name another data folder"],
  SQLITE_CANTOPEN: ["it can't be opened", "check that the folder exists and may be written to"],
  SQLITE_BUSY: ["another process is writing to it", "stop that process, or name another data folder"],
  SQLITE_LOCKED: ["another process is writing to it", "stop that process, or name another data folder"],
  SQLITE_IOERR: ["the disk reported an error", "check the disk and run the same command again"],
  NETWORK: ["the server didn't answer", "check the address and that the server runs"],
  URL_INVALID: ["the address can't be read", "name a path, or a libsql:, https: or http: URL"],
  SERVER_ERROR: ["the server reported an error", "check the server and its token"],
};

/** The sentence for `error`, which `attempt` ("opening", "committing batch 12 to") on `database` met. */
export function storeError(attempt: string, database: Pick<Database, "place">, error: unknown): Error {
  if (!(error instanceof SqlError)) return error instanceof Error ? error : new Error(String(error));
  const [found, wanted] = CAUSES[error.code] ?? ["the statement failed", "report this with the message"];
  const detail = `${error.code}: ${error.message.replace(/\s+/g, " ").slice(0, 200)}`;
  return new Error(`${attempt} ${database.place} failed: ${found} (${detail}); ${wanted}.`, { cause: error });
}

/** Runs `work`; what it rejects with becomes a sentence. */
export async function explained<T>(attempt: string, database: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(attempt, database, error);
  }
}
