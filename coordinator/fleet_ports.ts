/**
 * What operators are shown of the fleet: fetch slots and regions, whatever the crawl.
 * Invariant: plain values; totals are of this process, since its start.
 */

/**
 * Why a fetch slot (a lease that an edge has room for) got nothing: no host is allowed now (delays, back-off, leases
 * elsewhere, another region's turn); heads were not loaded from the store; a shard refuses for its outbox; nothing is
 * queued.
 */
export const IDLE_CAUSES = ["no_allowed_host", "store", "refused", "nothing_queued"] as const;
export type IdleCause = (typeof IDLE_CAUSES)[number];

export interface SlotFigures {
  readonly asked: number;
  /** Back queues ready in memory per slot asked for, of late, at most three for each request; absent = nobody asked. */
  readonly readyPerSlot?: number;
  readonly idle: Readonly<Record<IdleCause, number>>;
  /** Slot-milliseconds: slots that got nothing, until their worker asked again. */
  readonly idleMs: Readonly<Record<IdleCause, number>>;
}

export interface RegionView {
  readonly region: string;
  /** No edge of it asks for leases, or none has room. */
  readonly isSilent: boolean;
  /** Leases that it holds. */
  readonly leases: number;
  /** Of its new connections' TCP times, right to a fifth; absent = none was reported. */
  readonly medianConnectMs?: number;
}

export interface EdgeView {
  readonly worker: string;
  /** As it says. */
  readonly region: string;
  /** Leases that it holds. */
  readonly leases: number;
  /** Since it last asked for leases, ms. */
  readonly askedAgoMs: number;
  /** By its own word it takes no leases now, for this reason; absent = it is well. */
  readonly unhealthy?: string;
  readonly unhealthyForMs?: number;
}

export interface FleetView {
  readonly slots: SlotFigures;
  /** Edges that asked within the last hour, in the order of their names; at most 1,024. */
  readonly edges: readonly EdgeView[];
  /** In the order of their names; at most 64. */
  readonly regions: readonly RegionView[];
}
