/**
 * Makes a shard's RAM from its store, at start and after a failed commit.
 * Invariant: nothing is leased before the filters are rebuilt; an open lease gets its full duration again.
 */

import type { BackQueueSummary, LeaseRow, ShardSnapshot, ShardStore, UrlRow } from "../ports.ts";
import type { SlotMark } from "../slot_ports.ts";
import { BackQueue } from "./queues/back_queue.ts";
import { usedInCycle } from "./door/budget.ts";
import { copyCounts } from "./counters.ts";
import { hostFromRow, type HostState, type LeaseState } from "./host_state.ts";
import { abandonedGapMs } from "./clocks/politeness.ts";
import type { SeenCopies } from "./seen/seen_copies.ts";
import { ROBOTS_BLOCK } from "./robots/settle_robots.ts";
import { type FrontierParts, Shard } from "./shard.ts";
import { shifted } from "./handover/shift.ts";
import { announceSitemaps } from "./robots/sitemaps.ts";

export interface LoadOptions {
  readonly index: number;
  readonly store: ShardStore;
  /** The first load of this process, when the leases of its dead predecessor end. */
  readonly isStart: boolean;
  readonly copies: SeenCopies | undefined;
  /** How far this process' clock is ahead of that of the owner who wrote the rows, ms. */
  readonly aheadMs: number;
  /** Starts up to this wall time of that owner had come true when it wrote its last: they stay as they are. */
  readonly aheadAfterMs?: number | undefined;
}

const STILL: ReadonlySet<SlotMark["state"]> = new Set(["drained", "arriving", "arrived"]);

export async function loadShard(parts: FrontierParts, options: LoadOptions): Promise<Shard> {
  const { index, store, isStart, copies, aheadMs, aheadAfterMs } = options;
  const whole = await store.load();
  const shard = new Shard(index, parts, copies);
  for (const mark of whole.marks) shard.marks.put(mark);
  // Rows that stand still, or that came under another clock, aren't shifted now: their mark says so, with the first
  // commit under this clock.
  for (const mark of whole.marks) {
    if (STILL.has(mark.state) && aheadMs > 0) shard.mark({ ...mark, aheadMs: (mark.aheadMs ?? 0) + aheadMs });
  }
  const snapshot = shifted(withoutAbsent(whole), aheadMs, aheadAfterMs);
  shard.batchSeq = snapshot.batchSeq;
  shard.nextUrlSeq = snapshot.nextUrlSeq;
  shard.nextCaptureSeq = snapshot.nextCaptureSeq;
  loadLimits(shard, snapshot);
  loadHosts(shard, snapshot);
  loadCounters(shard, snapshot);
  await loadLeases(shard, { ...snapshot, leases: snapshot.leases.map((row) => since(row, aheadMs)) }, store);
  loadTallies(shard, snapshot);
  if (snapshot.outboxRows > 0) {
    for (const row of await store.readOutbox(snapshot.outboxRows)) shard.outbox.add(row, true);
  }
  await loadSeen(shard, store);
  const now = parts.clock.wallMs();
  parts.shards[index] = shard;
  // Hosts of other shards that wait for addresses of this one were told by its predecessor.
  for (const other of parts.shards) other?.parkedAtAddress.openedAll();
  if (isStart) endDeadLeases(shard, now);
  for (const host of shard.hosts.values()) shard.reschedule(host, now);
  announceKnown(shard);
  return shard;
}

/**
 * The next batch keeps the starts that are to come and those of open leases, where they were loaded later than they stand in
 * the store: who loads the shard next may know nothing of the clock that wrote them.
 */
export function keepStarts(shard: Shard, now: number): void {
  for (const host of shard.hosts.values()) if (host.nextStartAt > now) shard.batch.changeHost(host);
  for (const lease of shard.leases.values()) shard.batch.putLease(lease);
}

/** What RAM holds of one slot. */
export type SlotState = Pick<
  ShardSnapshot,
  "hosts" | "origins" | "domains" | "addresses" | "backQueues" | "tallies"
>;

/** Slots that come, or have gone, aren't in RAM whatever of them is in the store. */
function withoutAbsent(snapshot: ShardSnapshot): ShardSnapshot {
  const absent = new Set<number>();
  for (const { slot, state } of snapshot.marks) if (state !== "freezing" && state !== "drained") absent.add(slot);
  if (absent.size === 0) return snapshot;
  const present = <T extends { readonly slot: number }>(rows: readonly T[]) =>
    rows.filter(({ slot }) => !absent.has(slot));
  const { hosts, origins, leases, domains, addresses, backQueues, tallies } = snapshot;
  return {
    ...snapshot,
    hosts: present(hosts),
    origins: present(origins),
    leases: present(leases),
    domains: present(domains),
    addresses: present(addresses),
    backQueues: present(backQueues),
    // Those of no one host lie in slot 0, whoever has that.
    tallies: tallies.filter(({ slot, host }) => host === "" || !absent.has(slot)),
  };
}

/** Takes a slot that came from another shard into RAM; the hosts that came. */
export function loadSlot(shard: Shard, state: SlotState): Set<HostState> {
  loadLimits(shard, state);
  loadHosts(shard, state);
  loadQueues(shard, state.backQueues, new Map());
  loadTallies(shard, state);
  const names = new Set([...state.hosts, ...state.backQueues].map(({ host }) => host));
  return new Set([...names].map((name) => shard.hosts.get(name)!));
}

/** A crash may have come between a robots.txt and what it made known. */
function announceKnown(shard: Shard): void {
  for (const row of shard.origins.values()) {
    if (row.sitemaps.length === 0) continue;
    for (const { crawlId } of shard.hosts.get(row.host)?.queues ?? []) {
      const crawl = shard.parts.crawls.get(crawlId);
      if (crawl?.isRunning) announceSitemaps(shard, crawl, row);
    }
  }
}

async function loadSeen({ index, parts, seen }: Shard, store: ShardStore): Promise<void> {
  const origins = await seen.load(parts.core, store);
  const torn = origins.filter((origin) => origin !== "store");
  if (torn.length === 0) return;
  const rebuilt = torn.filter((origin) => origin === "rebuilt").length;
  parts.log.warn("filters of the seen-set were torn or missing", {
    shard: index,
    copied: torn.length - rebuilt,
    rebuilt,
  });
}

function loadLimits(shard: Shard, snapshot: Pick<SlotState, "hosts" | "domains" | "addresses">): void {
  for (const row of snapshot.domains) shard.domains.load(row);
  for (const row of snapshot.addresses) shard.addresses.load(row);
  const now = shard.parts.clock.wallMs();
  for (const { domain, nextStartAt } of snapshot.hosts) {
    if (nextStartAt > 0) shard.domains.startedBefore(domain, Math.min(now, nextStartAt), now);
  }
}

function loadHosts(shard: Shard, snapshot: Pick<SlotState, "hosts" | "origins">): void {
  for (const row of snapshot.hosts) {
    const host = hostFromRow(row);
    loadPlacement(shard, host);
    shard.hosts.set(row.host, host);
    if (row.blockedReason.startsWith(ROBOTS_BLOCK)) shard.skippedHosts.add(host);
  }
  for (const row of snapshot.origins) {
    shard.origins.set(row.origin, row);
    if (row.failingSince === 0 || row.lastGoodDigest !== "") shard.deadOrigins.answered(row.origin);
    const host = shard.hosts.get(row.host);
    if (host !== undefined) shard.noteOrigin(host, `${row.origin}/`);
  }
}

/** Regions get the time to ask again before their hosts go to others. */
function loadPlacement(shard: Shard, host: HostState): void {
  const now = shard.parts.clock.wallMs();
  host.homeRegion = shard.regions.admit(host.homeRegion, now);
  // An operator's word holds, whether or not an edge was seen there.
  host.nextRegion = host.policyRegion !== "" ? host.policyRegion : host.homeRegion;
}

function loadCounters(shard: Shard, snapshot: ShardSnapshot): void {
  for (const row of snapshot.counters) shard.counters.set(row.crawlId, copyCounts(row));
}

/** After the queues, from which the domains' use is summed up. */
function loadTallies(shard: Shard, snapshot: Pick<SlotState, "backQueues" | "tallies">): void {
  const queued = new Set(snapshot.backQueues.map(({ crawlId, host }) => `${crawlId} ${host}`));
  for (const row of snapshot.tallies) shard.tallies.load(row, !queued.has(`${row.crawlId} ${row.host}`));
  for (const { crawlId, host, accepted } of snapshot.backQueues) {
    const tally = shard.tallies.find(crawlId, host);
    const cycle = tally?.cycle ?? 0;
    const used = usedInCycle(tally, accepted, cycle);
    shard.domainUse.add(crawlId, shard.parts.directory.placeOf(host).domain, cycle, used);
  }
}

/** A lease whose start stands in the rows by another's clock. What may follow on it is counted from there. */
function since(row: LeaseRow, aheadMs: number): LeaseRow {
  return { ...row, grantedAt: row.grantedAt + aheadMs };
}

async function loadLeases(shard: Shard, snapshot: ShardSnapshot, store: ShardStore): Promise<void> {
  const leased = new Map<string, number>();
  const pages = new Map<LeaseRow, UrlRow[]>();
  for (const row of snapshot.leases) {
    const { slot, crawlId, fingerprints } = row;
    const rows = await store.urls(fingerprints.map((fingerprint) => ({ slot, crawlId, fingerprint })));
    const ready = rows.filter((url) => url?.state === "ready") as UrlRow[];
    pages.set(row, ready);
    leased.set(`${crawlId} ${row.host}`, ready.length);
  }
  loadQueues(shard, snapshot.backQueues, leased);
  // In one go: other shards look at the crawls' budgets meanwhile.
  for (const crawl of shard.parts.crawls.all()) {
    crawl.pages[shard.index] = shard.counters.get(crawl.id)?.pages ?? 0;
    crawl.leased[shard.index] = 0;
    crawl.freed[shard.index] = 0;
  }
  for (const [row, urls] of pages) shard.addLease(openLease(shard, row, urls));
}

/** `leased`: how many ready URLs of each are out. */
function loadQueues(
  shard: Shard,
  backQueues: readonly BackQueueSummary[],
  leased: ReadonlyMap<string, number>,
): void {
  for (const summary of backQueues) {
    const { slot, host: name, crawlId } = summary;
    const { domain } = shard.parts.directory.placeOf(name);
    const host = shard.hostOf({ host: name, slot, domain });
    shard.addQueue(host, BackQueue.load(summary, leased.get(`${crawlId} ${name}`) ?? 0));
  }
}

function openLease(shard: Shard, row: LeaseRow, urls: readonly UrlRow[]): LeaseState {
  const { parts } = shard;
  const now = parts.clock.wallMs();
  const crawl = parts.crawls.get(row.crawlId);
  const { domain } = row;
  const host = shard.hostOf({ host: row.host, slot: row.slot, domain });
  return {
    leaseId: row.leaseId,
    epoch: row.epoch,
    crawlId: row.crawlId,
    workerId: row.workerId,
    host,
    grantedAt: row.grantedAt,
    gapMs: row.gapMs,
    delayCapMs: crawl?.row.spec.politeness.delay_cap_ms ?? row.gapMs,
    expiresAt: now + parts.settings.limits.leaseMs,
    firstStartAt: row.grantedAt,
    requests: 0,
    clockFreed: false,
    hasDeferred: false,
    maxParallel: row.maxParallel,
    isPolite: row.isPolite,
    promisedAddress: "",
    addresses: new Set(),
    isReferred: false,
    permits: 0,
    visited: new Set(),
    pages: new Map(urls.map((url) => [url.fingerprint, url])),
    robotsOrigins: new Set(row.robotsOrigins),
    region: shard.regions.admit(row.region, now),
  };
}

/** Its worker is known to be dead: what it started last may have been just now, so the host waits one gap. */
function endDeadLeases(shard: Shard, now: number): void {
  const { deadWorker } = shard.parts.settings;
  if (deadWorker === "") return;
  for (const row of shard.addresses.releaseAllOf(deadWorker, now)) shard.batch.changeAddress(row);
  for (const lease of [...shard.leases.values()]) {
    if (lease.workerId !== deadWorker) continue;
    const politeness = shard.parts.crawls.get(lease.crawlId)?.row.spec.politeness;
    const gap = abandonedGapMs(lease, politeness, shard.parts.settings.limits);
    lease.host.nextStartAt = Math.max(lease.host.nextStartAt, now + gap);
    shard.endLease(lease, now, { startAt: now, parallelUntil: -Infinity });
  }
}
