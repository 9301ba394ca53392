/**
 * What a shard's RAM is made of at start, but for the seen-set (libsql_seen.ts).
 * Invariant: reads in pages, over indexes that hold all that is asked for; URL rows themselves are not touched.
 */

import type { Clock } from "../../runtime/ports.ts";
import type { AddressRow, DomainRow } from "../group_ports.ts";
import type { BackQueueSummary, CrawlCounters, HostRow, OriginRow, ShardSnapshot, TallyRow } from "../ports.ts";
import type { Database, SqlRow, SqlValue } from "./libsql_client.ts";
import { decodeLease, type LeaseFacts } from "./libsql_rows.ts";
import { readSlotMarks } from "./libsql_slots.ts";

const PAGE_ROWS = 5_000;

interface Paging {
  readonly database: Database;
  readonly clock: Clock;
}

/** Every row of `sql`, whose arguments are the key after which it goes on and the page size. */
async function* pages(
  { database, clock }: Paging,
  sql: string,
  first: readonly SqlValue[],
): AsyncGenerator<readonly SqlRow[]> {
  let after = first;
  for (;;) {
    const rows = await database.read(sql, [...after, BigInt(PAGE_ROWS)]);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_ROWS) return;
    const last = rows[rows.length - 1]!;
    after = first.map((_, i) => last[i] as SqlValue);
    await clock.sleep(0);
  }
}

/** The facts of a table that is keyed by slot and one name. */
async function facts<T>(
  paging: Paging,
  table: "host" | "origin" | "lease" | "domain" | "address",
  name: string,
): Promise<T[]> {
  const sql = `select slot, ${name}, facts from ${table} where (slot, ${name}) > (?, ?) order by slot, ${name} limit ?`;
  const out: T[] = [];
  for await (const rows of pages(paging, sql, [-1n, ""])) {
    for (const row of rows) out.push(JSON.parse(String(row[2])) as T);
  }
  return out;
}

async function tallies(paging: Paging): Promise<TallyRow[]> {
  const sql = `select slot, crawl_id, host, facts from tally where (slot, crawl_id, host) > (?, ?, ?)
    order by slot, crawl_id, host limit ?`;
  const out: TallyRow[] = [];
  for await (const rows of pages(paging, sql, [-1n, "", ""])) {
    for (const row of rows) out.push(JSON.parse(String(row[3])) as TallyRow);
  }
  return out;
}

interface Extent {
  readonly rows: number;
  /** Lowest band, or earliest time. */
  readonly first: number;
}

/** Rows and first value of each back queue that has any, grouped along the index. */
async function extents(paging: Paging, state: 0 | 1): Promise<Map<number, Extent>> {
  const [index, column] = state === 0 ? ["url_ready", "band"] : ["url_waiting", "available_at"];
  const sql = `select queue, count(*), min(${column}) from url indexed by ${index}
    where state = ${state} and queue > ? group by queue order by queue limit ?`;
  const out = new Map<number, Extent>();
  for await (const rows of pages(paging, sql, [-1n])) {
    for (const row of rows) out.set(Number(row[0]), { rows: Number(row[1]), first: Number(row[2]) });
  }
  return out;
}

async function backQueues(paging: Paging): Promise<BackQueueSummary[]> {
  const ready = await extents(paging, 0);
  const waiting = await extents(paging, 1);
  const out: BackQueueSummary[] = [];
  const sql = `select q.id, q.slot, c.crawl_id, q.host, q.accepted
    from back_queue q cross join crawl c on c.id = q.crawl where q.id > ? order by q.id limit ?`;
  for await (const rows of pages(paging, sql, [-1n])) {
    for (const row of rows) {
      const id = Number(row[0]);
      out.push({
        slot: Number(row[1]),
        crawlId: String(row[2]),
        host: String(row[3]),
        ready: ready.get(id)?.rows ?? 0,
        waiting: waiting.get(id)?.rows ?? 0,
        accepted: Number(row[4]),
        band: ready.get(id)?.first ?? 0,
        nextAvailableAt: waiting.get(id)?.first ?? 0,
      });
    }
  }
  return out;
}

export async function loadShard(paging: Paging): Promise<ShardSnapshot> {
  const { database } = paging;
  const [shard] = await database.read("select batch_seq, next_url_seq, next_capture_seq, url_count from shard");
  const [outbox] = await database.read("select count(*) from outbox");
  const counters = await database.read("select counters from crawl where counters is not null order by id");
  const leases = await facts<LeaseFacts>(paging, "lease", "host");
  return {
    batchSeq: Number(shard![0]),
    nextUrlSeq: Number(shard![1]),
    nextCaptureSeq: Number(shard![2]),
    urlCount: Number(shard![3]),
    outboxRows: Number(outbox![0]),
    counters: counters.map((row) => JSON.parse(String(row[0])) as CrawlCounters),
    hosts: await facts<HostRow>(paging, "host", "host"),
    origins: await facts<OriginRow>(paging, "origin", "origin"),
    leases: leases.map(decodeLease),
    domains: await facts<DomainRow>(paging, "domain", "domain"),
    addresses: await facts<AddressRow>(paging, "address", "address"),
    backQueues: await backQueues(paging),
    tallies: await tallies(paging),
    marks: await readSlotMarks(database),
  };
}
