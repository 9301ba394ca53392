/**
 * What each crawl has of a host: its queue, its budget, what its pages showed and what was refused.
 * Invariant: reads only; a crawl that has nothing of the host isn't listed.
 */

import type { HostCrawlView } from "../../host_ports.ts";
import { useOf } from "../door/admission.ts";
import { cycleEndsAt } from "../door/budget.ts";
import { addTo } from "../counters.ts";
import type { Crawl } from "../crawls/crawl.ts";
import type { HostState } from "../host_state.ts";
import type { Shard } from "../shard.ts";

export interface Moment {
  /** All of them: a refusal is counted by the shard whose page had the link. */
  readonly shards: readonly Shard[];
  /** Wall ms. */
  readonly now: number;
}

/** `shard` owns the host. */
export function hostCrawls(shard: Shard, host: HostState, moment: Moment): HostCrawlView[] {
  const views: HostCrawlView[] = [];
  for (const crawl of shard.parts.crawls.all()) {
    const hasAny = host.queues.some(({ crawlId }) => crawlId === crawl.id) ||
      moment.shards.some(({ tallies }) => tallies.find(crawl.id, host.host) !== undefined);
    if (hasAny) views.push(viewOf(shard, host, { crawl, ...moment }));
  }
  return views;
}

function viewOf(shard: Shard, host: HostState, { crawl, shards, now }: Moment & { crawl: Crawl }): HostCrawlView {
  const { limits } = shard.parts.settings;
  const queue = host.queues.find(({ crawlId }) => crawlId === crawl.id);
  const use = useOf(shard, { crawl, host, queue, now });
  const isOfThisCycle = use.tally !== undefined && use.tally.cycle >= use.cycle;
  return {
    crawlId: crawl.id,
    ready: queue?.ready ?? 0,
    waiting: queue?.waiting ?? 0,
    accepted: queue?.accepted ?? 0,
    budget: {
      cycleEndsAt: cycleEndsAt(crawl.row.createdAt, use.cycle, limits.budgetCycleMs),
      used: use.hostUsed,
      limit: limits.hostBudgetUrls,
      domainUsed: use.domainUsed,
      domainLimit: limits.domainBudgetUrls,
      queueLimit: limits.hostQueueUrls,
    },
    pages: isOfThisCycle ? use.tally.pages : 0,
    duplicates: isOfThisCycle ? use.tally.duplicates : 0,
    isCut: isOfThisCycle && use.tally.isCut,
    rejectedByReason: refusals(shards, crawl, host),
  };
}

function refusals(shards: readonly Shard[], crawl: Crawl, { host }: HostState): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { tallies } of shards) {
    const counts = tallies.find(crawl.id, host)?.rejectedByReason ?? {};
    for (const [reason, count] of Object.entries(counts)) addTo(sum, reason, count);
  }
  return sum;
}
