/**
 * A crawl's progress, as its owner is told.
 * Invariant: reads only; accepted = queued + leased + settled.
 */

import type { CrawlStats } from "../../../protocol/mod.ts";
import { sumCounts } from "../counters.ts";
import type { Crawl } from "../crawls/crawl.ts";
import type { Shard } from "../shard.ts";
import type { Standing } from "./standing.ts";

export interface CrawlSeen {
  readonly shards: readonly Shard[];
  /** The crawl's own. */
  readonly standing: Standing;
  /** Why no edge takes leases; "" when one does. */
  readonly trouble: string;
  /** Wall ms. */
  readonly now: number;
}

export function crawlStats(crawl: Crawl, { shards, standing, trouble, now }: CrawlSeen): CrawlStats {
  const counts = sumCounts(crawl.id, shards.map((shard) => shard.countsOf(crawl.id)));
  const leased = crawl.leased.reduce((sum, part) => sum + part, 0);
  const { crawlId: _, rejectedByReason, errorsByClass, sent: _sent, received: _received, ...others } = counts;
  const { leasesByRegion, leasesPlaced, leasesHome, ...sums } = others;
  const nextIn = standing.ready > 0 ? 0 : Math.max(0, standing.nextAt - now);
  return {
    crawl_id: crawl.id,
    state: crawl.row.state,
    reason: crawl.isRunning ? reasonOf(standing, trouble) : crawl.row.reason,
    ...sums,
    queued: counts.accepted - counts.settled - leased,
    leased,
    rejected_by_reason: { ...rejectedByReason },
    errors_by_class: { ...errorsByClass },
    leases_by_region: { ...leasesByRegion },
    leases_placed: leasesPlaced,
    leases_home: leasesHome,
    hosts_active: standing.active,
    hosts_waiting: standing.waiting,
    outbox_rows: shards.reduce((sum, shard) => sum + shard.outbox.countOf(crawl.id), 0),
    ...(nextIn === Infinity ? {} : { next_in_ms: nextIn }),
  };
}

/** What waits for a time of its own would wait without the trouble too. */
function reasonOf(standing: Standing, trouble: string): string {
  return trouble !== "" && standing.active === 0 && standing.ready > 0 ? trouble : standing.sentence();
}
