/**
 * Opens a database of ours or refuses it, and takes ownership of a shard.
 * Invariant: everything is checked before anything is written, so a file that is refused is left as it was.
 */

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { connect, type ConnectOptions, type Database, isUrl, type SqlValue, type Statement } from "./libsql_client.ts";
import { explained, storeError } from "./libsql_errors.ts";
import { writeAgain } from "./libsql_repeat.ts";

/** Files up to this size are read through for damage at each start; beyond, damage shows when a page is read. */
const QUICK_CHECK_BYTES = 512 * 1024 * 1024;
/** A write-ahead log that grew beyond this is cut back when it has been copied. */
export const LOG_BYTES = 64 * 1024 * 1024;
const PAGE_BYTES = 4096;

export interface OpenOptions extends ConnectOptions {
  readonly cacheKib?: number | undefined;
  /** The database file never grows beyond this; absent = SQLite's own limit. */
  readonly maxFileBytes?: number | undefined;
}

/** What a database must hold to be ours. */
export interface Layout {
  /** The table whose presence says that the database is of this kind, e.g. "shard". */
  readonly mark: string;
  /** In words, for messages: "a shard's frontier". */
  readonly what: string;
  /** Its tables, its views and its first rows. */
  readonly statements: readonly Statement[];
}

function checkPath(path: string): void {
  let isFolder: boolean;
  try {
    mkdirSync(dirname(path), { recursive: true });
    isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (cause) {
    const found = (cause as Error).message;
    throw new Error(`Opening ${path} failed: its folder can't be made (${found}); name a data folder that can.`, {
      cause,
    });
  }
  if (isFolder) {
    throw new Error(`Opening ${path} failed: a folder is there, where a database file is wanted; remove or rename it.`);
  }
}

/** Connects; nothing is read or written yet, but a file that doesn't exist is made. */
export function connectChecked(options: OpenOptions): Database {
  if (!isUrl(options.location)) checkPath(options.location);
  try {
    return connect(options);
  } catch (error) {
    throw storeError("Opening", { place: options.location }, error);
  }
}

/** The engine's own aside: it makes some in a database that is empty otherwise. */
const TABLES =
  "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'libsql_%'";

async function checkWhole(database: Database): Promise<void> {
  const bytes = database.path === undefined ? 0 : statSync(database.path).size;
  if (bytes === 0 || bytes > QUICK_CHECK_BYTES) return;
  const [row] = await database.read("pragma quick_check(1)");
  const answer = String(row?.[0]);
  if (answer === "ok") return;
  throw new Error(
    `Opening ${database.place} failed: the database is damaged (${answer.replace(/\s+/g, " ").slice(0, 200)}); ` +
      "restore it from a copy, or name another data folder.",
  );
}

/** Per connection, and only after the file turned out to be ours: the first changes its header. */
async function tune(database: Database, options: OpenOptions): Promise<void> {
  if (database.path === undefined) return;
  await database.tune([
    "journal_mode = wal",
    "synchronous = full",
    `cache_size = -${options.cacheKib ?? 65_536}`,
    "wal_autocheckpoint = 4000",
    `journal_size_limit = ${LOG_BYTES}`,
    "temp_store = memory",
    `max_page_count = ${Math.floor((options.maxFileBytes ?? 2 ** 43) / PAGE_BYTES)}`,
  ]);
}

/** Checks the database, lays it out when it is empty, and sets the connection up. Closes nothing. */
export async function prepare(database: Database, layout: Layout, options: OpenOptions): Promise<void> {
  await explained("Opening", database, async () => {
    const tables = (await database.read(TABLES)).map((row) => row[0]);
    await checkWhole(database);
    if (tables.length > 0 && !tables.includes(layout.mark)) {
      throw new Error(
        `Opening ${database.place} failed: it holds other tables (${tables.slice(0, 3).join(", ")}), where ` +
          `${layout.what} or an empty database is wanted; name another data folder.`,
      );
    }
    await tune(database, options);
    if (tables.length === 0) await writeAgain(database, layout.statements);
  });
}

/** Closes; a file then holds everything by itself, so that a copy of it is whole. */
export async function closeCleanly(database: Database): Promise<void> {
  // Best effort: the log is replayed at the next start all the same.
  if (database.path !== undefined) await database.read("pragma wal_checkpoint(truncate)").catch(() => []);
  database.close();
}

/** One statement without arguments. */
export function plain(sql: string, args: readonly SqlValue[] = []): Statement {
  return { sql, args };
}
