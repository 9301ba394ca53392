/**
 * Whether the databases of a coordinator belong together.
 * Invariant: reads only; a frontier that would fetch anew or end with nothing is never opened.
 */

import type { CrawlId, SlotMap } from "../../protocol/mod.ts";
import type { CrawlBook } from "./crawls/crawl.ts";
import type { Shard } from "./shard.ts";
import type { ShardBook } from "./shard_book.ts";

function lost(what: string, crawlId: CrawlId, otherSide: string): Error {
  return new Error(
    `Opening the frontier failed: ${what} ${crawlId}, of which ${otherSide} nothing, so a database was lost or ` +
      "replaced, or there are more shards than before; restore all of them from one copy, or name another data folder.",
  );
}

/** A crawl that the shard knows and the control database doesn't, as an Error. */
export function crawlUnknownTo(crawls: CrawlBook, { counters }: Shard): Error | undefined {
  for (const crawlId of counters.keys()) {
    if (crawls.get(crawlId) === undefined) return lost("the shards hold", crawlId, "the control database knows");
  }
  return undefined;
}

/**
 * A crawl's row is durable before anything of it is in a shard, and every shard has counters of it before it stops
 * seeding: a crawl that one of them doesn't know means that a database was lost. Going on would fetch anew or end with
 * nothing.
 */
export function checkNothingLost({ own, map }: Pick<ShardBook, "own" | "map">, crawls: CrawlBook): void {
  // One that was added and has no slots yet needn't know anything.
  const hasSlots = new Set(map.runs.map(([, shard]) => shard));
  const writers = own.filter(({ shard }) => shard.counters.size > 0 || hasSlots.has(shard.index));
  for (const { shard } of writers) {
    const unknown = crawlUnknownTo(crawls, shard);
    if (unknown !== undefined) throw unknown;
  }
  for (const { id, row } of crawls.all()) {
    if (row.seeding) continue;
    const without = writers.find(({ shard }) => !shard.counters.has(id));
    if (without !== undefined) throw lost("the control database holds", id, `shard ${without.shard.index} knows`);
  }
}

/**
 * Among several coordinators a crawl is made before all shards know of it; but each shard with slots had an owner before
 * the first crawl. One that never had is new where it should be old. The sentence, or undefined.
 */
export function lostDatabase(
  index: number,
  { map, crawls, ownerTerm }: { readonly map: SlotMap; readonly crawls: CrawlBook; readonly ownerTerm: number },
): string | undefined {
  if (ownerTerm > 0 || !map.runs.some(([, shard]) => shard === index)) return undefined;
  for (const { id, row } of crawls.all()) {
    if (row.seeding) continue;
    return `Taking shard ${index} failed: its database is empty, and the crawl ${id} is older than it, so a database ` +
      "was lost or replaced; restore it from a copy.";
  }
  return undefined;
}
