/**
 * What the control plane keeps of one host, and shows of it, beyond its clocks (ports.ts, HostRow).
 * Invariant: plain values; lists are replaced, never changed.
 */

import type { CrawlId, HostKey, LeaseId, WorkerId } from "../protocol/mod.ts";

/** What is known of a host as one region sees it (frontier/regions/region_facts.ts). */
export interface RegionFacts {
  readonly region: string;
  /** TCP times of its last new connections, ms, at most five, the newest last. */
  readonly connectTimesMs: readonly number[];
  /** Leases that it was given. */
  readonly tries: number;
  /** Weighted refusals (no connection, 403, 451) in a row; 0 = none since the last answer. */
  readonly refusals: number;
  /** Wall ms of the first of them; 0 = none. */
  readonly refusedSince: number;
  /** Wall ms of an answer that was no refusal, to the minute; 0 = never. */
  readonly answeredAt: number;
  /** Wall ms of its last lease; 0 = never. */
  readonly leasedAt: number;
}

/** Which region a host is leased to (frontier/regions/placement.ts). */
export interface HostPlacement {
  /** The nearest, as far as known; "" = not known. */
  readonly home: string;
  /** The only one that may ask, by policy; "" = any. */
  readonly pinned: string;
  /** What the next lease is meant for; "" = whichever comes. */
  readonly next: string;
  /** "" = it isn't leased. */
  readonly leasedTo: string;
  readonly regions: readonly {
    readonly region: string;
    /** Least TCP connect time of the last five; absent = none is known. */
    readonly connectMs?: number;
    readonly tries: number;
    readonly refusals: number;
    readonly isGeoBlocked: boolean;
    /** No edge of it asks for leases. */
    readonly isSilent: boolean;
    /** Wall ms; 0 = never. */
    readonly lastLeasedAt: number;
  }[];
}

/** What is known of one host, for its operator. */
export interface HostView {
  readonly host: HostKey;
  readonly domain: string;
  /** The address (IPv6: network) that an edge connected to last; "" = none yet. */
  readonly address: string;
  readonly placement: HostPlacement;
  readonly clocks: HostClocksView;
  /** What an operator said of it; -1 = nothing. */
  readonly policy: { readonly delayMs: number; readonly maxParallel: number; readonly paused: boolean };
  /** Not empty: nothing of it is leased, for this reason. */
  readonly blockedReason: string;
  /** The lease that is out. */
  readonly lease?: { readonly leaseId: LeaseId; readonly crawlId: CrawlId; readonly workerId: WorkerId };
  /** Crawls that have URLs of it or have refused some. */
  readonly crawls: readonly HostCrawlView[];
}

export interface HostClocksView {
  /** ms until a request may start; 0 = now. */
  readonly nextStartInMs: number;
  readonly crawlDelayMs: number;
  /** How slowly it answers of late. */
  readonly responseMs: number;
  readonly backoffMs: number;
  readonly failuresInRow: number;
}

/** A host in one crawl. */
export interface HostCrawlView {
  readonly crawlId: CrawlId;
  readonly ready: number;
  readonly waiting: number;
  /** URLs ever accepted. */
  readonly accepted: number;
  readonly budget: {
    /** Wall ms at which the cycle ends, and all of this begins anew. */
    readonly cycleEndsAt: number;
    readonly used: number;
    readonly limit: number;
    readonly domainUsed: number;
    readonly domainLimit: number;
    readonly queueLimit: number;
  };
  /** Pages looked at of late, how many had the content of another URL of the host, and whether that cut its budget. */
  readonly pages: number;
  readonly duplicates: number;
  readonly isCut: boolean;
  /** URLs refused at the door, by reason. */
  readonly rejectedByReason: Readonly<Record<string, number>>;
}

/** An operator's word on one host; what is absent stays as it is. */
export interface HostPolicy {
  /** Least gap, ms; 0 takes an earlier policy back. */
  readonly minDelayMs?: number;
  /** Most requests at once; 0 takes an earlier policy back. */
  readonly maxParallel?: number;
  readonly paused?: boolean;
  /** Not empty: nothing is leased, for this reason; "" unblocks. */
  readonly blockedReason?: string;
  /** Not empty: only this region's edges may ask; "" lets all. */
  readonly region?: string;
}
