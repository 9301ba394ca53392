/**
 * Which of the 4,096 slots a registered domain belongs to, which shard owns a slot, and which coordinator a shard.
 * Invariant: every coordinator and edge computes the same slot for a domain; the map only grows in version, and the
 * owner of a shard in term.
 */

export const SLOT_COUNT = 4096;
const SLOT_SHIFT = 52n;

/** The top 12 bits of the XXH64 (seed 0) of the registered domain's UTF-8: 0 to 4,095. */
export function slotOf(domainHash: bigint): number {
  return Number(BigInt.asUintN(64, domainHash) >> SLOT_SHIFT);
}

/** The coordinator that owns a shard, as far as is known. */
export interface ShardOwner {
  /** Base URL of its API; "" = the coordinator that was asked, or nobody. */
  readonly url: string;
  /** Its owner term: the larger one is the newer word. */
  readonly term: number;
}

/** A versioned assignment of slots to shards, and where the shards are. */
export interface SlotMap {
  /** Of the assignment: `runs` and `shards`. */
  readonly version: number;
  readonly shards: number;
  /** [first slot, shard] of each stretch of slots that one shard owns; ascending, the first begins at slot 0. */
  readonly runs: readonly (readonly [firstSlot: number, shard: number])[];
  /** By shard; absent = one coordinator owns all. */
  readonly owners?: readonly ShardOwner[];
}

/** `shards` shards of (nearly) equal slot ranges. */
export function evenSlotMap(shards: number, version = 1): SlotMap {
  const runs = Array.from({ length: shards }, (_, i) => [Math.ceil((i * SLOT_COUNT) / shards), i] as const);
  return { version, shards, runs };
}

/** The index of the shard that owns `slot`. */
export function shardOf({ runs }: SlotMap, slot: number): number {
  let low = 0;
  let high = runs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (runs[middle]![0] <= slot) low = middle;
    else high = middle - 1;
  }
  return runs[low]![1];
}

/** The map with `slot` given to `shard` (which may be a new one), one version on. */
export function withSlot(map: SlotMap, slot: number, shard: number): SlotMap {
  const runs: [number, number][] = [];
  for (let at = 0; at < SLOT_COUNT; at++) {
    const owner = at === slot ? shard : shardOf(map, at);
    if (runs.at(-1)?.[1] !== owner) runs.push([at, owner]);
  }
  return { ...map, version: map.version + 1, shards: Math.max(map.shards, shard + 1), runs };
}

/** What two words on the map say together: the newer assignment, and of each shard the newer owner. */
export function mergedMap(a: SlotMap, b: SlotMap): SlotMap {
  const newer = b.version > a.version ? b : a;
  if (a.owners === undefined && b.owners === undefined) return newer;
  const owners = Array.from({ length: newer.shards }, (_, shard) => {
    const [one, other] = [a.owners?.[shard], b.owners?.[shard]];
    if (one === undefined || other === undefined) return one ?? other ?? { url: "", term: 0 };
    return other.term > one.term ? other : one;
  });
  return { ...newer, owners };
}
