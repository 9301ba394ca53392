/**
 * Which slot moves next, so that all shards come to have as many.
 * Invariant: pure and the same for everyone who sees the same directory, but for the choice among the giver's slots, which
 * its owner makes; each move brings two shards closer, so it ends.
 */

import { shardOf, SLOT_COUNT, type SlotMap } from "../../../protocol/mod.ts";
import type { Shard } from "../shard.ts";

/** A slot with so large a share of its shard's URLs isn't moved: it can't be split, and the other shard would be the full one. */
const GIANT_SHARE = 0.5;
/** Below so many URLs nothing is called a giant. */
const GIANT_URLS = 10_000;

/** How many slots each shard has, by index. */
export function slotsPerShard(map: SlotMap): number[] {
  const counts = new Array<number>(map.shards).fill(0);
  for (let slot = 0; slot < SLOT_COUNT; slot++) counts[shardOf(map, slot)]!++;
  return counts;
}

/** The shard with most slots, and the one with fewest (of equals the first); undefined when no move would even them out. */
export function nextPair(map: SlotMap): { readonly from: number; readonly to: number } | undefined {
  const counts = slotsPerShard(map);
  const from = counts.indexOf(Math.max(...counts));
  const to = counts.indexOf(Math.min(...counts));
  return counts[from]! - counts[to]! < 2 ? undefined : { from, to };
}

/** The slot of a shard that holds most of its URLs, if that is more than a share that can be evened out. */
export function giantOf(
  urlsOfSlot: ReadonlyMap<number, number>,
): { readonly slot: number; readonly share: number } | undefined {
  let total = 0;
  let giant = { slot: -1, urls: 0 };
  for (const [slot, urls] of urlsOfSlot) {
    total += urls;
    if (urls > giant.urls) giant = { slot, urls };
  }
  const share = total === 0 ? 0 : giant.urls / total;
  return share >= GIANT_SHARE && giant.urls >= GIANT_URLS ? { slot: giant.slot, share } : undefined;
}

/** URLs that were ever accepted in each slot of a shard. */
export function urlsPerSlot({ hosts }: Pick<Shard, "hosts">): Map<number, number> {
  const urls = new Map<number, number>();
  for (const { slot, queues } of hosts.values()) {
    for (const { accepted } of queues) urls.set(slot, (urls.get(slot) ?? 0) + accepted);
  }
  return urls;
}

/** The last of the shard's slots, so that stretches stay long; never `but`. */
export function slotToGive(map: SlotMap, from: number, but?: number): number | undefined {
  for (let slot = SLOT_COUNT - 1; slot >= 0; slot--) {
    if (slot !== but && shardOf(map, slot) === from) return slot;
  }
  return undefined;
}
