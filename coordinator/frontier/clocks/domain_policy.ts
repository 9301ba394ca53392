/**
 * An operator's word on a whole registered domain, and what is known of it.
 * Invariant: every lease granted after the answer obeys it, on every host of the domain; the answer lists those that are
 * still out (E45).
 */

import type { DomainView } from "../../group_ports.ts";
import type { DomainPolicy } from "./domain_book.ts";
import type { HostPlace } from "../host_directory.ts";
import type { HostState } from "../host_state.ts";
import type { Operation } from "../round.ts";
import type { Shard } from "../shard.ts";

const HOSTS_SHOWN = 1_000;

export function domainPolicyOperation(place: HostPlace, policy: DomainPolicy): Operation<DomainView> {
  return {
    apply({ shard, now }) {
      shard.batch.changeDomain(shard.domains.setPolicy(place, policy));
      shard.parkedAtDomain.opened(place.domain);
      for (const host of hostsOf(shard, place.domain)) {
        // Under a lease that is out as many requests start as before: of a longer window that is more.
        if (host.lease?.isPolite) shard.domains.lease(place.domain, host.lease);
        shard.reschedule(host, now);
      }
      return domainView(shard, place.domain);
    },
  };
}

function hostsOf(shard: Shard, domain: string): HostState[] {
  const hosts: HostState[] = [];
  for (const host of shard.hosts.values()) if (host.domain === domain) hosts.push(host);
  return hosts;
}

/** Reads only; looks at every host of the shard. */
export function domainView(shard: Shard, domain: string): DomainView {
  const hosts = hostsOf(shard, domain);
  const { policyDelayMs, policyMaxParallel, paused, blockedReason } = shard.domains.row({ slot: 0, domain });
  const queuedOf = (host: HostState) => host.queues.reduce((sum, queue) => sum + queue.ready + queue.waiting, 0);
  const leased = hosts.filter((host) => host.lease !== undefined);
  const byWeight = hosts.map((host) => ({ host, queued: queuedOf(host) })).sort((a, b) => b.queued - a.queued);
  return {
    domain,
    policy: { policyDelayMs, policyMaxParallel, paused, blockedReason },
    ...shard.domains.limitOf(domain),
    hosts: hosts.length,
    queued: byWeight.reduce((sum, { queued }) => sum + queued, 0),
    addresses: [...new Set(hosts.map((host) => host.address).filter((address) => address !== ""))],
    hostNames: byWeight.slice(0, HOSTS_SHOWN).map(({ host }) => host.host),
    leasesOut: leased.map((host) => host.lease!.leaseId),
  };
}
