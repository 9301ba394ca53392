/**
 * What is asked of a server again when no answer came, or one that tells nothing.
 * Invariant: only what may be done twice is repeated: reads, and writes that say so; a commit looks first whether it was
 * done (libsql_shard_store.ts).
 */

import type { Database, Statement } from "./libsql_client.ts";

/** Nobody knows whether a statement that ended so was done. A file has no such end. */
const UNCERTAIN = new Set([
  "NETWORK",
  "SERVER_ERROR",
  "STREAM_EXPIRED",
  "HRANA_CLOSED_ERROR",
  "HRANA_WEBSOCKET_ERROR",
  "HRANA_PROTO_ERROR",
  "INTERNAL_ERROR",
  "UNKNOWN",
  "SQLITE_BUSY",
  "SQLITE_LOCKED",
]);

/** Tries in all, and the wait before the second; it doubles. Together well below an owner's time. */
export const TRIES = 5;
const WAIT_MS = 50;

export function isUncertain(error: unknown): boolean {
  return UNCERTAIN.has((error as { readonly code?: string }).code ?? "");
}

/** Before try `tries` + 1. */
export function pause(tries: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, WAIT_MS * 2 ** (tries - 1)));
}

/** Does `work`, which may be done twice, until it is known how it ended, `TRIES` times at most. */
export async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES || !isUncertain(error)) throw error;
      await pause(tries);
    }
  }
}

/** A write that may be done twice. A file is asked once: it says how the write ended. */
export function writeAgain(database: Database, statements: readonly Statement[]): ReturnType<Database["write"]> {
  const write = () => database.write(statements);
  return database.path === undefined ? repeated(write) : write();
}
