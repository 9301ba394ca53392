/**
 * Two coordinators in memory that own one shard each of one frontier, and names that lie where a test wants them.
 */

import type { FrontierCoordinator, openCoordinator } from "../../coordinator/frontier/coordinator.ts";
import type { Coordinator } from "../../coordinator/ports.ts";
import { addressGroup, type CrawlSpec, evenSlotMap, type Lease, shardOf, slotOf } from "../../protocol/mod.ts";
import { ask, newWorld, start, testCore, type World } from "./frontier.ts";

export interface Pair {
  readonly world: World;
  /** By shard. */
  readonly coordinators: readonly [FrontierCoordinator, FrontierCoordinator];
  close(): Promise<void>;
}

export async function startPair(settings: Parameters<typeof openCoordinator>[0]["settings"] = {}): Promise<Pair> {
  const world = newWorld(2);
  const coordinators = [
    await start(world, { owns: [0], settings }),
    await start(world, { owns: [1], settings }),
  ] as const;
  return {
    world,
    coordinators,
    close: async () => void await Promise.all(coordinators.map((coordinator) => coordinator.close())),
  };
}

/** The same crawl at both, as if the control database had told them. */
export async function createAtBoth({ coordinators }: Pair, spec: CrawlSpec): Promise<void> {
  for (const coordinator of coordinators) await coordinator.createCrawl("c", spec);
}

/** The first lease of a host of this coordinator. */
export async function leaseOf(coordinator: Coordinator, host: string): Promise<Lease> {
  const { leases } = await ask(coordinator);
  const lease = leases.find((some) => some.host === host);
  if (lease === undefined) throw new Error(`No lease of ${host}: ${leases.map((some) => some.host).join()}`);
  return lease;
}

export async function slotOfName(name: string): Promise<number> {
  return slotOf((await testCore()).xxh64(new TextEncoder().encode(name)));
}

/** Registered domains `d0.example`, ... of this one of two shards. */
export async function domainsOf(shard: number, count: number): Promise<string[]> {
  return await named(shard, count, (i) => `d${i}.example`, (name) => name);
}

/** Addresses 192.0.2.0, ... of this one of two shards. */
export async function addressesOf(shard: number, count: number): Promise<string[]> {
  return await named(shard, count, (i) => `192.0.2.${i}`, (name) => addressGroup(name)!);
}

async function named(
  shard: number,
  count: number,
  nameOf: (i: number) => string,
  keyOf: (name: string) => string,
): Promise<string[]> {
  const names: string[] = [];
  const map = evenSlotMap(2);
  for (let i = 0; names.length < count; i++) {
    if (shardOf(map, await slotOfName(keyOf(nameOf(i)))) === shard) names.push(nameOf(i));
  }
  return names;
}
