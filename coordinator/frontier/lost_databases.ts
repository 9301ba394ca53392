/**
 * Whether the databases of a coordinator belong together.
 * Invariant: reads only; a frontier that would fetch anew or end with nothing is never opened.
 */

import type { CrawlId } from "../../protocol/mod.ts";
import type { CrawlBook } from "./crawls/crawl.ts";
import type { ShardWriter } from "./writer.ts";

/**
 * A crawl's row is durable before anything of it is in a shard, and its seeds are in a shard before it stops seeding: a
 * crawl that only one side knows means that the other was lost. Going on would fetch anew or end with nothing.
 */
export function checkNothingLost(writers: readonly ShardWriter[], crawls: CrawlBook): void {
  const held = new Set(writers.flatMap(({ shard }) => [...shard.counters.keys()]));
  const lost = (what: string, crawlId: CrawlId, otherSide: string) =>
    new Error(
      `Opening the frontier failed: ${what} ${crawlId}, of which ${otherSide} nothing, so a database was lost or ` +
        "replaced; restore all of them from one copy, or name another data folder.",
    );
  for (const crawlId of held) {
    if (crawls.get(crawlId) === undefined) throw lost("the shards hold", crawlId, "the control database knows");
  }
  for (const { id, row } of crawls.all()) {
    if (held.has(id) || row.seeding || row.spec.seeds.length === 0) continue;
    throw lost("the control database holds", id, "the shards know");
  }
}
