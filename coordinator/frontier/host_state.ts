/**
 * One host in RAM: its clocks, its back queues, its lease.
 * Invariant: the fields of HostRow here equal the store's row between two rounds of the writer.
 */

import type { HostRow } from "../ports.ts";
import type { CrawlId, Fingerprint, HostKey, Lease, LeaseId, Origin, WorkerId } from "../../protocol/mod.ts";
import type { LeaseRow, UrlRow } from "../ports.ts";
import type { BackQueue } from "./queues/back_queue.ts";
import type { Placed } from "./regions/placement.ts";
import type { HostClocks } from "./clocks/politeness.ts";
import type { Scheduled } from "./queues/schedule.ts";

export interface LeaseState {
  readonly leaseId: LeaseId;
  readonly epoch: number;
  readonly crawlId: CrawlId;
  readonly workerId: WorkerId;
  readonly host: HostState;
  readonly grantedAt: number;
  readonly gapMs: number;
  readonly delayCapMs: number;
  expiresAt: number;
  /** Wall ms at which the first request was allowed. */
  readonly firstStartAt: number;
  /** Requests reported under it. */
  requests: number;
  /** The edge said that the last request under it has ended. */
  clockFreed: boolean;
  /** A target came back without a request: the host rests a moment, so that nothing spins. */
  hasDeferred: boolean;
  /** True: it counts against the limits of its domain and its addresses. */
  readonly isPolite: boolean;
  readonly maxParallel: number;
  /** The address of which a part is kept free for it; "" = none. */
  promisedAddress: string;
  /** Addresses that its edge asked permits for, since the start. */
  readonly addresses: Set<string>;
  /** One of them is another coordinator's, which may have refused. */
  isReferred: boolean;
  /** Requests on other hosts that it was permitted, since the start, and those hosts. */
  permits: number;
  readonly visited: Set<HostKey>;
  /** Page targets still unsettled. */
  readonly pages: Map<Fingerprint, UrlRow>;
  /** Origins whose robots.txt it has yet to report. */
  readonly robotsOrigins: Set<Origin>;
  /** Where its worker stands; "" = it didn't say. */
  readonly region: string;
}

export interface HostState extends HostClocks, Scheduled, Placed {
  readonly slot: number;
  readonly host: HostKey;
  readonly domain: string;
  epoch: number;
  policyMaxParallel: number;
  paused: boolean;
  blockedReason: string;
  /** See HostRow. */
  address: string;
  readonly queues: BackQueue[];
  /** Index of the queue whose turn it is: a host rotates among its crawls. */
  turn: number;
  lease: LeaseState | undefined;
  /** Wall ms until which no lease is granted, since a permit is waited for. Of this process only. */
  keptFreeUntil: number;
  /**
   * A request by permit that may be under way: nobody else asks until the lease tells what came of it, or it must be
   * over (wall ms). Of this process only.
   */
  visit: {
    readonly leaseId: LeaseId;
    readonly until: number;
    /** Its part of the domain's window; "" = it has none. */
    readonly partId: string;
  } | undefined;
  /** Requests by permit that failed in a row. Of this process only. */
  visitFailures: number;
  /** Leases in a row that came back without a request, after other coordinators were asked for addresses. Of this process only. */
  turnedAway: number;
  /** Origins that URLs of this host were seen to have, since the start. */
  readonly origins: Set<Origin>;
}

/** A host that nothing is known of yet. */
export function newHost(key: { slot: number; host: HostKey; domain: string }): HostState {
  return {
    slot: key.slot,
    host: key.host,
    domain: key.domain,
    epoch: 0,
    nextStartAt: 0,
    crawlDelayMs: 0,
    responseMs: 0,
    backoffMs: 0,
    failuresInRow: 0,
    successesInRow: 0,
    policyDelayMs: -1,
    policyMaxParallel: -1,
    paused: false,
    blockedReason: "",
    address: "",
    queues: [],
    turn: 0,
    lease: undefined,
    keptFreeUntil: 0,
    visit: undefined,
    visitFailures: 0,
    turnedAway: 0,
    origins: new Set(),
    ticket: 0,
    placedAt: NaN,
    placedBand: 0,
    placedRegion: "",
    placedFirmly: false,
    readySince: NaN,
    regions: [],
    homeRegion: "",
    policyRegion: "",
    nextRegion: "",
    isProbe: false,
  };
}

export function hostFromRow(row: HostRow): HostState {
  return { ...newHost(row), ...row };
}

export function hostRow(state: HostState): HostRow {
  const { slot, host, domain, epoch, nextStartAt, crawlDelayMs, responseMs, backoffMs } = state;
  const { failuresInRow, successesInRow, policyDelayMs, policyMaxParallel, paused, blockedReason } = state;
  const { regions, homeRegion, policyRegion, address } = state;
  return {
    slot,
    host,
    domain,
    epoch,
    nextStartAt,
    crawlDelayMs,
    responseMs,
    backoffMs,
    failuresInRow,
    successesInRow,
    policyDelayMs,
    policyMaxParallel,
    paused,
    blockedReason,
    regions,
    homeRegion,
    policyRegion,
    address,
  };
}

export function leaseRow(lease: LeaseState): LeaseRow {
  return {
    slot: lease.host.slot,
    host: lease.host.host,
    domain: lease.host.domain,
    leaseId: lease.leaseId,
    epoch: lease.epoch,
    crawlId: lease.crawlId,
    workerId: lease.workerId,
    grantedAt: lease.grantedAt,
    expiresAt: lease.expiresAt,
    gapMs: lease.gapMs,
    maxParallel: lease.maxParallel,
    isPolite: lease.isPolite,
    fingerprints: [...lease.pages.keys()],
    robotsOrigins: [...lease.robotsOrigins],
    region: lease.region,
  };
}

/** Requests at once that a lease may make: the stricter of crawl and policy. */
export function parallelOf(host: HostState, crawlParallel: number): Lease["max_parallel"] {
  const most = Math.max(1, Math.floor(crawlParallel));
  return host.policyMaxParallel > 0 ? Math.min(most, host.policyMaxParallel) : most;
}
