/**
 * The smaller verbs on leases that are out: extend, release, settled.
 * Invariant: all are fenced by lease id and epoch; none makes a host's next start earlier than it was promised.
 */

import type { ExtendReply, ExtendRequest, ReleaseRequest, SettledRequest } from "../../../protocol/mod.ts";
import type { LeaseState } from "../host_state.ts";
import { abandonedGapMs, closingGapMs, nextStartAt } from "../clocks/politeness.ts";
import type { Operation } from "../round.ts";
import type { Shard } from "../shard.ts";

/**
 * True when nothing more may be started under the lease: its host was paused, blocked or pinned to another region, its
 * crawl stopped, or its slot is moving to another shard.
 */
function mustStop(shard: Shard, lease: LeaseState): boolean {
  const { host } = lease;
  if (host.policyRegion !== "" && host.policyRegion !== lease.region) return true;
  if (shard.marks.has(host.slot)) return true;
  const isStopped = host.paused || host.blockedReason !== "" || shard.domains.stopReason(host.domain) !== "";
  return isStopped || shard.parts.crawls.get(lease.crawlId)?.isRunning !== true;
}

export function extendOperation(request: ExtendRequest): Operation<ExtendReply> {
  return {
    apply({ shard, now }) {
      const lease = shard.fenced(request);
      if (lease === undefined || lease.expiresAt <= now) return { status: "stale", expires_in_ms: 0, stop: true };
      lease.expiresAt = now + shard.parts.settings.limits.leaseMs;
      shard.batch.putLease(lease);
      return { status: "ok", expires_in_ms: lease.expiresAt - now, stop: mustStop(shard, lease) };
    },
  };
}

/** A worker that can't say when its last request started may have started one just now. */
export function releaseOperation(
  request: Pick<ReleaseRequest, "worker_id"> & { readonly lease: ReleaseRequest["leases"][number] },
): Operation<void> {
  return {
    apply({ shard, now }) {
      const lease = shard.fenced({ ...request.lease, worker_id: request.worker_id });
      if (lease === undefined) return;
      const politeness = shard.parts.crawls.get(lease.crawlId)?.row.spec.politeness;
      const gap = abandonedGapMs(lease, politeness, shard.parts.settings.limits);
      lease.host.nextStartAt = Math.max(lease.host.nextStartAt, now + gap);
      shard.endLease(lease, now, { startAt: now, parallelUntil: -Infinity });
    },
  };
}

export function settledOperation(request: SettledRequest): Operation<void> {
  return {
    apply({ shard, now }) {
      const lease = shard.fenced(request);
      if (lease === undefined) return;
      const reported = { lastStartAgoMs: request.last_start_ago_ms, gapMs: request.gap_ms };
      lease.clockFreed = true;
      const pace = { ...lease, closingGapMs: closingGapMs(lease, shard.parts.settings.limits) };
      lease.host.nextStartAt = Math.max(lease.host.nextStartAt, nextStartAt(pace, reported, now));
      shard.batch.changeHost(lease.host);
    },
  };
}
