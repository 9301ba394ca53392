/**
 * Takes a slot out of a shard's RAM.
 * Invariant: afterwards the shard is as if it had been loaded from a store without the slot; no lease of it is out.
 */

import type { CrawlId, HostKey } from "../../../protocol/mod.ts";
import type { HostState } from "../host_state.ts";
import type { Shard } from "../shard.ts";

export function dropSlot(shard: Shard, slot: number): void {
  const hosts = [...shard.hosts.values()].filter((host) => host.slot === slot);
  const queues = new Set<string>();
  const nameOf = (crawlId: CrawlId, host: HostKey) => `${crawlId} ${host}`;
  for (const host of hosts) {
    for (const { crawlId } of host.queues) {
      queues.add(nameOf(crawlId, host.host));
      shard.domainUse.drop(crawlId, host.domain);
    }
    dropHost(shard, host);
  }
  for (const [origin, row] of shard.origins) {
    if (row.slot !== slot) continue;
    shard.origins.delete(origin);
    shard.deadOrigins.forget(origin);
  }
  shard.domains.dropSlot(slot, hosts.map(({ domain }) => domain));
  shard.addresses.dropSlot(slot);
  shard.tallies.dropSlot(slot, (crawlId, host) => queues.has(nameOf(crawlId, host)));
}

function dropHost(shard: Shard, host: HostState): void {
  for (const queue of host.queues) {
    shard.headsInRam -= queue.heads.length;
    shard.queuesOfCrawl.get(queue.crawlId)?.delete(queue);
    shard.hungry.delete(queue);
  }
  for (const origin of host.origins) shard.deadOrigins.forget(origin);
  shard.schedule.remove(host);
  shard.parkedAtDomain.remove(host.domain, host);
  shard.parkedAtAddress.remove(host.address, host);
  shard.skippedHosts.delete(host);
  shard.outOfBudget.delete(host);
  shard.hosts.delete(host.host);
}
