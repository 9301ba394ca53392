/**
 * What an operator is shown of one host.
 * Invariant: reads only.
 */

import type { HostPlacement, HostView } from "../../host_ports.ts";
import { hostCrawls } from "./host_crawls.ts";
import type { HostState } from "../host_state.ts";
import { connectMsOf, isGeoBlocked } from "../regions/region_facts.ts";
import type { Shard } from "../shard.ts";

/** `shards`: all of them, as refusals are counted where a link was found; `now`: wall ms. */
export function hostView(
  shard: Shard,
  host: HostState,
  { shards, now }: { readonly shards: readonly Shard[]; readonly now: number },
): HostView {
  const { policyDelayMs, policyMaxParallel, paused, blockedReason, lease } = host;
  const { crawlDelayMs, responseMs, backoffMs, failuresInRow } = host;
  const nextStartInMs = Math.max(0, host.nextStartAt - now);
  return {
    host: host.host,
    domain: host.domain,
    address: host.address,
    placement: placementOf(shard, host, now),
    clocks: { nextStartInMs, crawlDelayMs, responseMs, backoffMs, failuresInRow },
    policy: { delayMs: policyDelayMs, maxParallel: policyMaxParallel, paused },
    blockedReason,
    ...(lease === undefined
      ? {}
      : { lease: { leaseId: lease.leaseId, crawlId: lease.crawlId, workerId: lease.workerId } }),
    crawls: hostCrawls(shard, host, { shards, now }),
  };
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
