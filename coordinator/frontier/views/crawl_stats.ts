/**
 * A crawl's progress, as its owner is told.
 * Invariant: reads only; accepted = queued + leased + settled.
 */

import type { CrawlStats } from "../../../protocol/mod.ts";
import { sumCounts } from "../counters.ts";
import type { CrawlLook } from "../../reader_ports.ts";
import type { Crawl } from "../crawls/crawl.ts";
import type { Shard } from "../shard.ts";
import type { Standing } from "./standing.ts";

export interface StatsParts {
  /** Own shards. */
  readonly shards: readonly Shard[];
  /** What is known of the crawl in shards of other coordinators. */
  readonly looks: readonly CrawlLook[];
  /** The crawl's own, in own shards. */
  readonly standing: Standing;
  /** Why no edge takes leases; "" when one does. */
  readonly trouble: string;
  /** Wall ms. */
  readonly now: number;
}

export function crawlStats(crawl: Crawl, { shards, looks, standing, trouble, now }: StatsParts): CrawlStats {
  const foreign = looks.flatMap(({ counters }) => counters ?? []);
  const counts = sumCounts(crawl.id, [...shards.map((shard) => shard.countsOf(crawl.id)), ...foreign]);
  // A shard that is being taken over is told of by its look still.
  const leased = shards.reduce((sum, { index }) => sum + crawl.leased[index]!, leasedIn(looks));
  const { crawlId: _, rejectedByReason, errorsByClass, sent: _sent, received: _received, ...others } = counts;
  const { leasesByRegion, leasesPlaced, leasesHome, ...sums } = others;
  const nextIn = standing.ready > 0 ? 0 : Math.max(0, standing.nextAt - now);
  return {
    crawl_id: crawl.id,
    state: crawl.row.state,
    reason: crawl.isRunning ? sentence(standing, looks, trouble) : crawl.row.reason,
    ...sums,
    queued: counts.accepted - counts.settled - leased,
    leased,
    rejected_by_reason: { ...rejectedByReason },
    errors_by_class: { ...errorsByClass },
    leases_by_region: { ...leasesByRegion },
    leases_placed: leasesPlaced,
    leases_home: leasesHome,
    hosts_active: standing.active + total(looks, ({ leases }) => leases),
    hosts_waiting: standing.waiting,
    outbox_rows: shards.reduce((sum, shard) => sum + shard.outbox.countOf(crawl.id), 0) +
      total(looks, ({ outboxRows }) => outboxRows),
    ...(nextIn === Infinity ? {} : { next_in_ms: nextIn }),
  };
}

/** What waits for a time of its own would wait without the trouble too. */
function reasonOf(standing: Standing, trouble: string): string {
  return trouble !== "" && standing.active === 0 && standing.ready > 0 ? trouble : standing.sentence();
}

function total(looks: readonly CrawlLook[], of: (look: CrawlLook) => number): number {
  return looks.reduce((sum, look) => sum + of(look), 0);
}

function unsettledIn({ counters }: CrawlLook): number {
  return counters === undefined ? 0 : counters.accepted - counters.settled;
}

/** Page targets that are out; a lease's row says how many it was granted with. */
function leasedIn(looks: readonly CrawlLook[]): number {
  return total(looks, (look) => Math.min(look.leasedPages, unsettledIn(look)));
}

/** Why hosts of another coordinator wait is told by that one alone. */
function sentence(standing: Standing, looks: readonly CrawlLook[], trouble: string): string {
  const own = reasonOf(standing, trouble);
  const leases = total(looks, (look) => look.leases);
  const queued = total(looks, unsettledIn);
  if (queued === 0) return own;
  const others = leases > 0
    ? `other coordinators are fetching from ${leases} hosts`
    : `${queued} URLs wait in shards of other coordinators`;
  return own === "" ? others : `${own}; ${others}`;
}
