/**
 * Takes settled URLs up again: they are queued at their old place, and what was counted of them counts no more.
 * Invariant: counters equal rows at every commit; a URL that isn't settled is left alone, so that going on after a crash
 * queues nothing twice.
 */

import type { CrawlId } from "../../../protocol/mod.ts";
import type { UrlRow } from "../../ports.ts";
import { isSitemapRow } from "../robots/sitemaps.ts";
import type { Operation, Round } from "../round.ts";
import type { ShardWriter } from "../writer.ts";

/** Rows of one commit. */
const RECRAWLED_AT_ONCE = 500;

/** Counts as a page: 2xx, or 304, which says that one still stands. */
export function isPageCode(httpCode: number): boolean {
  return (httpCode >= 200 && httpCode < 300) || httpCode === 304;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Queues all settled URLs of a shard that were last fetched before `before` (wall ms); their number. */
export async function recrawlShard(writer: ShardWriter, crawlId: CrawlId, before: number): Promise<number> {
  let queued = 0;
  for (let cursor = 0;;) {
    const step = await writer.store.readSettled(crawlId, { cursor, before }, RECRAWLED_AT_ONCE);
    if (step.rows.length > 0) await writer.submit(requeueOperation(crawlId, step.rows));
    queued += step.rows.length;
    if (step.rows.length < RECRAWLED_AT_ONCE) return queued;
    cursor = step.cursor;
  }
}

function requeueOperation(crawlId: CrawlId, rows: readonly UrlRow[]): Operation<void> {
  return {
    apply(round) {
      for (const row of rows) requeueSettled(round, crawlId, row);
    },
  };
}

/** `change`: what else of the row is another then. */
export function requeueSettled(round: Round, crawlId: CrawlId, row: UrlRow, change: Partial<UrlRow> = {}): void {
  const { shard, now } = round;
  const host = shard.hosts.get(row.host);
  // Of a slot that moves the rows stand still.
  if (host === undefined || shard.marks.has(row.slot)) return;
  uncount(round, crawlId, row);
  const ready: UrlRow = { ...row, ...change, state: "ready", availableAt: 0, attempts: 0, reason: "" };
  shard.batch.changeUrl(ready);
  shard.enqueueReady(host, ready);
  shard.reschedule(host, now);
}

/** What settling it had added. */
function uncount({ shard }: Round, crawlId: CrawlId, row: UrlRow): void {
  const counts = shard.changeCounts(crawlId);
  counts.settled--;
  if (row.state === "excluded") counts.excluded--;
  else if (row.state === "dead") counts.dead--;
  else if (row.captureSeq === 0 && REDIRECTS.has(row.httpCode)) counts.redirected--;
  else if (isSitemapRow(row)) counts.sitemaps--;
  else {
    counts.fetched--;
    if (!isPageCode(row.httpCode)) return;
    counts.pages--;
    const crawl = shard.parts.crawls.get(crawlId);
    if (crawl !== undefined) crawl.pages[shard.index]!--;
  }
}
