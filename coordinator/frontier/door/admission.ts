/**
 * The door's last question, asked of URLs that are new: do host and domain have room for one more, and does it look like
 * a trap? What was asked before (shape, scope, patterns) needs no memory; this does.
 * Invariant: a refusal changes nothing but counts: the URL isn't seen, so it is judged anew when it is found again.
 */

import type { BackQueue } from "../queues/back_queue.ts";
import { beginCycle, cycleAt, usedInCycle } from "./budget.ts";
import type { Crawl } from "../crawls/crawl.ts";
import type { UrlFamily } from "./family.ts";
import type { HostState } from "../host_state.ts";
import type { Shard } from "../shard.ts";
import type { Tally } from "./tally.ts";
import { findFamily, noteAccepted, type TrapReason, trapReason } from "./traps.ts";

export type AdmissionReason = "queue_full" | "host_budget" | "domain_budget" | "duplicates" | TrapReason;

/** A URL at the door: whose it is and where it would be queued. */
export interface Applicant {
  readonly crawl: Crawl;
  readonly host: Pick<HostState, "host" | "domain" | "slot">;
  /** Absent = the crawl has nothing of this host yet. */
  readonly queue: BackQueue | undefined;
  readonly family: UrlFamily | undefined;
  /** Seeds are taken at the operator's word: only budgets and the queue's cap bind them. */
  readonly isSeed: boolean;
  /** Wall ms. */
  readonly now: number;
}

export interface HostUse {
  readonly cycle: number;
  readonly queued: number;
  readonly hostUsed: number;
  readonly domainUsed: number;
  readonly tally: Tally | undefined;
}

/** What the applicant's host and domain have used. Reads only. */
export function useOf(shard: Shard, { crawl, host, queue, now }: Omit<Applicant, "family" | "isSeed">): HostUse {
  const cycle = cycleAt(crawl.row.createdAt, now, shard.parts.settings.limits.budgetCycleMs);
  const tally = shard.tallies.find(crawl.id, host.host);
  return {
    cycle,
    queued: (queue?.ready ?? 0) + (queue?.waiting ?? 0),
    hostUsed: usedInCycle(tally, queue?.accepted ?? 0, cycle),
    domainUsed: shard.domainUse.count(crawl.id, host.domain, cycle),
    tally,
  };
}

/** Why it is refused; undefined = it may come in. Reads only. */
export function admissionReason(shard: Shard, applicant: Applicant): AdmissionReason | undefined {
  const { limits } = shard.parts.settings;
  const { family, isSeed, now } = applicant;
  const use = useOf(shard, applicant);
  if (use.hostUsed >= limits.hostBudgetUrls) return "host_budget";
  if (use.domainUsed >= limits.domainBudgetUrls) return "domain_budget";
  if (use.queued >= limits.hostQueueUrls) return "queue_full";
  const { tally } = use;
  if (isSeed || tally === undefined) return undefined;
  if (tally.isCut && tally.cycle >= use.cycle) return "duplicates";
  return family === undefined ? undefined : trapReason(findFamily(tally.families, family), family, { limits, now });
}

/** It came in; to be called before its queue counts it. */
export function noteAdmission(shard: Shard, { crawl, host, queue, family, now }: Applicant): void {
  const { limits } = shard.parts.settings;
  const cycle = cycleAt(crawl.row.createdAt, now, limits.budgetCycleMs);
  shard.domainUse.add(crawl.id, host.domain, cycle);
  if (cycle === 0 && family === undefined) return;
  const tally = shard.tallies.of({ slot: host.slot, crawlId: crawl.id, host: host.host });
  if (beginCycle(tally, queue?.accepted ?? 0, cycle)) shard.batch.changeTally(tally);
  if (family === undefined) return;
  noteAccepted(tally.families, family, { limits, now });
  shard.tallies.changeLater(tally);
}
