/**
 * What time alone changes: leases expire, hosts that robots.txt makes us skip are emptied.
 * Invariant: bounded work per sweep; a host whose lease expired isn't leased before its edge's last request must be over.
 */

import type { CrawlId } from "../../../protocol/mod.ts";
import type { BackQueue } from "../queues/back_queue.ts";
import type { HostState, LeaseState } from "../host_state.ts";
import { abandonedGapMs } from "../clocks/politeness.ts";
import type { Operation, Round } from "../round.ts";
import { ROBOTS_BLOCK } from "../robots/settle_robots.ts";
import type { Shard } from "../shard.ts";

/** URLs that one sweep settles as excluded. */
const EXCLUDED_PER_SWEEP = 5_000;
/** Rows of addresses that one sweep deletes. */
const ADDRESSES_PER_SWEEP = 1_000;

/** Tallies that one sweep writes. */
const TALLIES_PER_SWEEP = 2_000;

/** What one shard held of one crawl when it was swept. */
export interface Census {
  readonly accepted: number;
  readonly settled: number;
  readonly sent: number;
  readonly received: number;
  readonly leases: number;
  readonly outboxRows: number;
}

export class SweepOperation implements Operation<Map<CrawlId, Census>> {
  apply(round: Round): Map<CrawlId, Census> {
    for (const lease of round.shard.leases.values()) if (lease.expiresAt <= round.now) expire(round, lease);
    emptySkippedHosts(round);
    deleteFinished(round.shard, round.now);
    writeTallies(round, TALLIES_PER_SWEEP);
    return takeCensus(round);
  }
}

/** Rows of domains and addresses that say nothing any more. */
function deleteFinished(shard: Shard, now: number): void {
  shard.domains.tick(now);
  shard.addresses.tick(now);
  for (const row of shard.domains.takeFinished()) shard.batch.changeDomain(row);
  for (const row of shard.addresses.takeFinished(ADDRESSES_PER_SWEEP)) shard.batch.changeAddress(row);
}

/** What was counted since and decides nothing at once. */
function writeTallies({ shard }: Round, most: number): void {
  for (const tally of shard.tallies.takeLate(most)) shard.batch.changeTally(tally);
}

/** Before the shard is closed: whatever no sweep has written yet. */
export const lastWordOperation: Operation<void> = { apply: (round) => writeTallies(round, Infinity) };

function takeCensus({ shard, now }: Round): Map<CrawlId, Census> {
  const leases = new Map<CrawlId, number>();
  for (const { crawlId } of shard.leases.values()) leases.set(crawlId, (leases.get(crawlId) ?? 0) + 1);
  const census = new Map<CrawlId, Census>();
  for (const crawl of shard.parts.crawls.all()) {
    if (!crawl.isRunning) continue;
    crawl.ranAt = now;
    const { accepted, settled, sent, received } = shard.countsOf(crawl.id);
    const outboxRows = shard.outbox.countOf(crawl.id);
    census.set(crawl.id, { accepted, settled, sent, received, leases: leases.get(crawl.id) ?? 0, outboxRows });
  }
  return census;
}

/** The edge may have started a request just before the deadline: it can last for the fetch limit, then the gap counts. */
export function expire(round: Round, lease: LeaseState): void {
  const { shard, now } = round;
  const { host } = lease;
  if (!lease.clockFreed) {
    const { limits } = shard.parts.settings;
    const politeness = shard.parts.crawls.get(lease.crawlId)?.row.spec.politeness;
    const over = lease.expiresAt + limits.fetchWallMs + abandonedGapMs(lease, politeness, limits);
    host.nextStartAt = Math.max(host.nextStartAt, over);
  }
  shard.parts.log.info("lease expired", { lease: lease.leaseId, host: host.host, worker: lease.workerId });
  const parallelUntil = lease.expiresAt + shard.parts.settings.limits.fetchWallMs;
  shard.endLease(lease, now, { startAt: lease.expiresAt, parallelUntil });
}

function emptySkippedHosts(round: Round): void {
  let left = EXCLUDED_PER_SWEEP;
  for (const host of round.shard.skippedHosts) {
    if (host.lease !== undefined || left <= 0 || round.shard.marks.has(host.slot)) continue;
    if (!isStillSkipped(round, host)) continue;
    for (const queue of host.queues) left -= excludeAll(round, host, queue);
  }
}

/** The rules that made us skip the host are 24 h old: they are asked for again when something wants to be fetched. */
function isStillSkipped(round: Round, host: HostState): boolean {
  const { shard, now } = round;
  let isFresh = false;
  for (const origin of host.origins) isFresh ||= (shard.origins.get(origin)?.expiresAt ?? 0) > now;
  if (isFresh && host.blockedReason.startsWith(ROBOTS_BLOCK)) return true;
  shard.skippedHosts.delete(host);
  if (!host.blockedReason.startsWith(ROBOTS_BLOCK)) return false;
  host.blockedReason = "";
  host.crawlDelayMs = 0;
  shard.batch.changeHost(host);
  shard.reschedule(host, now);
  return false;
}

function excludeAll(round: Round, host: HostState, queue: BackQueue): number {
  const { shard, now } = round;
  const rows = queue.take(() => true);
  shard.headsInRam -= rows.length;
  const origins = Array.from(host.origins, (origin) => shard.origins.get(origin));
  const worker = origins.find((origin) => origin?.worker !== undefined)?.worker ?? "";
  for (const row of rows) {
    shard.batch.changeUrl({ ...row, state: "excluded", reason: host.blockedReason, worker });
  }
  if (rows.length > 0) {
    const counts = shard.changeCounts(queue.crawlId);
    counts.excluded += rows.length;
    counts.settled += rows.length;
  }
  if (queue.needsStore(1, now)) shard.hungry.add(queue);
  return rows.length;
}
