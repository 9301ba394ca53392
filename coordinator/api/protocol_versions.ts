/**
 * What edges of the protocol version before are told, so that coordinators can be upgraded first.
 * Invariant: an edge of version 1 asks one coordinator for everything, so it gets leases only where that owns all shards.
 */

import { type LeaseReply, type LeaseRequest, PROTOCOL_VERSION } from "../../protocol/mod.ts";
import type { Coordinator } from "../ports.ts";

/** As the header `outrider-protocol` has them. */
export const SERVED: readonly string[] = [String(PROTOCOL_VERSION - 1), String(PROTOCOL_VERSION)];

/** When an edge that can't be given anything is to ask again. */
const ASK_AGAIN_MS = 5_000;

/** What an edge of version 1 is granted: nothing, where it would have to find another coordinator. */
export async function leaseForVersion1(
  coordinator: Pick<Coordinator, "lease" | "ownsAll" | "slotMap">,
  request: LeaseRequest,
): Promise<LeaseReply> {
  if (coordinator.ownsAll()) return await coordinator.lease(request);
  return {
    leases: [],
    outbox: [],
    retry_after_ms: ASK_AGAIN_MS,
    reason: "this edge speaks protocol 1, which knows one coordinator alone, and there are several: upgrade it",
    slot_map: coordinator.slotMap(),
  };
}

/** Version 1 knew slot maps as the first slot of each shard, and used how many there are alone. */
export function replyOfVersion1(reply: LeaseReply) {
  const { version, shards, runs } = reply.slot_map;
  const starts = Array.from({ length: shards }, (_, shard) => runs.find(([, owner]) => owner === shard)?.[0] ?? 0);
  return { ...reply, slot_map: { version, starts } };
}
