/**
 * How long coordinators wait for each other.
 * Invariant: an owner is silent for at most two beats, which is well below what it takes to be called dead.
 */

export interface ClusterTimes {
  /** An owner commits at least this often, with nothing in it if need be; it answers from RAM no longer than this after a commit. */
  readonly beatMs: number;
  /** Time between two looks at the directory and at the shards of others. */
  readonly directoryMs: number;
  /** A shard whose database stood still for so long by the watcher's monotonic clock is taken over. */
  readonly ownerTtlMs: number;
  /** Who has read nothing of the directory for ownerTtlMs less this leases nothing. */
  readonly marginMs: number;
  /** How long an operator's word is waited for until all coordinators obey it. */
  readonly obeyMs: number;
}

export const CLUSTER_TIMES: ClusterTimes = {
  beatMs: 1_000,
  directoryMs: 1_000,
  ownerTtlMs: 10_000,
  marginMs: 3_000,
  obeyMs: 5_000,
};

/** Defaults, overridden by what is given. Throws a sentence when they can't go together. */
export function clusterTimes(given: Partial<ClusterTimes> = {}): ClusterTimes {
  const times = { ...CLUSTER_TIMES, ...given };
  const { beatMs, directoryMs, ownerTtlMs, marginMs } = times;
  const least = marginMs + 2 * Math.max(beatMs, directoryMs);
  if (beatMs > 0 && directoryMs > 0 && ownerTtlMs > least) return times;
  throw new Error(
    `Setting up several coordinators: found beatMs ${beatMs}, directoryMs ${directoryMs}, ownerTtlMs ${ownerTtlMs}, ` +
      `marginMs ${marginMs}; wanted an ownerTtlMs above ${least}: the margin and two beats or looks.`,
  );
}
