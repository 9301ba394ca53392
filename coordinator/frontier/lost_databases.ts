/**
 * Whether the databases of a coordinator belong together.
 * Invariant: reads only; a frontier that would fetch anew or end with nothing is never opened.
 */

import type { CrawlId } from "../../protocol/mod.ts";
import type { CrawlBook } from "./crawls/crawl.ts";
import type { ShardBook } from "./shard_book.ts";

/**
 * A crawl's row is durable before anything of it is in a shard, and every shard has counters of it before it stops
 * seeding: a crawl that one of them doesn't know means that a database was lost. Going on would fetch anew or end with
 * nothing.
 */
export function checkNothingLost({ own, map }: Pick<ShardBook, "own" | "map">, crawls: CrawlBook): void {
  const lost = (what: string, crawlId: CrawlId, otherSide: string) =>
    new Error(
      `Opening the frontier failed: ${what} ${crawlId}, of which ${otherSide} nothing, so a database was lost or ` +
        "replaced, or there are more shards than before; restore all of them from one copy, or name another data folder.",
    );
  // One that was added and has no slots yet needn't know anything.
  const hasSlots = new Set(map.runs.map(([, shard]) => shard));
  const writers = own.filter(({ shard }) => shard.counters.size > 0 || hasSlots.has(shard.index));
  for (const { shard } of writers) {
    for (const crawlId of shard.counters.keys()) {
      if (crawls.get(crawlId) === undefined) throw lost("the shards hold", crawlId, "the control database knows");
    }
  }
  for (const { id, row } of crawls.all()) {
    if (row.seeding) continue;
    const without = writers.find(({ shard }) => !shard.counters.has(id));
    if (without !== undefined) throw lost("the control database holds", id, `shard ${without.shard.index} knows`);
  }
}
