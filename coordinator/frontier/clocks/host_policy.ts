/**
 * An operator's word on one host, and crawls that start or stop offering theirs.
 * Invariant: every lease granted after the answer obeys it; the answer lists the leases that were granted before (E45).
 */

import type { CrawlId, LeaseId } from "../../../protocol/mod.ts";
import type { HostPolicy } from "../../host_ports.ts";
import type { HostState } from "../host_state.ts";
import type { HostPlace } from "../host_directory.ts";
import type { Operation } from "../round.ts";

export function policyOperation(place: HostPlace, policy: HostPolicy): Operation<{ leasesOut: LeaseId[] }> {
  return {
    apply({ shard, now }) {
      const host = shard.hostOf(place);
      if (policy.minDelayMs !== undefined) setDelay(host, policy.minDelayMs, now);
      if (policy.maxParallel !== undefined) host.policyMaxParallel = orNone(policy.maxParallel);
      if (policy.paused !== undefined) host.paused = policy.paused;
      if (policy.blockedReason !== undefined) host.blockedReason = policy.blockedReason;
      if (policy.region !== undefined) {
        host.policyRegion = policy.region;
        shard.planNextLease(host, now);
      }
      shard.batch.changeHost(host);
      shard.reschedule(host, now);
      return { leasesOut: host.lease === undefined ? [] : [host.lease.leaseId] };
    },
  };
}

/**
 * A host that is asked already keeps a longer delay from its last request on, not from its next. When that was isn't
 * known: no later than now, and no later than what was to follow it. Under a lease the delay counts when that ends.
 */
function setDelay(host: HostState, delayMs: number, now: number): void {
  const before = host.policyDelayMs;
  host.policyDelayMs = orNone(delayMs);
  if (host.policyDelayMs <= before || host.lease !== undefined || host.nextStartAt === 0) return;
  host.nextStartAt = Math.max(host.nextStartAt, Math.min(host.nextStartAt, now) + host.policyDelayMs);
}

function orNone(value: number): number {
  return value > 0 ? value : -1;
}

/** The crawl's state has changed: its hosts are placed anew. */
export function rescheduleOperation(crawlId: CrawlId): Operation<void> {
  return {
    apply({ shard, now }) {
      for (const queue of shard.queuesOfCrawl.get(crawlId) ?? []) {
        const host = shard.hosts.get(queue.host)!;
        shard.outOfBudget.delete(host);
        shard.reschedule(host, now);
      }
    },
  };
}
