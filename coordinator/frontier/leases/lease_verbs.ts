/**
 * The smaller verbs on leases that are out: extend, release, settled; and permits for hosts that aren't leased.
 * Invariant: all are fenced by lease id and epoch; none makes a host's next start earlier than it was promised.
 */

import type {
  ExtendReply,
  ExtendRequest,
  PermitReply,
  PermitRequest,
  ReleaseRequest,
  SettledRequest,
} from "../../../protocol/mod.ts";
import type { HostPlace } from "../host_directory.ts";
import type { LeaseState } from "../host_state.ts";
import { abandonedGapMs, closingGapMs, gapMs, nextStartAt } from "../clocks/politeness.ts";
import type { Operation, Round } from "../round.ts";
import type { Shard } from "../shard.ts";

/**
 * True when nothing more may be started under the lease: its host was paused, blocked or pinned to another region, its
 * crawl stopped.
 */
function mustStop(shard: Shard, lease: LeaseState): boolean {
  const { host } = lease;
  if (host.policyRegion !== "" && host.policyRegion !== lease.region) return true;
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

/** How long a worker may be made to wait for a start that is granted now. */
const GRANTED_AHEAD_MS = 5_000;
/** When to ask again about a host that is leased, or whose domain is full. */
const ASK_AGAIN_MS = 1_000;
/** When to ask again about a host that an operator stopped. */
const ASK_LATER_MS = 60_000;

export function permitOperation(request: PermitRequest, place: HostPlace): Operation<PermitReply> {
  return { apply: (round) => permit(round, request, place) };
}

/**
 * The host's clock moves as if a request of a lease had started as late as the permit allows; the strictest
 * crawl's delay counts. A host that is leased stays free for whoever asks in vain, or a busy one never could be asked.
 */
function permit(round: Round, request: PermitRequest, place: HostPlace): PermitReply {
  const { shard, now } = round;
  const host = shard.hostOf(place);
  const isStopped = host.paused || host.blockedReason !== "" || shard.domains.stopReason(host.domain) !== "";
  if (isStopped) return { granted: false, wait_ms: ASK_LATER_MS };
  const { limits } = shard.parts.settings;
  const delayMs = strictestDelay(shard);
  const gap = gapMs(host, delayMs, limits);
  // Under a lease of the same domain the request is one of that lease's own: its edge paces it with the others.
  const lease = request.lease_id === undefined ? undefined : shard.leases.get(request.lease_id);
  const isOwn = lease?.workerId === request.worker_id && lease.host.domain === host.domain;
  const isCounted = delayMs > 0 && !isOwn;
  const isFull = isCounted && !shard.domains.admitsVisit(host.domain, now, now + 2 * ASK_AGAIN_MS);
  if (host.lease !== undefined || isFull) {
    host.keptFreeUntil = now + 2 * ASK_AGAIN_MS;
    return { granted: false, wait_ms: ASK_AGAIN_MS };
  }
  const waitMs = Math.max(0, host.nextStartAt - now);
  if (waitMs > GRANTED_AHEAD_MS) return { granted: false, wait_ms: waitMs };
  host.keptFreeUntil = 0;
  host.nextStartAt = now + waitMs + (gap > 0 ? limits.permitStartMs + gap : 0);
  shard.batch.changeHost(host);
  if (isCounted) {
    const visitId = shard.parts.random.hex(8);
    shard.batch.changeDomain(shard.domains.visit(host, visitId, now + waitMs + limits.permitStartMs));
  }
  shard.reschedule(host, now);
  return { granted: true, wait_ms: waitMs };
}

/** Of the crawls that run, and of those that were stopped while leases of theirs are out: their edges may still ask. */
function strictestDelay({ parts }: Shard): number {
  let delayMs = 0;
  for (const crawl of parts.crawls.all()) {
    if (crawl.isRunning) delayMs = Math.max(delayMs, crawl.row.spec.politeness.delay_ms);
  }
  for (const shard of parts.shards) {
    for (const { crawlId } of shard?.leases.values() ?? []) {
      delayMs = Math.max(delayMs, parts.crawls.get(crawlId)?.row.spec.politeness.delay_ms ?? 0);
    }
  }
  return delayMs;
}
