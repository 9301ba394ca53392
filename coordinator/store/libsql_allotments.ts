/**
 * AllotmentStore on libSQL: a table of the control database.
 * Invariant: the sum over a crawl's shards grows only within the limit that the claim names; a claim is one transaction
 * that changes nothing when it is repeated.
 */

import type { AllotmentStore } from "../owner_ports.ts";
import { plain } from "./libsql_open.ts";
import type { Using } from "./libsql_operators.ts";
import { claimLost } from "./memory_allotments.ts";

export const ALLOTMENT_TABLES: readonly string[] = [
  `create table if not exists allotment (crawl_id text not null, shard integer not null, term integer not null,
    version integer not null, pages integer not null, primary key (crawl_id, shard)) without rowid`,
];

const SQL = {
  claim: `insert into allotment (crawl_id, shard, term, version, pages)
    values (?1, ?2, ?3, ?4, max(?7, min(?5,
      ?6 - (select coalesce(sum(pages), 0) from allotment where crawl_id = ?1 and shard <> ?2))))
    on conflict (crawl_id, shard) do update
    set term = excluded.term, version = excluded.version, pages = excluded.pages
    where (excluded.term, excluded.version) > (allotment.term, allotment.version)`,
  held: "select term, pages from allotment where crawl_id = ? and shard = ?",
} as const;

export function libsqlAllotments(using: Using): AllotmentStore {
  return {
    claim: (claim) =>
      using("Claiming pages in", async (database) => {
        const { crawlId, shard, term, version, pages, limit, used } = claim;
        const numbers = [shard, term, version, pages, limit, used].map((value) => BigInt(Math.floor(value)));
        const answers = await database.write([
          plain(SQL.claim, [crawlId, ...numbers]),
          plain(SQL.held, [crawlId, BigInt(shard)]),
        ]);
        const [row] = answers[1]!;
        if (Number(row![0]) > term) throw claimLost(claim, Number(row![0]));
        return Number(row![1]);
      }),
  };
}
