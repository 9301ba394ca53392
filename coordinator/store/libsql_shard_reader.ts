/**
 * ShardReader on libSQL: a connection of its own on a shard's database that another process may own.
 * Invariant: it writes nothing; a file that isn't there isn't made. Every answer is of one statement, so of one moment.
 */

import { statSync } from "node:fs";
import type { CrawlCounters } from "../ports.ts";
import type { CrawlLook, ShardLook, ShardReader } from "../reader_ports.ts";
import { connect, type Database, isUrl } from "./libsql_client.ts";
import { explained } from "./libsql_errors.ts";
import { readSlotMarks, readSlotPage } from "./libsql_slots.ts";
import { EMPTY_PAGE, type SlotMark, type SlotPage } from "../slot_ports.ts";
import { listingsOf } from "./libsql_listings.ts";
import type { OpenOptions } from "./libsql_open.ts";
import { readBody } from "./libsql_reads.ts";

const SQL = {
  isLaidOut: "select 1 from sqlite_master where type = 'table' and name = 'shard'",
  look: `select owner, owner_term, batch_seq, owner_wall_ms,
    (select json_group_array(json(counters)) from crawl where counters is not null),
    (select json_group_array(json_array(c, n, p)) from (select facts->>'crawlId' as c, count(*) as n,
      sum(json_array_length(facts, '$.fingerprints')) as p from lease group by c)),
    (select json_group_array(json_array(c, n)) from (select crawl_id as c, count(*) as n from outbox group by c))
    from shard`,
} as const;

const NO_ROWS: SlotPage = { ...EMPTY_PAGE, next: { table: "end", after: [] } };

export function openLibsqlShardReader(options: OpenOptions): ShardReader {
  const { location } = options;
  let opened: Database | undefined;
  let opening: Promise<Database | undefined> | undefined;
  const connectOnce = async (): Promise<Database | undefined> => {
    if (!isUrl(location) && (statSync(location, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined;
    const database = connect(options);
    try {
      if (!isUrl(location)) await database.tune(["query_only = 1", "cache_size = -4096"]);
      if ((await explained("Reading", database, () => database.read(SQL.isLaidOut))).length > 0) {
        return opened = database;
      }
    } catch (error) {
      database.close();
      throw error;
    }
    database.close();
    return undefined;
  };
  /** Undefined while there is no shard. */
  const open = async () => opened ?? await (opening ??= connectOnce().finally(() => opening = undefined));
  const reading = async <T>(none: T, work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await open();
    return database === undefined ? none : await explained("Reading", database, () => work(database));
  };
  return {
    look: () => reading<ShardLook | undefined>(undefined, look),
    slotMarks: () => reading<SlotMark[]>([], readSlotMarks),
    slotPage: (slot, cursor, limit) =>
      reading<SlotPage>(NO_ROWS, (database) => readSlotPage(database, slot, cursor, limit)),
    lookUp: (keys) => reading(new Array(keys.length).fill(undefined), (database) => listingsOf(database).lookUp(keys)),
    robotsBody: (digest) => reading<string | undefined>(undefined, (database) => readBody(database, digest)),
    captures: (...asked) => reading([], (database) => listingsOf(database).captures(...asked)),
    capturesOfContent: (...asked) => reading([], (database) => listingsOf(database).capturesOfContent(...asked)),
    close() {
      opened?.close();
      opened = undefined;
      return Promise.resolve();
    },
  };
}

async function look(database: Database): Promise<ShardLook | undefined> {
  const [row] = await database.read(SQL.look);
  if (row === undefined) return undefined;
  const list = <T>(column: number) => JSON.parse(String(row[column])) as T[];
  const crawls = new Map<string, CrawlLook>();
  const add = (crawlId: string, part: Partial<CrawlLook>) => {
    const known = crawls.get(crawlId) ?? { crawlId, leases: 0, leasedPages: 0, outboxRows: 0 };
    crawls.set(crawlId, { ...known, ...part });
  };
  for (const counters of list<CrawlCounters>(4)) add(counters.crawlId, { counters });
  for (const [id, leases, leasedPages] of list<[string, number, number]>(5)) add(id, { leases, leasedPages });
  for (const [id, outboxRows] of list<[string, number]>(6)) add(id, { outboxRows });
  return {
    owner: String(row[0]),
    ownerTerm: Number(row[1]),
    batchSeq: Number(row[2]),
    ownerWallMs: Number(row[3]),
    crawls: [...crawls.values()],
  };
}
