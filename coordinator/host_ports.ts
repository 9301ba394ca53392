/**
 * What the control plane keeps of one host, and shows of it, beyond its clocks (ports.ts, HostRow).
 * Invariant: plain values; lists are replaced, never changed.
 */

import type { HostKey } from "../protocol/mod.ts";

/** What is known of a host as one region sees it (frontier/region_facts.ts). */
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

/** Which region a host is leased to (frontier/placement.ts). */
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
  readonly placement: HostPlacement;
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
