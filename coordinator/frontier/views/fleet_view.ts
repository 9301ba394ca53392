/**
 * What an operator is shown of the fleet: fetch slots, and the regions that edges named.
 * Invariant: reads only.
 */

import type { EdgeView, FleetView, RegionView, SlotFigures } from "../../fleet_ports.ts";
import { ConnectTimes } from "../regions/connect_times.ts";
import type { Shard } from "../shard.ts";

/** `now`: wall ms. */
export function fleetView(
  shards: readonly Shard[],
  { slots, edges }: { readonly slots: SlotFigures; readonly edges: readonly EdgeView[] },
  now: number,
): FleetView {
  const medians = ConnectTimes.medians(shards.map((shard) => shard.connectTimes));
  const leases = new Map<string, number>();
  for (const shard of shards) {
    for (const { region } of shard.leases.values()) leases.set(region, (leases.get(region) ?? 0) + 1);
  }
  const names = new Set(shards.flatMap((shard) => shard.regions.names()));
  const regions = [...names].sort().map((region): RegionView => {
    const medianConnectMs = medians.get(region);
    return {
      region,
      isSilent: shards.every((shard) => shard.regions.isSilent(region, now)),
      leases: leases.get(region) ?? 0,
      ...(medianConnectMs === undefined ? {} : { medianConnectMs }),
    };
  });
  return { slots, edges, regions };
}
