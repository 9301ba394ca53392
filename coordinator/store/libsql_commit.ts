/**
 * One Batch as the statements of one transaction: the guard first, then one statement per table.
 * Invariant: a batch is applied by the owner of the current term, in batchSeq order, exactly once, or not at all.
 */

import type { AddressRow } from "../group_ports.ts";
import type { Batch } from "../ports.ts";
import { saysNothing } from "./empty_rows.ts";
import type { Statement } from "./libsql_client.ts";
import { type Numbering, queueName } from "./libsql_names.ts";
import {
  encodeAddress,
  encodeBody,
  encodeCapture,
  encodeCounters,
  encodeDomain,
  encodeHost,
  encodeLease,
  encodeLeaseSeq,
  encodeOrigin,
  encodeOutbox,
  encodeReceived,
  encodeTally,
  encodeUrl,
  jsonArray,
} from "./libsql_rows.ts";
import { seenStatements } from "./libsql_seen.ts";
import { slotStatements } from "./libsql_slots.ts";

/** `v` is one element; materialised, because each mention of json_each's value column would render it anew. */
const ROWS = "with r (v) as materialized (select value from json_each(?))";

const SQL = {
  // A NULL that meets `not null` ends the transaction: another owner's term, or a batch out of order.
  guard: `update shard set
    batch_seq = case when owner_term = ?1 and batch_seq = ?2 - 1 then ?2 end, owner_wall_ms = ?6, batch_mark = ?7,
    next_url_seq = max(next_url_seq, ?3), next_capture_seq = max(next_capture_seq, ?4), url_count = url_count + ?5`,
  crawl: `${ROWS} insert into crawl (id, crawl_id, counters) select v->>0, v->>1, v->2 from r where true
    on conflict (id) do update set counters = excluded.counters`,
  newCrawl: `${ROWS} insert into crawl (id, crawl_id) select v->>0, v->>1 from r`,
  queue: `${ROWS} insert into back_queue (id, slot, crawl, host, domain, accepted)
    select v->>0, v->>1, v->>2, v->>3, v->>4, v->>5 from r where true
    on conflict (id) do update set accepted = accepted + excluded.accepted`,
  newUrl: `${ROWS} insert into url (slot, crawl, fingerprint, state, band, seq, available_at, url, facts, queue)
    select v->>0, v->>1, v->>2, v->>3, v->>4, v->>5, v->>6, v->>7, v->8, v->>9 from r`,
  changedUrl: `${ROWS} update url set
    state = v->>3, band = v->>4, seq = v->>5, available_at = v->>6, url = v->>7, facts = v->8
    from r where url.slot = v->>0 and url.crawl = v->>1 and url.fingerprint = v->>2`,
  // As the guard: a URL that was to change and isn't there ends the transaction.
  allChanged: "update shard set url_count = case when changes() = ? then url_count end",
  host: `${ROWS} insert or replace into host (slot, host, facts) select v->>0, v->>1, v->2 from r`,
  origin: `${ROWS} insert or replace into origin (slot, origin, facts) select v->>0, v->>1, v->2 from r`,
  domain: `${ROWS} insert or replace into domain (slot, domain, facts) select v->>0, v->>1, v->2 from r`,
  noDomain: `${ROWS} delete from domain where (slot, domain) in (select v->>0, v->>1 from r)`,
  address: `${ROWS} insert or replace into address (slot, address, facts) select v->>0, v->>1, v->2 from r`,
  noAddress: `${ROWS} delete from address where (slot, address) in (select v->>0, v->>1 from r)`,
  body: `${ROWS} insert or ignore into robots_body (digest, body) select v->>0, v->>1 from r`,
  endedLease: `${ROWS} delete from lease where (slot, host) in (select v->>0, v->>1 from r)`,
  lease: `${ROWS} insert or replace into lease (slot, host, facts) select v->>0, v->>1, v->2 from r`,
  tally: `${ROWS} insert or replace into tally (slot, crawl_id, host, facts) select v->>0, v->>1, v->>2, v->3 from r`,
  capture: `${ROWS} insert into capture (seq, slot, fingerprint, content, folder, storage_key, facts, extra)
    select v->>0, v->>1, v->>2, v->>3, v->>4, v->>5, v->6, v->7 from r`,
  withdrawn: "delete from capture where seq in (select value from json_each(?))",
  ackedOutbox: `${ROWS} delete from outbox where (lease_id, seq) in (select v->>0, v->>1 from r)`,
  outbox: `${ROWS} insert into outbox (slot, crawl_id, lease_id, seq, links)
    select v->>0, v->>1, v->>2, v->>3, v->4 from r`,
  received: `${ROWS} insert or ignore into received (slot, lease_id, seq) select v->>0, v->>1, v->>2 from r`,
} as const;

export interface CommitTerms {
  readonly ownerTerm: number;
  /** The name of this very commit: whoever finds it in the shard's row knows that it was done. */
  readonly mark: string;
}

function nextAfter(rows: readonly { readonly seq: number }[]): bigint {
  let next = 0;
  for (const { seq } of rows) next = Math.max(next, seq + 1);
  return BigInt(next);
}

/** The guard: bumps batch_seq, and the counters that a start would otherwise have to count. */
function guard(batch: Batch, { ownerTerm, mark }: CommitTerms): Statement {
  const urlSeq = [nextAfter(batch.newUrls), nextAfter(batch.changedUrls)].reduce((a, b) => (a > b ? a : b));
  const args = [BigInt(ownerTerm), BigInt(batch.batchSeq), urlSeq, nextAfter(batch.captures)];
  return { sql: SQL.guard, args: [...args, BigInt(batch.newUrls.length), BigInt(Math.floor(batch.wallMs)), mark] };
}

/** The transaction for `batch`. Ended leases go before new ones of the same host. */
export function commitStatements(batch: Batch, terms: CommitTerms, numbering: Numbering): Statement[] {
  const statements = [guard(batch, terms)];
  const add = <T>(sql: string, rows: readonly T[], encode: (row: T) => string) => {
    if (rows.length > 0) statements.push({ sql, args: [jsonArray(rows, encode)] });
  };
  const crawlOf = (crawlId: string) => numbering.crawls.get(crawlId)!;
  add(SQL.newCrawl, numbering.newCrawls, (crawlId) => JSON.stringify([crawlOf(crawlId), crawlId]));
  add(SQL.crawl, batch.counters, (row) => encodeCounters(row, crawlOf(row.crawlId)));
  add(
    SQL.queue,
    [...numbering.queues.values()],
    (queue) => JSON.stringify([queue.id, queue.slot, queue.crawl, queue.host, queue.domain, queue.accepted]),
  );
  add(SQL.newUrl, batch.newUrls, (row) => {
    const crawl = crawlOf(row.crawlId);
    return encodeUrl(row, crawl, numbering.queues.get(queueName(row.slot, crawl, row.host))!.id);
  });
  add(SQL.changedUrl, batch.changedUrls, (row) => encodeUrl(row, numbering.crawls.get(row.crawlId) ?? 0, null));
  if (batch.changedUrls.length > 0) statements.push({ sql: SQL.allChanged, args: [BigInt(batch.changedUrls.length)] });
  add(SQL.host, batch.hosts, encodeHost);
  add(SQL.origin, batch.origins, encodeOrigin);
  const hasPermits = (row: AddressRow) => row.permits.length > 0;
  add(SQL.noDomain, batch.domains.filter(saysNothing), encodeDomain);
  add(SQL.domain, batch.domains.filter((row) => !saysNothing(row)), encodeDomain);
  add(SQL.noAddress, batch.addresses.filter((row) => !hasPermits(row)), encodeAddress);
  add(SQL.address, batch.addresses.filter(hasPermits), encodeAddress);
  add(SQL.body, batch.robotsBodies, encodeBody);
  add(SQL.endedLease, batch.endedLeases, ({ slot, host }) => JSON.stringify([slot, host]));
  add(SQL.lease, batch.leases, encodeLease);
  add(SQL.tally, batch.tallies, encodeTally);
  add(SQL.capture, batch.captures, encodeCapture);
  add(SQL.withdrawn, batch.withdrawn ?? [], String);
  add(SQL.outbox, batch.outbox, encodeOutbox);
  add(SQL.ackedOutbox, batch.ackedOutbox, encodeLeaseSeq);
  add(SQL.received, batch.received, encodeReceived);
  statements.push(...seenStatements(batch.batchSeq, batch.seenLog, batch.seen));
  if (batch.slots !== undefined) statements.push(...slotStatements(batch.slots));
  return statements;
}
