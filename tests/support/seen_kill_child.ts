/**
 * A process that is to be killed: offers keys to a seen-set on a libSQL file without end, offer n being a function of n
 * alone, with upkeep that never rests.
 * Invariant: a line is printed only after what it tells is durable.
 */

import { writeSync } from "node:fs";
import { argv } from "node:process";
import { SeenKeys } from "../../coordinator/frontier/seen/seen_keys.ts";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import { systemClock } from "../../runtime/node.ts";
import { SeenWorld } from "./seen_world.ts";

export const KEYS_PER_OFFER = 150;
/** Small, so that every few offers a run is written or merged. */
export const KILL_SETTINGS = { seenMemtableKeys: 400, seenCacheBlocks: 256, seenCacheKeys: 64, seenSnapshotKeys: 50 };

/** The keys of offer `n`, of a few clusters. */
export function killKeys(n: number): SeenKeys {
  const keys = new SeenKeys();
  for (let i = n * KEYS_PER_OFFER; i < (n + 1) * KEYS_PER_OFFER; i++) {
    keys.addUrl(i % 5, (BigInt(i + 1) * 0x9e3779b97f4a7c15n) & ((1n << 64n) - 1n), { low: 0, high: 0 });
  }
  return keys;
}

/** Offers that the seen-set holds, wholly. */
export function offersIn({ seen }: SeenWorld): number {
  const { runKeys, memtableKeys } = seen.facts();
  return (runKeys + memtableKeys) / KEYS_PER_OFFER;
}

async function offerForEver(location: string): Promise<void> {
  const store = openLibsqlShardStore({ location, clock: systemClock });
  await store.open("child", 1);
  const world = await SeenWorld.open({ core: await loadCore(), store, settings: KILL_SETTINGS });
  let n = offersIn(world);
  writeSync(1, `start ${n}\n`);
  for (;; n++) {
    await world.offer(killKeys(n));
    writeSync(1, `${n + 1}\n`);
    await systemClock.sleep(0);
  }
}

if (import.meta.main) await offerForEver(argv[2]!);
