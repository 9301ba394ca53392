/**
 * Who owns a shard, and what to make of a commit that was refused.
 * Invariant: the owner term only grows; taking ownership is one statement, so two takers get different terms.
 */

import { OwnerLost } from "../owner_ports.ts";
import { type Database, SqlError } from "./libsql_client.ts";
import { writeAgain } from "./libsql_repeat.ts";
import { storeError } from "./libsql_errors.ts";
import { type Layout, plain } from "./libsql_open.ts";
import { SHARD_FORMAT, SHARD_TABLES, SHARD_VIEWS } from "./schema.ts";

export function shardLayout(keyVersion: number): Layout {
  const first = plain(
    `insert or ignore into shard (id, format, key_version, owner, owner_term, owner_wall_ms, batch_seq, batch_mark, next_url_seq, next_capture_seq, url_count)
     values (1, ?, ?, '', 0, 0, 0, '', 1, 1, 0)`,
    [BigInt(SHARD_FORMAT), BigInt(keyVersion)],
  );
  return {
    mark: "shard",
    what: "a shard's frontier",
    statements: [...[...SHARD_TABLES, ...SHARD_VIEWS].map((sql) => plain(sql)), first],
  };
}

/** Refuses another format or keyVersion; changes nothing. */
export async function checkVersions(database: Database, keyVersion: number): Promise<void> {
  const [row] = await database.read("select format, key_version from shard");
  if (!row) {
    throw new Error(
      `Opening ${database.place} failed: the row that describes the shard is missing, so the database is damaged; ` +
        "restore it from a copy, or name another data folder.",
    );
  }
  if (Number(row[0]) !== SHARD_FORMAT) {
    throw new Error(
      `Opening ${database.place} failed: it has format ${row[0]}, and this version reads format ${SHARD_FORMAT}; ` +
        "use the version that wrote it, or name another data folder.",
    );
  }
  if (Number(row[1]) !== keyVersion) {
    throw new Error(
      `Opening ${database.place} failed: its keys were made with keyVersion ${row[1]}, and this version makes ` +
        `keyVersion ${keyVersion}; use the version that wrote it, or name another data folder.`,
    );
  }
}

/** The new owner term. An answer that gets lost costs a term, nothing else. */
export async function takeOwnership(database: Database, owner: string): Promise<number> {
  const answers = await writeAgain(database, [
    plain("update shard set owner = ?, owner_term = owner_term + 1 returning owner_term", [owner]),
  ]);
  return Number(answers[0]![0]![0]);
}

/** Takes the shard over `term`, which was seen there; OwnerLost when another took it first. May be repeated. */
export async function takeOver(database: Database, owner: string, term: number): Promise<number> {
  await writeAgain(database, [
    plain("update shard set owner = ?, owner_term = owner_term + 1 where owner_term = ?", [owner, BigInt(term)]),
  ]);
  const [row] = await database.read("select owner, owner_term from shard");
  if (row?.[0] === owner && Number(row[1]) === term + 1) return term + 1;
  throw new OwnerLost(
    `Taking the shard in ${database.place} over from owner term ${term}: ${row?.[0] || "nobody"} has it with term ` +
      `${row?.[1]}; it was taken or given back meanwhile.`,
  );
}

/** Leaves the owner's clock; OwnerLost when it owns the shard no more. */
export async function beat(database: Database, term: number, wallMs: number): Promise<void> {
  const [rows] = await writeAgain(database, [
    plain("update shard set owner_wall_ms = ? where owner_term = ? returning 1", [
      BigInt(Math.floor(wallMs)),
      BigInt(term),
    ]),
  ]);
  if (rows!.length > 0) return;
  throw new OwnerLost(`Beating in ${database.place}: another process took the shard over from owner term ${term}.`);
}

/** A term that nobody has: commits of the one before are refused from now on. May be repeated. */
export async function giveBack(database: Database, term: number): Promise<void> {
  await writeAgain(database, [
    plain("update shard set owner = '', owner_term = owner_term + 1 where owner_term = ?", [BigInt(term)]),
  ]);
}

/** A NULL met `not null` in the shard's row: one of a commit's two guards spoke. Servers tell no extended code. */
const GUARD = "NOT NULL constraint failed: shard.";

/** Why batch `batchSeq` of the owner with `ownerTerm` was refused with `error`. */
export async function refusal(database: Database, ownerTerm: number, batchSeq: number, error: unknown): Promise<Error> {
  const attempt = `Committing batch ${batchSeq} to`;
  if (!(error instanceof SqlError) || !error.message.includes(GUARD)) return storeError(attempt, database, error);
  if (error.message.includes(`${GUARD}url_count`)) {
    return new Error(
      `${attempt} ${database.place} was refused: it changes a URL that isn't in the store, and only known URLs change.`,
      { cause: error },
    );
  }
  const [row] = await database.read("select owner_term, owner, batch_seq from shard");
  if (Number(row?.[0]) !== ownerTerm) {
    return new OwnerLost(
      `${attempt} ${database.place} was refused: ${row?.[1]} took the shard over with owner term ${row?.[0]}, and ` +
        `this process holds term ${ownerTerm}; it must stop.`,
    );
  }
  return new Error(
    `${attempt} ${database.place} was refused: the store is at batch ${row?.[2]}, and batch ${batchSeq - 1} is ` +
      "wanted there; load the shard again.",
    { cause: error },
  );
}
