/**
 * The seen-set's log, blocks, runs and parts in a shard's database.
 * Invariant: a block with its row fills one leaf page, so reading one touches one page; every statement may be repeated.
 */

import {
  SEEN_BLOCK_BYTES,
  type SeenPartName,
  type SeenRunRow,
  type SeenState,
  type SeenWrites,
} from "../seen_ports.ts";
import type { Database, Statement } from "./libsql_client.ts";
import { jsonArray } from "./libsql_rows.ts";

const SQL = {
  log: "insert or replace into seen_log (batch_seq, keys) values (?, ?)",
  logCovered: "delete from seen_log where batch_seq <= ?",
  // One statement for all blocks of a piece, cut out of one blob: a statement for each costs more than its page.
  blocks: `with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ?3)
    insert or replace into seen_block (id, keys) select ?1 + i, substr(?2, 1 + i * ${SEEN_BLOCK_BYTES}, ${SEEN_BLOCK_BYTES}) from n`,
  freedBlocks: "delete from seen_block where id >= ? and id < ?",
  part: "insert or replace into seen_part (run, kind, part, bytes) values (?, ?, ?, ?)",
  freedPart: "delete from seen_part where run = ? and kind = ? and part = ?",
  newRun: "insert or replace into seen_run (id, facts) values (?, ?)",
  endedRun: "delete from seen_run where id = ?",
} as const;

/** The statements for what a commit changes of the seen-set. */
export function seenStatements(batchSeq: number, log: Uint8Array | undefined, writes?: SeenWrites): Statement[] {
  const out: Statement[] = [];
  if (log !== undefined) out.push({ sql: SQL.log, args: [BigInt(batchSeq), log] });
  if (writes === undefined) return out;
  for (const { firstBlock, bytes } of writes.blocks) {
    out.push({ sql: SQL.blocks, args: [BigInt(firstBlock), bytes, BigInt(bytes.length / SEEN_BLOCK_BYTES)] });
  }
  for (const { runId, kind, part, bytes } of writes.parts) {
    out.push({ sql: SQL.part, args: [BigInt(runId), kind, BigInt(part), bytes] });
  }
  for (const run of writes.newRuns) out.push({ sql: SQL.newRun, args: [BigInt(run.runId), JSON.stringify(run)] });
  for (const runId of writes.endedRuns) out.push({ sql: SQL.endedRun, args: [BigInt(runId)] });
  for (const { first, end } of writes.freedBlocks ?? []) {
    out.push({ sql: SQL.freedBlocks, args: [BigInt(first), BigInt(end)] });
  }
  for (const { runId, kind, part } of writes.freedParts ?? []) {
    out.push({ sql: SQL.freedPart, args: [BigInt(runId), kind, BigInt(part)] });
  }
  if (writes.logCovered !== undefined) out.push({ sql: SQL.logCovered, args: [BigInt(writes.logCovered)] });
  return out;
}

export async function readSeenState(database: Database): Promise<SeenState> {
  const runs = await database.read("select facts from seen_run order by id");
  const parts = await database.read("select run, kind, part from seen_part order by run, kind, part");
  const [span] = await database.read("select coalesce(min(id), 0), coalesce(max(id), -1) + 1 from seen_block");
  return {
    runs: runs.map((row) => JSON.parse(String(row[0])) as SeenRunRow),
    parts: parts.map((row) => ({
      runId: Number(row[0]),
      kind: String(row[1]) as SeenPartName["kind"],
      part: Number(row[2]),
    })),
    firstBlock: Number(span![0]),
    endBlock: Number(span![1]),
  };
}

export async function readSeenLog(
  database: Database,
  batchSeq: number,
  limit: number,
): Promise<{ batchSeq: number; keys: Uint8Array }[]> {
  const sql = "select batch_seq, keys from seen_log where batch_seq > ? order by batch_seq limit ?";
  const rows = await database.read(sql, [BigInt(batchSeq), BigInt(limit)]);
  return rows.map((row) => ({ batchSeq: Number(row[0]), keys: new Uint8Array(row[1] as ArrayBuffer) }));
}

/** In the order asked for; throws a sentence when one isn't there. */
export async function readSeenBlocks(database: Database, ids: readonly number[]): Promise<Uint8Array[]> {
  if (ids.length === 0) return [];
  const sql = "select b.keys from json_each(?) j cross join seen_block b on b.id = j.value order by j.key";
  const rows = await database.read(sql, [jsonArray(ids, String)]);
  if (rows.length === ids.length) return rows.map((row) => new Uint8Array(row[0] as ArrayBuffer));
  throw new Error(
    `Reading ${ids.length} blocks of the seen-set from ${database.place} found ${rows.length}; ` +
      "the database is damaged: restore it from a copy.",
  );
}

export async function readSeenPart(
  database: Database,
  { runId, kind, part }: SeenPartName,
): Promise<Uint8Array | undefined> {
  const sql = "select bytes from seen_part where run = ? and kind = ? and part = ?";
  const [row] = await database.read(sql, [BigInt(runId), kind, BigInt(part)]);
  return row === undefined ? undefined : new Uint8Array(row[0] as ArrayBuffer);
}
