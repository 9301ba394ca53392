/**
 * What an operator may set about the frontier, with defaults.
 * Invariant: limits shared with the edge come from protocol/limits.ts; only sizes of RAM and batches stand here.
 */

import { CDN_RANGES } from "./clocks/cdn_ranges.ts";
import { LIMITS, type Limits, type WorkerId } from "../../protocol/mod.ts";

/** Every limit of protocol/limits.ts, as a number that may differ from the default. */
export type FrontierLimits = { readonly [Name in keyof Limits]: number };

export interface FrontierSettings {
  readonly limits: FrontierLimits;
  /** Ready URLs that one back queue keeps in RAM; the rest is read from the store when wanted. */
  readonly headsPerQueue: number;
  /**
   * Ready URLs in RAM over all queues of a shard. From half of it on a queue keeps only `headsWhenFull`; at it queues don't
   * grow, and only those whose hosts are about to be leased read from the store, `headsWhenFull` each.
   */
  readonly headsPerShard: number;
  readonly headsWhenFull: number;
  /** Recently confirmed fingerprints that a shard remembers; 8 bytes each; a power of two. */
  readonly seenCacheKeys: number;
  /** Keys of the seen-set in RAM before they are written as a run; some 40 bytes each, two times this many at most. */
  readonly seenMemtableKeys: number;
  /** Blocks of the seen-set that a shard keeps in RAM at most; 4,040 bytes each, some 500 keys. At least 256. */
  readonly seenCacheBlocks: number;
  /** Time between two snapshots: then a memtable of at least `seenSnapshotKeys` becomes a run, and filters are copied. */
  readonly seenSnapshotMs: number;
  readonly seenSnapshotKeys: number;
  /** URLs whose further in-links a shard counts at a time; 4 bytes each; a power of two. */
  readonly inLinkEntries: number;
  /** Contents of pages, and texts, that a shard remembers to know duplicates by; 20 bytes each; a power of two. */
  readonly contentKeys: number;
  /**
   * A commit waits up to this long for company, counted from the end of the one before, while others who hold leases may
   * still come: until as many operations wait as leases are open, or half as many whose callers can't go on without, or
   * nobody came in a fifth of the time. 0 = never.
   */
  readonly groupCommitMs: number;
  /** Operations that one commit carries at most. */
  readonly operationsPerCommit: number;
  /** Operations that may wait for a shard; more are refused. */
  readonly operationsWaiting: number;
  /** How long a host that may be leased waits for its region before any other gets it, ms. 0 = nobody is waited for. */
  readonly affinityPatienceMs: number;
  /** A region whose edges ask for nothing for so long isn't waited for, ms. */
  readonly regionSilentMs: number;
  /** Share of leases that go to another region than the nearest, to learn what has changed. */
  readonly probeShare: number;
  /** Targets in a lease that only finds out how near a region is. */
  readonly probeTargets: number;
  /** Time between two sweeps. */
  readonly sweepMs: number;
  /** True: a storage key must begin with the reporting worker's id and a slash (several edges, one blob store). */
  readonly keysUnderWorker: boolean;
  /**
   * Leases of this worker that are found open at start belong to a process that is known to be dead (the one-process
   * crawl after a crash): they end at once, and their hosts wait one gap. "" = none.
   */
  readonly deadWorker: WorkerId | "";
  /** CIDR ranges whose addresses have no clock: fronts of many sites. */
  readonly exemptAddresses: readonly string[];
}

export const FRONTIER_DEFAULTS: FrontierSettings = {
  limits: LIMITS,
  headsPerQueue: 128,
  headsPerShard: 200_000,
  headsWhenFull: 16,
  seenCacheKeys: 1 << 20,
  seenMemtableKeys: 1 << 16,
  seenCacheBlocks: 24_576,
  seenSnapshotMs: 60_000,
  seenSnapshotKeys: 4_096,
  inLinkEntries: 1 << 18,
  contentKeys: 1 << 17,
  groupCommitMs: 50,
  operationsPerCommit: 1_000,
  operationsWaiting: 20_000,
  affinityPatienceMs: 5_000,
  regionSilentMs: 15_000,
  probeShare: 0.05,
  probeTargets: 5,
  sweepMs: 1_000,
  keysUnderWorker: false,
  deadWorker: "",
  exemptAddresses: CDN_RANGES,
};

/** Defaults, overridden by what is given. */
export function frontierSettings(given: Partial<FrontierSettings> = {}): FrontierSettings {
  const settings = { ...FRONTIER_DEFAULTS, ...given };
  for (const name of ["seenCacheKeys", "inLinkEntries", "contentKeys"] as const) {
    const value = settings[name];
    if (value >= 4 && (value & (value - 1)) === 0) continue;
    throw new Error(`Setting up the frontier: ${name} is ${value}; wanted a power of two from 4.`);
  }
  return settings;
}
