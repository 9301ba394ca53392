/**
 * The questions that a running frontier asks of its shard.
 * Invariant: each is one statement, whatever the number of keys; answers stand in the order of the keys.
 */

import type { CrawlId, HostKey, LeaseId, OutboxRow } from "../../protocol/mod.ts";
import type { UrlKey, UrlRow } from "../ports.ts";
import type { ReceivedRow } from "../slot_ports.ts";
import type { Database, SqlRow, SqlValue } from "./libsql_client.ts";
import type { Names } from "./libsql_names.ts";
import {
  decodeUrl,
  encodeKey,
  encodeLeaseSeq,
  encodeReceived,
  jsonArray,
  URL_COLUMNS,
  type UrlColumns,
} from "./libsql_rows.ts";

export interface QueueRef {
  readonly slot: number;
  readonly crawlId: CrawlId;
  readonly host: HostKey;
}

export const KEYS = "with r (k, v) as materialized (select key, value from json_each(?))";
export const NAMED = "cross join back_queue q on q.id = u.queue cross join crawl c on c.id = u.crawl";
export const QUEUE = `(select q.id from back_queue q
  where q.slot = ? and q.crawl = (select id from crawl where crawl_id = ?) and q.host = ?)`;

/** Rows of JSON text as one: a client makes an object of each row and of each of its columns. */
function listed(column: string, rows: string): string {
  return `select '[' || coalesce(group_concat(v, ','), '') || ']' from (select ${column} as v ${rows})`;
}

/** What `listed` lists. */
async function readList<T>(database: Database, sql: string, args: readonly SqlValue[]): Promise<T[]> {
  const [row] = await database.read(sql, args);
  return JSON.parse(String(row![0])) as T[];
}

const SQL = {
  ready: listed(
    `json_array(${URL_COLUMNS})`,
    `from url u indexed by url_ready ${NAMED}
    where u.state = 0 and u.queue = ${QUEUE} and (u.band, u.seq) > (?, ?) order by u.band, u.seq limit ?`,
  ),
  waiting: listed(
    `json_array(${URL_COLUMNS})`,
    `from url u indexed by url_waiting ${NAMED}
    where u.state = 1 and u.queue = ${QUEUE} and u.available_at <= ? order by u.available_at, u.seq limit ?`,
  ),
  urls: `${KEYS} select k, json_array(${URL_COLUMNS}) from r cross join url u indexed by url_key
    on u.slot = v->>0 and u.crawl = v->>1 and u.fingerprint = v->>2 ${NAMED}`,
  received: `${KEYS} select json_group_array(k) from r where exists
    (select 1 from received where slot = v->>0 and lease_id = v->>1 and seq = v->>2)`,
  outbox: "select json_array(slot, crawl_id, lease_id, seq, json(links)) from outbox order by id limit ?",
  outboxRows: `${KEYS} select json_array(slot, crawl_id, lease_id, seq, json(links)) from r cross join outbox
    on lease_id = v->>0 and seq = v->>1`,
  body: "select body from robots_body where digest = ?",
} as const;

function queueArgs({ slot, crawlId, host }: QueueRef): (bigint | string)[] {
  return [BigInt(slot), crawlId, host];
}

export async function readReady(
  database: Database,
  queue: QueueRef,
  after: { readonly band: number; readonly seq: number },
  limit: number,
): Promise<UrlRow[]> {
  const args = [...queueArgs(queue), BigInt(after.band), BigInt(after.seq), BigInt(limit)];
  return (await readList<UrlColumns>(database, SQL.ready, args)).map(decodeUrl);
}

export async function readWaiting(
  database: Database,
  queue: QueueRef,
  until: number,
  limit: number,
): Promise<UrlRow[]> {
  const args = [...queueArgs(queue), BigInt(Math.floor(until)), BigInt(limit)];
  return (await readList<UrlColumns>(database, SQL.waiting, args)).map(decodeUrl);
}

/** `keys` as JSON; a crawl that the store doesn't know has no number, so its keys match nothing. */
function encodeKeys(keys: readonly UrlKey[], crawls: ReadonlyMap<CrawlId, number>): string {
  return jsonArray(keys, (key) => encodeKey(key, crawls.get(key.crawlId) ?? 0));
}

/** One byte per key: 1 at the positions that a statement returned as one JSON array. */
function marked(count: number, rows: readonly SqlRow[]): Uint8Array {
  const answer = new Uint8Array(count);
  for (const position of JSON.parse(String(rows[0]![0])) as number[]) answer[position] = 1;
  return answer;
}

export async function readUrls(
  database: Pick<Database, "read">,
  names: Pick<Names, "crawls">,
  keys: readonly UrlKey[],
): Promise<(UrlRow | undefined)[]> {
  const answer: (UrlRow | undefined)[] = new Array(keys.length).fill(undefined);
  if (keys.length === 0) return answer;
  for (const row of await database.read(SQL.urls, [encodeKeys(keys, await names.crawls())])) {
    answer[Number(row[0])] = decodeUrl(JSON.parse(String(row[1])) as UrlColumns);
  }
  return answer;
}

export async function readReceived(
  database: Database,
  rows: readonly ReceivedRow[],
): Promise<Uint8Array> {
  if (rows.length === 0) return new Uint8Array();
  return marked(rows.length, await database.read(SQL.received, [jsonArray(rows, encodeReceived)]));
}

/** Oldest first. */
export async function readOutbox(database: Database, limit: number): Promise<OutboxRow[]> {
  return (await database.read(SQL.outbox, [BigInt(limit)])).map(outboxRow);
}

export async function readOutboxRows(
  database: Database,
  names: readonly { readonly leaseId: LeaseId; readonly seq: number }[],
): Promise<OutboxRow[]> {
  if (names.length === 0) return [];
  return (await database.read(SQL.outboxRows, [jsonArray(names, encodeLeaseSeq)])).map(outboxRow);
}

function outboxRow(row: SqlRow): OutboxRow {
  const [slot, crawl_id, lease_id, seq, links] = JSON.parse(String(row[0])) as [
    number,
    string,
    string,
    number,
    OutboxRow["links"],
  ];
  return { slot, crawl_id, lease_id, seq, links };
}

export async function readBody(database: Database, digest: string): Promise<string | undefined> {
  const [row] = await database.read(SQL.body, [digest]);
  return row ? JSON.parse(String(row[0])) as string : undefined;
}
