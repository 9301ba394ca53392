/**
 * What runs inside a thread of databases; see database_threads.ts.
 * Invariant: a connection is set up before its first statement, whoever made it.
 */

import { connect, type Database, type SqlRow } from "../coordinator/store/libsql_client.ts";
import { type Channel, type Offer, openCalls } from "../runtime/calls.ts";
import type { DatabaseCall, DatabaseVerb } from "./database_threads.ts";

const open = new Map<number, Promise<Database>>();

function databaseOf({ id, options, pragmas }: DatabaseCall): Promise<Database> {
  let database = open.get(id);
  if (database === undefined) {
    database = made(options, pragmas);
    open.set(id, database);
    // The next call tries again.
    database.catch(() => open.delete(id));
  }
  return database;
}

async function made(options: DatabaseCall["options"], pragmas: readonly string[]): Promise<Database> {
  const database = connect(options);
  try {
    if (pragmas.length > 0) await database.tune(pragmas);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Rows as they cross: the client's are objects with a property for each column too. */
const plain = (rows: readonly SqlRow[]): SqlRow[] => rows.map((row) => Array.from(row));

type Given<Verb extends "read" | "write" | "tune"> = Parameters<Database[Verb]>;

const VERBS: Readonly<Record<DatabaseVerb, (call: DatabaseCall) => Promise<unknown>>> = {
  read: async (call) => plain(await (await databaseOf(call)).read(...call.args as Given<"read">)),
  write: async (call) => (await (await databaseOf(call)).write(...call.args as Given<"write">)).map(plain),
  tune: async (call) => await (await databaseOf(call)).tune(...call.args as Given<"tune">),
  async close({ id }) {
    const closing = open.get(id);
    open.delete(id);
    (await closing?.catch(() => undefined))?.close();
  },
};

openCalls(globalThis as unknown as Channel, VERBS as Readonly<Record<string, Offer>>);
