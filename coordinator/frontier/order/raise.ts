/**
 * URLs that turned out to be linked often move forward in their queues.
 * Invariant: a priority is raised, never lowered; at most one row write for each power of 4 of a URL's in-links.
 */

import type { ShardStore, UrlKey, UrlRow } from "../../ports.ts";
import type { Raise } from "./link_counter.ts";
import { changesPerDay } from "./change_rate.ts";
import { bandFor, priorityOf, queryParametersOf } from "./priority.ts";
import { requeue } from "./requeue.ts";
import type { Round } from "../round.ts";

/** Rows that one round reads for this. */
const RAISES_PER_ROUND = 512;

/** After all other reads of the round: what moves here is moved in the store by the commit only. */
export async function raiseFoundOften(round: Round, store: ShardStore): Promise<void> {
  const { shard } = round;
  const raises = shard.linkCounter.take(RAISES_PER_ROUND);
  if (raises.length === 0) return;
  const keys = keysOf(round, raises);
  const rows = await store.urls(keys);
  raises.forEach(({ crawlId, inLinks }, i) => {
    const row = shard.batch.changedUrl(crawlId, keys[i]!.fingerprint) ?? rows[i];
    if (row !== undefined) raise(round, row, inLinks);
  });
}

function keysOf({ shard }: Round, raises: readonly Raise[]): UrlKey[] {
  const { core, directory } = shard.parts;
  const batch = core.urls(raises.map(({ url }) => url));
  const found = raises.map(({ crawlId }, i) => ({ crawlId, fingerprint: batch.fingerprints[i]!, host: batch.host(i) }));
  return found.map(({ crawlId, fingerprint, host }) => ({ slot: directory.placeOf(host).slot, crawlId, fingerprint }));
}

function raise(round: Round, row: UrlRow, inLinks: number): void {
  const { shard } = round;
  const crawl = shard.parts.crawls.get(row.crawlId);
  const isQueued = row.state === "ready" || row.state === "waiting";
  if (crawl === undefined || !isQueued || row.inLinks >= inLinks || shard.marks.has(row.slot)) return;
  const { priority: operator, order = "priority" } = crawl.row.spec;
  if (order !== "priority") return;
  const counted = priorityOf({
    operator,
    depth: row.depth,
    inLinks,
    queryParameters: queryParametersOf(row.url),
    ...(row.visits === 0
      ? {}
      : { fetched: { changesPerDay: changesPerDay(row), sinceFetchMs: round.now - row.lastFetchAt } }),
  });
  const priority = Math.max(row.priority, counted);
  const band = Math.min(row.band, bandFor(order, { priority, depth: row.depth }, shard.parts.settings.limits.bands));
  requeue(round, row, { ...row, inLinks, priority, band });
}
