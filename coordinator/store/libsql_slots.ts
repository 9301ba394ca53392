/**
 * One slot of a shard's database, read page by page along the keys, all of which begin with the slot; and what commits
 * change of slots as a whole.
 * Invariant: reads only, so that a shard may be read by who doesn't own it; a page goes on exactly where the one before
 * ended as long as the rows stand still.
 */

import type { BackQueueSummary, HostRow, OriginRow, TallyRow } from "../ports.ts";
import type { AddressRow, DomainRow } from "../group_ports.ts";
import {
  EMPTY_PAGE,
  SLOT_TABLES,
  type SlotCursor,
  type SlotMark,
  type SlotPage,
  type SlotWrites,
} from "../slot_ports.ts";
import type { Database, SqlRow, Statement } from "./libsql_client.ts";
import { decodeUrl, jsonArray, URL_COLUMNS, type UrlColumns } from "./libsql_rows.ts";

const SQL = {
  marks: "select facts from slot_mark order by slot",
  putMarks: `with r (v) as materialized (select value from json_each(?))
    insert or replace into slot_mark (slot, facts) select v->>0, v->1 from r`,
  endMarks: "delete from slot_mark where slot in (select value from json_each(?))",
  url: `select u.crawl, cast(u.fingerprint as text), json_array(${URL_COLUMNS}) from url u indexed by url_key
    cross join back_queue q on q.id = u.queue cross join crawl c on c.id = u.crawl
    where u.slot = ? and (u.crawl, u.fingerprint) > (?, ?) order by u.crawl, u.fingerprint limit ?`,
  host: "select host, facts from host where slot = ? and host > ? order by host limit ?",
  origin: "select origin, facts from origin where slot = ? and origin > ? order by origin limit ?",
  domain: "select domain, facts from domain where slot = ? and domain > ? order by domain limit ?",
  address: "select address, facts from address where slot = ? and address > ? order by address limit ?",
  tally: `select crawl_id, host, facts from tally where slot = ? and (crawl_id, host) > (?, ?) and host <> ''
    order by crawl_id, host limit ?`,
  received: `select lease_id, cast(seq as text) from received where slot = ? and (lease_id, seq) > (?, ?)
    order by lease_id, seq limit ?`,
  bodies: "select digest, body from robots_body where digest in (select value from json_each(?))",
  queues: `select c.crawl_id, q.host, q.accepted,
    (select count(*) from url u indexed by url_ready where u.state = 0 and u.queue = q.id),
    (select min(u.band) from url u indexed by url_ready where u.state = 0 and u.queue = q.id),
    (select count(*) from url u indexed by url_waiting where u.state = 1 and u.queue = q.id),
    (select min(u.available_at) from url u indexed by url_waiting where u.state = 1 and u.queue = q.id)
    from back_queue q cross join crawl c on c.id = q.crawl where q.slot = ? order by q.crawl, q.host`,
  deleteUrls: `delete from url where id in
    (select id from url indexed by url_key where slot = ? limit ?)`,
  uncount: "update shard set url_count = url_count - changes()",
} as const;

/** What is deleted once no URL of the slot is left, by its key. */
const KEYED = [
  ["back_queue", "id", ""],
  ["host", "host", ""],
  ["origin", "origin", ""],
  ["domain", "domain", ""],
  ["address", "address", ""],
  ["tally", "crawl_id, host", " and host <> ''"],
  ["received", "lease_id, seq", ""],
] as const;

type Table = Exclude<SlotCursor["table"], "end">;

/** Keys before all others: text, or integers where the table has them. */
const BEFORE_ALL: Readonly<Record<Table, readonly string[]>> = {
  url: ["0", (-(2n ** 63n)).toString()],
  host: [""],
  origin: [""],
  domain: [""],
  address: [""],
  tally: ["", ""],
  received: ["", (-(2n ** 63n)).toString()],
};

export async function readSlotMarks(database: Database): Promise<SlotMark[]> {
  return (await database.read(SQL.marks)).map((row) => JSON.parse(String(row[0])) as SlotMark);
}

export async function readSlotPage(
  database: Database,
  slot: number,
  cursor: SlotCursor | undefined,
  limit: number,
): Promise<SlotPage> {
  let at: SlotCursor = cursor ?? { table: SLOT_TABLES[0], after: [] };
  while (at.table !== "end") {
    const { table } = at;
    const after = at.after.length > 0 ? at.after : BEFORE_ALL[table];
    const isNumber = (index: number) => table === "url" || (table === "received" && index === 1);
    const key = after.map((value, index) => isNumber(index) ? BigInt(value) : value);
    const rows = await database.read(SQL[table], [BigInt(slot), ...key, BigInt(limit)]);
    const following: SlotCursor = { table: SLOT_TABLES[SLOT_TABLES.indexOf(table) + 1]!, after: [] };
    if (rows.length > 0) {
      const last = after.map((_, index) => String(rows.at(-1)![index]));
      const next = rows.length < limit ? following : { table, after: last };
      return { ...EMPTY_PAGE, ...await decoded(database, { slot, table }, rows), next };
    }
    at = following;
  }
  return { ...EMPTY_PAGE, next: at };
}

/** The rows of a page; the facts are their last column. */
async function decoded(
  database: Database,
  { slot, table }: { readonly slot: number; readonly table: Table },
  rows: readonly SqlRow[],
): Promise<Partial<SlotPage>> {
  const facts = <T>() => rows.map((row) => JSON.parse(String(row[row.length - 1])) as T);
  switch (table) {
    case "url":
      return { urls: facts<UrlColumns>().map(decodeUrl) };
    case "host":
      return { hosts: facts<HostRow>() };
    case "origin": {
      const origins = facts<OriginRow>();
      return { origins, robotsBodies: await bodiesOf(database, origins) };
    }
    case "domain":
      return { domains: facts<DomainRow>() };
    case "address":
      return { addresses: facts<AddressRow>() };
    case "tally":
      return { tallies: facts<TallyRow>() };
    case "received":
      return { received: rows.map((row) => ({ slot, leaseId: String(row[0]), seq: Number(row[1]) })) };
  }
}

async function bodiesOf(database: Database, origins: readonly OriginRow[]): Promise<SlotPage["robotsBodies"]> {
  const digests = new Set(origins.flatMap(({ digest, lastGoodDigest }) => [digest, lastGoodDigest]));
  digests.delete("");
  if (digests.size === 0) return [];
  const rows = await database.read(SQL.bodies, [JSON.stringify([...digests])]);
  return rows.map((row) => ({ digest: String(row[0]), body: JSON.parse(String(row[1])) as string }));
}

export async function readSlotQueues(database: Database, slot: number): Promise<BackQueueSummary[]> {
  return (await database.read(SQL.queues, [BigInt(slot)])).map((row) => ({
    slot,
    crawlId: String(row[0]),
    host: String(row[1]),
    accepted: Number(row[2]),
    ready: Number(row[3]),
    band: Number(row[4] ?? 0),
    waiting: Number(row[5]),
    nextAvailableAt: Number(row[6] ?? 0),
  }));
}

/** Part of a commit. */
export function slotStatements({ marks = [], endedMarks = [], deletion }: SlotWrites): Statement[] {
  const statements: Statement[] = [];
  if (endedMarks.length > 0) statements.push({ sql: SQL.endMarks, args: [JSON.stringify(endedMarks)] });
  if (marks.length > 0) {
    statements.push({ sql: SQL.putMarks, args: [jsonArray(marks, (mark) => JSON.stringify([mark.slot, mark]))] });
  }
  if (deletion === undefined) return statements;
  const args = [deletion.slot, deletion.rows].map(BigInt);
  statements.push({ sql: SQL.deleteUrls, args }, { sql: SQL.uncount, args: [] });
  for (const [table, key, but] of KEYED) {
    statements.push({
      sql: `delete from ${table} where slot = ?1 and (${key}) in
        (select ${key} from ${table} where slot = ?1${but} limit ?2)
        and not exists (select 1 from url where slot = ?1)`,
      args,
    });
  }
  return statements;
}
