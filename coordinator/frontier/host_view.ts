/**
 * What an operator is shown of one host.
 * Invariant: reads only.
 */

import type { HostPlacement, HostView } from "../host_ports.ts";
import type { HostState } from "./host_state.ts";
import { connectMsOf, isGeoBlocked } from "./region_facts.ts";
import type { Shard } from "./shard.ts";

/** `now`: wall ms. */
export function hostView(shard: Shard, host: HostState, now: number): HostView {
  return { host: host.host, domain: host.domain, placement: placementOf(shard, host, now) };
}

function placementOf(shard: Shard, host: HostState, now: number): HostPlacement {
  return {
    home: host.homeRegion,
    pinned: host.policyRegion,
    next: host.nextRegion,
    leasedTo: host.lease?.region ?? "",
    regions: host.regions.map((facts) => {
      const connectMs = connectMsOf(host.regions, facts.region);
      return {
        region: facts.region,
        tries: facts.tries,
        refusals: facts.refusals,
        isGeoBlocked: isGeoBlocked(host.regions, facts.region, now),
        isSilent: shard.regions.isSilent(facts.region, now),
        lastLeasedAt: facts.leasedAt,
        ...(connectMs === Infinity ? {} : { connectMs }),
      };
    }),
  };
}
