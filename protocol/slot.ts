/**
 * Which of the 4,096 slots a registered domain belongs to, and who owns a slot.
 * Invariant: every coordinator and edge computes the same slot for a domain; the map only grows in version.
 */

export const SLOT_COUNT = 4096;
const SLOT_SHIFT = 52n;

/** The top 12 bits of the XXH64 (seed 0) of the registered domain's UTF-8: 0 to 4,095. */
export function slotOf(domainHash: bigint): number {
  return Number(BigInt.asUintN(64, domainHash) >> SLOT_SHIFT);
}

/** A versioned assignment of slots to shards. `starts[i]` is the first slot of shard i; ascending, `starts[0]` is 0. */
export interface SlotMap {
  readonly version: number;
  readonly starts: readonly number[];
}

/** `shardCount` shards of (nearly) equal slot ranges. */
export function evenSlotMap(shardCount: number, version = 1): SlotMap {
  return { version, starts: Array.from({ length: shardCount }, (_, i) => Math.ceil((i * SLOT_COUNT) / shardCount)) };
}

/** The index of the shard that owns `slot`. */
export function shardOf(map: SlotMap, slot: number): number {
  let shard = 0;
  while (shard + 1 < map.starts.length && map.starts[shard + 1]! <= slot) shard++;
  return shard;
}
