/**
 * Permits for one request on a host that isn't leased: where a robots.txt redirects to.
 * Invariant: who asks holds a lease that stands, and gets few; the host's next start is never earlier than was promised.
 */

import { type HostKey, hostKeyOf, type LeaseId, type PermitReply, type PermitRequest } from "../../../protocol/mod.ts";
import type { HostPlace } from "../host_directory.ts";
import type { HostState, LeaseState } from "../host_state.ts";
import { gapMs } from "../clocks/politeness.ts";
import type { Operation, Round } from "../round.ts";
import type { FrontierParts, Shard } from "../shard.ts";

/** How long a worker may be made to wait for a start that is granted now. */
const GRANTED_AHEAD_MS = 5_000;
/** When to ask again about a host that is leased, or whose domain is full. */
const ASK_AGAIN_MS = 1_000;
/** When to ask again about a host that an operator stopped. */
const ASK_LATER_MS = 60_000;

export const NO_VISIT: PermitReply = { granted: false, wait_ms: ASK_LATER_MS };
/** Nothing is known against it. */
export const ASK_AGAIN: PermitReply = { granted: false, wait_ms: ASK_AGAIN_MS };

/**
 * True when a request under the lease may be permitted on `host`: the lease stands and hasn't had its share, and the name
 * is spelt as hosts are, so that no clock is kept of what is none.
 */
export function mayVisit(
  { clock, core, settings }: FrontierParts,
  lease: LeaseState | undefined,
  host: string,
): lease is LeaseState {
  if (lease === undefined || lease.expiresAt <= clock.wallMs()) return false;
  if (lease.permits >= settings.limits.permitsPerLease) return false;
  const facts = core.url(`http://${host}/`);
  return !("error" in facts) && hostKeyOf(facts.host) === hostKeyOf(host);
}

/** The lease under which a host is asked by permit, as far as the host's shard has to know it. */
export interface Visitor {
  readonly leaseId: LeaseId;
  /** What another coordinator, whose lease it is, knows of delays. */
  readonly delayMs?: number;
}

/** One request of `visitor` on another host. */
export function permitOperation(visitor: Visitor, place: HostPlace): Operation<PermitReply> {
  return { apply: (round) => permit(round, visitor, place) };
}

/**
 * On the lease's shard, when another coordinator has the host: the visit counts as one of the lease's. The delay that
 * its crawls keep here; undefined when it may not visit.
 */
export function referVisitOperation(request: PermitRequest, host: HostKey): Operation<number | undefined> {
  return {
    apply({ shard }) {
      const lease = shard.fenced(request);
      if (!mayVisit(shard.parts, lease, request.host)) return undefined;
      lease.permits++;
      lease.visited.add(host);
      return strictestDelay(shard);
    },
  };
}

/**
 * The host's clock moves as if a request of a lease had started as late as the permit allows; the strictest
 * crawl's delay counts, and nobody else asks while it may be under way. A host that is leased stays free for whoever asks in vain, or a busy one never could be asked.
 */
function permit(round: Round, visitor: Visitor, place: HostPlace): PermitReply {
  const { shard, now } = round;
  if (shard.marks.has(place.slot)) return { granted: false, wait_ms: ASK_AGAIN_MS };
  const host = shard.hostOf(place);
  const isStopped = host.paused || host.blockedReason !== "" || shard.domains.stopReason(host.domain) !== "";
  if (isStopped) return { granted: false, wait_ms: ASK_LATER_MS };
  const { limits } = shard.parts.settings;
  const delayMs = Math.max(strictestDelay(shard), visitor.delayMs ?? 0);
  const gap = gapMs(host, delayMs, limits);
  // Under a lease of the same domain the request is one of that lease's own: its edge paces it with the others.
  // One domain is one shard's, so another coordinator's lease is never of the same.
  const isOwn = shard.leases.get(visitor.leaseId)?.host.domain === host.domain;
  const isCounted = delayMs > 0 && !isOwn;
  // The lease's own last visit is over, or was never made, if it asks again.
  if (host.visit?.leaseId === visitor.leaseId) endVisit(shard, host);
  const isFull = isCounted && !shard.domains.admitsVisit(host.domain, now, now + 2 * ASK_AGAIN_MS);
  const isVisited = host.visit !== undefined && host.visit.until > now;
  if (host.lease !== undefined || isFull || isVisited) {
    host.keptFreeUntil = now + 2 * ASK_AGAIN_MS;
    return { granted: false, wait_ms: ASK_AGAIN_MS };
  }
  const waitMs = Math.max(0, host.nextStartAt - now);
  if (waitMs > GRANTED_AHEAD_MS) return { granted: false, wait_ms: waitMs };
  host.keptFreeUntil = 0;
  const startBy = now + waitMs + limits.permitStartMs;
  const partId = isCounted ? shard.parts.random.hex(8) : "";
  if (gap > 0) host.visit = { leaseId: visitor.leaseId, until: startBy + limits.fetchWallMs, partId };
  host.nextStartAt = now + waitMs + (gap > 0 ? limits.permitStartMs + gap : 0);
  shard.batch.changeHost(host);
  if (isCounted) shard.batch.changeDomain(shard.domains.visit(host, partId, startBy));
  shard.reschedule(host, now);
  return { granted: true, wait_ms: waitMs };
}

/** Nobody waits for it any more, on its host or its domain. */
export function endVisit(shard: Shard, host: HostState): void {
  const row = shard.domains.visitOver(host, host.visit?.partId ?? "");
  if (row !== undefined) shard.batch.changeDomain(row);
  host.visit = undefined;
}

/**
 * Of the crawls that run, and of those that were stopped while leases of theirs are out: their edges may still ask. What
 * other coordinators have out isn't known: there a crawl counts for as long as a lease lasts after it was stopped.
 */
function strictestDelay({ parts }: Shard): number {
  const { clock, settings: { limits }, book } = parts;
  const now = clock.wallMs();
  const since = book.ownsAll ? now : now - limits.leaseMs - limits.fetchWallMs;
  let delayMs = 0;
  for (const crawl of parts.crawls.all()) {
    crawl.ranAt ??= now;
    if (crawl.isRunning || crawl.ranAt > since) delayMs = Math.max(delayMs, crawl.row.spec.politeness.delay_ms);
  }
  for (const shard of parts.shards) {
    for (const { crawlId } of shard?.leases.values() ?? []) {
      delayMs = Math.max(delayMs, parts.crawls.get(crawlId)?.row.spec.politeness.delay_ms ?? 0);
    }
  }
  return delayMs;
}
