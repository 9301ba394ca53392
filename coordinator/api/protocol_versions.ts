/**
 * What edges of the protocol version before are told, so that coordinators can be upgraded first.
 * Invariant: an edge of version 1 asks one coordinator for everything, so it gets leases only where that owns all shards.
 */

import { type LeaseReply, PROTOCOL_VERSION } from "../../protocol/mod.ts";

/** As the header `outrider-protocol` has them. */
export const SERVED: readonly string[] = [String(PROTOCOL_VERSION - 1), String(PROTOCOL_VERSION)];

/** Version 1 knew slot maps as the first slot of each shard, and used how many there are alone. */
export function replyOfVersion1(reply: LeaseReply) {
  const { version, shards, runs } = reply.slot_map;
  const starts = Array.from({ length: shards }, (_, shard) => runs.find(([, owner]) => owner === shard)?.[0] ?? 0);
  return { ...reply, slot_map: { version, starts } };
}
