/**
 * What all adapters of the directory make of its rows.
 * Invariant: pure; of two coordinators that both say they own a shard the one with the newer term does.
 */

import type { CoordinatorEntry } from "../owner_ports.ts";
import type { ShardOwner } from "../../protocol/mod.ts";

const NOBODY: ShardOwner = { url: "", term: 0 };

export function ownersOf(shards: number, coordinators: readonly CoordinatorEntry[]): ShardOwner[] {
  const owners = new Array<ShardOwner>(shards).fill(NOBODY);
  for (const { url, shards: owned } of coordinators) {
    for (const { shard, term } of owned) {
      if (shard < shards && term > owners[shard]!.term) owners[shard] = { url, term };
    }
  }
  return owners;
}

export function noSuchMove(slot: number, state: string | undefined): Error {
  return new Error(
    `Giving slot ${slot} to its new shard: found ${
      state === undefined ? "no move of it" : `a move that is ${state}`
    }, ` +
      "wanted one that is drained.",
  );
}
