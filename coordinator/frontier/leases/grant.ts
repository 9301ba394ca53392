/**
 * The verb `lease`: gives hosts to a worker, one lease per host, each with as many targets as fit.
 * Invariant: a host is leased only when its clock, its domain, its crawl's state and budget and its origins' robots.txt
 * allow it, all looked at in one moment; the lease is in the batch before anyone hears of it.
 */

import type { Lease, RobotsRef, Target } from "../../../protocol/mod.ts";
import { fingerprintToHex, type LeaseRequest } from "../../../protocol/mod.ts";
import type { BackQueue } from "../queues/back_queue.ts";
import type { Crawl } from "../crawls/crawl.ts";
import { type HostState, type LeaseState, parallelOf } from "../host_state.ts";
import { noteGrant } from "../regions/learn_region.ts";
import { isShutOut } from "../regions/placement.ts";
import { gapMs, likelyGapMs, startsThatFit } from "../clocks/politeness.ts";
import type { Round } from "../round.ts";
import { announceSitemaps, isSitemapRow } from "../robots/sitemaps.ts";
import type { Shard } from "../shard.ts";
import { freeParked, offeredPace, type Pace } from "../clocks/start_limits.ts";
import { type Revisit, revisitsOf } from "./revisits.ts";
import { chooseTargets, type Chosen } from "./targets.ts";

/** Hosts that one request may look at for each lease it wants. */
const LOOKS_PER_LEASE = 4;
const LOOKS_AT_LEAST = 64;

export interface Grants {
  readonly leases: Lease[];
  readonly targets: number;
  readonly revisits: Revisit[];
}

/** What a worker wants; its region is one that the shard knows, or "". */
export type Want = Pick<LeaseRequest, "worker_id" | "region" | "max" | "max_leases">;

/** Grants up to `max_leases` leases with up to `max` targets together. */
export function grantLeases(round: Round, request: Want): Grants {
  const { shard, now } = round;
  const leases: Lease[] = [];
  const revisits: Revisit[] = [];
  const later: HostState[] = [];
  let targets = 0;
  freeParked(shard, now);
  freeBudgets(shard, now);
  const hosts = shard.schedule.view(request.region, now);
  const regions = { live: shard.regions.live(now), now };
  let looks = LOOKS_AT_LEAST + LOOKS_PER_LEASE * request.max_leases;
  while (leases.length < request.max_leases && targets < request.max && looks-- > 0) {
    const host = hosts.pick();
    if (host === undefined) break;
    const lease = isShutOut(host, request.region, regions)
      ? undefined
      : grantHost(round, host, { want: request, most: request.max - targets, revisits });
    if (lease === undefined) later.push(host);
    else {
      leases.push(lease);
      targets += lease.targets.length;
    }
  }
  for (const host of later) if (!shard.outOfBudget.has(host)) shard.reschedule(host, now);
  return { leases, targets, revisits };
}

/** Hosts that waited for a crawl's budget may try again. */
function freeBudgets(shard: Shard, now: number): void {
  for (const host of shard.outOfBudget) {
    if (
      !host.queues.some((queue) =>
        queue.ready > 0 && (shard.parts.crawls.get(queue.crawlId)?.pagesLeftIn(shard.index) ?? 0) > 0
      )
    ) {
      continue;
    }
    shard.outOfBudget.delete(host);
    shard.reschedule(host, now);
  }
}

interface Asked {
  readonly want: Want;
  readonly most: number;
  readonly revisits: Revisit[];
}

/** The host's next lease, or undefined when it turns out that it has to wait; then it is to be placed anew. */
function grantHost(round: Round, host: HostState, asked: Asked): Lease | undefined {
  const { shard, now } = round;
  const found = nextQueue(round, host);
  if (found === undefined) return undefined;
  const { queue, crawl } = found;
  const { limits } = shard.parts.settings;
  const { politeness } = crawl.row.spec;
  const wish: Pace = {
    gapMs: gapMs(host, politeness.delay_ms, limits),
    maxParallel: parallelOf(host, politeness.max_parallel),
  };
  const pace = crawl.isPolite ? offeredPace(shard, host, wish, now) : wish;
  if (pace === undefined) return undefined;
  const most = Math.min(
    asked.most,
    host.isProbe && asked.want.region !== host.homeRegion ? shard.parts.settings.probeTargets : limits.targetsPerLease,
    startsThatFit(likelyGapMs(pace.gapMs, host.responseMs, politeness), limits),
  );
  const chosen = chooseTargets(round, queue, { starts: most, pages: Math.min(most, crawl.pagesLeftIn(shard.index)) });
  if (chosen.rows.length === 0 && chosen.robots.length === 0) return undefined;
  const lease = newLease(round, { host, crawl, pace, chosen, want: asked.want });
  noteGrant(round, lease);
  for (const row of chosen.fresh) announceSitemaps(shard, crawl, row);
  shard.addLease(lease);
  shard.batch.putLease(lease);
  shard.batch.changeHost(host);
  host.nextStartAt = Math.max(host.nextStartAt, now);
  const message = leaseMessage(shard, lease, { crawl, chosen, now });
  asked.revisits.push(...revisitsOf(chosen.rows, message.targets.slice(chosen.robots.length)));
  return message;
}

/** The queue whose turn it is, among those that have something to lease now: a host rotates among its crawls. */
function nextQueue(round: Round, host: HostState): { queue: BackQueue; crawl: Crawl } | undefined {
  const { shard, now } = round;
  let spent = false;
  for (let step = 0; step < host.queues.length; step++) {
    const at = (host.turn + step) % host.queues.length;
    const queue = host.queues[at]!;
    const crawl = shard.parts.crawls.get(queue.crawlId);
    if (crawl === undefined || !crawl.isRunning || queue.blockedUntil > now) continue;
    if (queue.heads.length === 0) {
      if (queue.needsStore(1, now)) shard.hungry.add(queue);
      continue;
    }
    if (crawl.pagesLeftIn(shard.index) === 0) {
      spent = true;
      continue;
    }
    host.turn = (at + 1) % host.queues.length;
    return { queue, crawl };
  }
  if (spent) shard.outOfBudget.add(host);
  return undefined;
}

function newLease(
  round: Round,
  what: { host: HostState; crawl: Crawl; pace: Pace; chosen: Chosen; want: Want },
): LeaseState {
  const { host, crawl, pace, chosen, want } = what;
  const { parts } = round.shard;
  host.epoch++;
  return {
    leaseId: parts.random.hex(12),
    epoch: host.epoch,
    crawlId: crawl.id,
    workerId: want.worker_id,
    host,
    grantedAt: round.now,
    expiresAt: round.now + parts.settings.limits.leaseMs,
    firstStartAt: Math.max(round.now, host.nextStartAt),
    gapMs: pace.gapMs,
    maxParallel: pace.maxParallel,
    delayCapMs: crawl.row.spec.politeness.delay_cap_ms,
    requests: 0,
    clockFreed: false,
    hasDeferred: false,
    isPolite: crawl.isPolite,
    promisedAddress: "",
    addresses: new Set(),
    isReferred: false,
    permits: 0,
    visited: new Set(),
    pages: new Map(chosen.rows.map((row) => [row.fingerprint, row])),
    robotsOrigins: new Set(chosen.robots),
    region: want.region,
  };
}

function leaseMessage(
  shard: Shard,
  lease: LeaseState,
  what: { readonly crawl: Crawl; readonly chosen: Chosen; readonly now: number },
): Lease {
  const { crawl, chosen, now } = what;
  const { host } = lease;
  const { politeness } = crawl.row.spec;
  return {
    lease_id: lease.leaseId,
    epoch: lease.epoch,
    slot: host.slot,
    crawl: crawl.settings,
    host: host.host,
    domain: host.domain,
    expires_in_ms: lease.expiresAt - now,
    first_start_in_ms: lease.firstStartAt - now,
    gap_ms: lease.gapMs,
    delay_factor: crawl.isPolite ? politeness.delay_factor : 0,
    delay_cap_ms: politeness.delay_cap_ms,
    max_parallel: lease.maxParallel,
    robots: chosen.fresh.map((row): RobotsRef => ({
      origin: row.origin,
      class: row.class === "rules" ? "rules" : "allow_all",
      ...(row.class === "rules" ? { digest: row.digest } : {}),
      expires_in_ms: row.expiresAt - now,
    })),
    targets: targetMessages(shard, chosen),
  };
}

/** Robots targets stand before the pages that need them. */
function targetMessages(shard: Shard, chosen: Chosen): Target[] {
  const robots = chosen.robots.map((origin): Target => ({
    target_id: `robots:${origin}`,
    url: `${origin}/robots.txt`,
    kind: "robots",
    depth: 0,
    hop: 0,
    not_before_in_ms: 0,
  }));
  const keys = shard.parts.core.urls(chosen.rows.map((row) => row.url));
  const pages = chosen.rows.map((row, index): Target => ({
    target_id: fingerprintToHex(row.fingerprint),
    url: row.url,
    key: keys.key(index),
    kind: isSitemapRow(row) ? "sitemap" : "page",
    depth: row.depth,
    hop: row.hop,
    not_before_in_ms: 0,
  }));
  return [...robots, ...pages];
}
