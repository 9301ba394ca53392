/**
 * What is listed of a shard, on libSQL: over the connection that commits, or over a read-only one of its own.
 * Invariant: each statement looks at a bounded number of rows, whatever is asked, so none keeps a commit or a checkpoint
 * waiting for long; between two of them other work goes on.
 */

import { statSync } from "node:fs";
import type { Clock } from "../../runtime/ports.ts";
import type { CaptureRow } from "../../protocol/mod.ts";
import type { ListingReader, Listings } from "../page_ports.ts";
import type { UrlRow } from "../ports.ts";
import type { Database } from "./libsql_client.ts";
import { explained } from "./libsql_errors.ts";
import { connectChecked, LOG_BYTES, type OpenOptions } from "./libsql_open.ts";
import { KEYS, NAMED, QUEUE } from "./libsql_reads.ts";
import { contentKey, decodeUrl, folderOf, jsonArray, signed, URL_COLUMNS, type UrlColumns } from "./libsql_rows.ts";

/** Rows that one statement looks at: the first one as many as are wanted, then more while few of them fit. */
const MOST_LOOKED_AT = 4096;
const READER_CACHE_KIB = 16_384;
/** While the write-ahead log is too long a listing waits for a checkpoint, so long at most for each statement. */
const LOG_WAIT_MS = 1000;
const LOG_LOOK_MS = 20;

/** [facts of those that fit], the last seq that was looked at, how many were. */
const FITTING =
  "select '[' || coalesce(group_concat(case when substr(storage_key, 1, length(?)) = ? then facts end, ','), '') || ']', max(seq), count(*)";

type Reading = Pick<Database, "read">;

const SQL = {
  captures: `${FITTING} from (select seq, storage_key, facts from capture where seq > ? order by seq limit ?)`,
  capturesOfFolder: `${FITTING} from (select seq, storage_key, facts from capture indexed by capture_folder
    where folder = ? and seq > ? order by seq limit ?)`,
  capturesOfContent: `select '[' || coalesce(group_concat(facts, ','), '') || ']'
    from (select facts from capture indexed by capture_content
      where content = ? and facts->>'content_hash' = ? order by seq desc limit ?)`,
  readyBefore: `select count(*) from (select 1 from url u indexed by url_ready
    where u.state = 0 and u.queue = ${QUEUE} and (u.band, u.seq) < (?, ?) limit ?)`,
  // By the crawl's own name: a reader remembers no numbers, as a crawl may come any time.
  lookUp: `${KEYS} select k, json_array(${URL_COLUMNS}) from r cross join url u indexed by url_key
    on u.slot = v->>0 and u.crawl = (select id from crawl where crawl_id = v->>1) and u.fingerprint = v->>2 ${NAMED}`,
} as const;

/** The next macrotask: whoever else wants the thread goes first. */
const breath = () => new Promise<void>((resolve) => void setTimeout(resolve));

export function listingsOf(database: Reading): Listings {
  return {
    async captures(prefix, afterSeq, limit) {
      const rows: CaptureRow[] = [];
      for (let after = afterSeq, most = limit; rows.length < limit;) {
        const looked = await lookAtCaptures(database, { prefix, after, most });
        rows.push(...looked.rows);
        if (looked.count < most) break;
        after = looked.lastSeq;
        if (rows.length < limit) await breath();
        most = Math.min(MOST_LOOKED_AT, most * 2);
      }
      return rows.slice(0, limit);
    },
    async capturesOfContent(hash, limit) {
      const args = [BigInt(contentKey(hash)), hash, BigInt(limit)];
      const [row] = await database.read(SQL.capturesOfContent, args);
      return JSON.parse(String(row![0]));
    },
    async readyBefore({ slot, crawlId, host }, { band, seq }, limit) {
      const args = [BigInt(slot), crawlId, host, BigInt(band), BigInt(seq), BigInt(limit)];
      const [row] = await database.read(SQL.readyBefore, args);
      return Number(row![0]);
    },
    async lookUp(keys) {
      const answer: (UrlRow | undefined)[] = new Array(keys.length).fill(undefined);
      if (keys.length === 0) return answer;
      const list = jsonArray(keys, (key) => `[${key.slot},${JSON.stringify(key.crawlId)},${signed(key.fingerprint)}]`);
      for (const row of await database.read(SQL.lookUp, [list])) {
        answer[Number(row[0])] = decodeUrl(JSON.parse(String(row[1])) as UrlColumns);
      }
      return answer;
    },
  };
}

async function lookAtCaptures(
  database: Reading,
  { prefix, after, most }: { readonly prefix: string; readonly after: number; readonly most: number },
): Promise<{ readonly rows: CaptureRow[]; readonly lastSeq: number; readonly count: number }> {
  const tail = [BigInt(after), BigInt(most)];
  const [row] = prefix.includes("/")
    ? await database.read(SQL.capturesOfFolder, [prefix, prefix, folderOf(prefix), ...tail])
    : await database.read(SQL.captures, [prefix, prefix, ...tail]);
  return { rows: JSON.parse(String(row![0])), lastSeq: Number(row![1] ?? 0), count: Number(row![2]) };
}

/** Listings over a read-only connection to a file that a store has opened; it connects when first asked. */
export function openLibsqlReader(options: OpenOptions & { readonly clock: Clock }): ListingReader {
  const { clock } = options;
  let lookedAt = -Infinity;
  let opened: Promise<Database> | undefined;
  const open = async () => {
    const database = connectChecked(options);
    await database.tune(["query_only = on", `cache_size = -${READER_CACHE_KIB}`]);
    return database;
  };
  const using = async <T>(work: (listings: Listings) => Promise<T>): Promise<T> => {
    const database = await (opened ??= open());
    const read: Database["read"] = async (sql, args) => {
      if (clock.monotonicMs() - lookedAt >= LOG_LOOK_MS) await logIsShort(options.location, clock);
      lookedAt = clock.monotonicMs();
      return await database.read(sql, args);
    };
    return await explained("Reading", database, () => work(listingsOf({ read })));
  };
  return {
    captures: (prefix, afterSeq, limit) => using((listings) => listings.captures(prefix, afterSeq, limit)),
    capturesOfContent: (hash, limit) => using((listings) => listings.capturesOfContent(hash, limit)),
    readyBefore: (queue, place, limit) => using((listings) => listings.readyBefore(queue, place, limit)),
    lookUp: (keys) => using((listings) => listings.lookUp(keys)),
    async close() {
      const closing = opened;
      opened = undefined;
      (await closing?.catch(() => undefined))?.close();
    },
  };
}

/** A reader at the wrong moment keeps the log from being begun anew; one that waits lets the next commit do it. */
async function logIsShort(path: string, clock: Clock): Promise<void> {
  for (let waited = 0; waited < LOG_WAIT_MS; waited += LOG_LOOK_MS) {
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) <= LOG_BYTES) return;
    await clock.sleep(LOG_LOOK_MS);
  }
}
