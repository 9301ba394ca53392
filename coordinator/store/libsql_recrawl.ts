/**
 * The questions of a recrawl: which URLs are settled, and what is known of their last captures.
 * Invariant: each is one statement that walks a primary key; a name that fits no capture of its URL has no answer.
 */

import type { CrawlId } from "../../protocol/mod.ts";
import type { UrlRow } from "../ports.ts";
import type { CaptureName, EarlierCapture } from "../recrawl_ports.ts";
import { earlierCapture } from "./capture_facts.ts";
import type { Database } from "./libsql_client.ts";
import { decodeUrl, jsonArray, signed, URL_COLUMNS, type UrlColumns } from "./libsql_rows.ts";

const SETTLED = `select u.id, json_array(${URL_COLUMNS})
  from url u cross join back_queue q on q.id = u.queue cross join crawl c on c.id = u.crawl
  where u.id > ? and u.crawl = (select id from crawl where crawl_id = ?) and u.state >= 2 and u.facts->>10 < ?
  order by u.id limit ?`;

const CAPTURES = `with r (k, v) as materialized (select key, value from json_each(?))
  select k, facts, extra from r cross join capture p
  on p.seq = v->>0 and p.slot = v->>1 and p.fingerprint = v->>2`;

/** In the order of acceptance; the cursor is the last row's number. */
export async function readSettled(
  database: Database,
  crawlId: CrawlId,
  from: { readonly cursor: number; readonly before: number },
  limit: number,
): Promise<{ readonly rows: readonly UrlRow[]; readonly cursor: number }> {
  const args = [BigInt(from.cursor), crawlId, BigInt(Math.floor(from.before)), BigInt(limit)];
  const found = await database.read(SETTLED, args);
  const rows = found.map((row) => decodeUrl(JSON.parse(String(row[1])) as UrlColumns));
  return { rows, cursor: Number(found.at(-1)?.[0] ?? from.cursor) };
}

export async function readEarlierCaptures(
  database: Database,
  names: readonly CaptureName[],
): Promise<(EarlierCapture | undefined)[]> {
  const answer: (EarlierCapture | undefined)[] = new Array(names.length).fill(undefined);
  if (names.length === 0) return answer;
  const list = jsonArray(names, ({ seq, slot, fingerprint }) => `[${seq},${slot},${signed(fingerprint)}]`);
  for (const row of await database.read(CAPTURES, [list])) {
    answer[Number(row[0])] = earlierCapture(JSON.parse(String(row[1])), JSON.parse(String(row[2])));
  }
  return answer;
}
