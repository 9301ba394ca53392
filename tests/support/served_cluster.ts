/**
 * Coordinators of one frontier in this process, each with its API on a port of its own; databases in RAM.
 * Invariant: nothing outlives `close`; one that is killed reaches no database any more.
 */

import { createApi } from "../../coordinator/api/api.ts";
import { parseTokens } from "../../coordinator/api/tokens.ts";
import type { ClusterTimes } from "../../coordinator/frontier/cluster/times.ts";
import { type FrontierCoordinator, openCoordinator } from "../../coordinator/frontier/coordinator.ts";
import type { FrontierSettings } from "../../coordinator/frontier/settings.ts";
import { MemoryControlDisk, MemoryControlStore } from "../../coordinator/store/memory_control_store.ts";
import { memoryShardReader } from "../../coordinator/store/memory_shard_reader.ts";
import { MemoryShardDisk, MemoryShardStore } from "../../coordinator/store/memory_shard_store.ts";
import { nativeDigest, systemClock, systemRandom } from "../../runtime/node.ts";
import type { Server } from "../../runtime/ports.ts";
import { serve } from "../../runtime/serve.ts";
import { silentLog, testCore, testSigner } from "./frontier.ts";

export interface ServedClusterOptions {
  readonly coordinators: number;
  readonly shards: number;
  /** As OUTRIDER_TOKENS. */
  readonly tokens: string;
  readonly settings?: Partial<FrontierSettings>;
  readonly times?: Partial<ClusterTimes>;
}

export interface ServedCoordinator {
  readonly url: string;
  readonly coordinator: FrontierCoordinator;
  /** Stops serving and giving back what it owns. */
  close(): Promise<void>;
}

export interface ServedCluster {
  readonly nodes: readonly ServedCoordinator[];
  close(): Promise<void>;
}

/** Shorter than the defaults, so that tests needn't wait. */
const QUICK_TIMES: Partial<ClusterTimes> = { beatMs: 200, directoryMs: 100, ownerTtlMs: 4_000, marginMs: 1_500 };

/** Resolves when each coordinator has a shard; there must be as many shards at least. */
export async function serveCluster(options: ServedClusterOptions): Promise<ServedCluster> {
  const disk = new MemoryControlDisk();
  const shards = Array.from({ length: options.shards }, () => new MemoryShardDisk());
  const opening = Array.from({ length: options.coordinators }, () => serveOne(options, disk, shards));
  const nodes = await Promise.all(opening);
  const ownersOf = () => new Set(nodes[0]!.coordinator.slotMap().owners?.map(({ url }) => url));
  for (let tries = 0; ownersOf().size < nodes.length; tries++) {
    if (tries > 200) throw new Error(`The shards weren't shared out in 10 s: ${[...ownersOf()].join()}.`);
    await systemClock.sleep(50);
  }
  return { nodes, close: async () => void await Promise.all(nodes.map((node) => node.close())) };
}

async function serveOne(
  { tokens, settings = {}, times = {} }: ServedClusterOptions,
  disk: MemoryControlDisk,
  shards: readonly MemoryShardDisk[],
): Promise<ServedCoordinator> {
  const served: { api?: ReturnType<typeof createApi> } = {};
  // Its address is announced before it answers there.
  const server: Server = await serve({
    hostname: "127.0.0.1",
    port: 0,
    handler: (request, remoteAddress) =>
      served.api?.fetch(request, { remoteAddress }) ?? new Response("not yet", { status: 503 }),
  });
  const control = new MemoryControlStore(disk);
  const diskAt = (location: string) => shards[Number(location.slice("shard-".length))]!;
  const coordinator = await openCoordinator({
    core: await testCore(),
    controlStore: control,
    cluster: {
      store: control,
      url: server.url,
      locations: shards.map((_, index) => `shard-${index}`),
      openStore: (location) => new MemoryShardStore(diskAt(location)),
      openReader: (location) => memoryShardReader(diskAt(location)),
      times: { ...QUICK_TIMES, ...times },
    },
    signer: testSigner,
    clock: systemClock,
    random: systemRandom,
    digest: nativeDigest,
    log: silentLog,
    settings: { keysUnderWorker: true, ...settings },
  });
  served.api = createApi({
    coordinator,
    idempotency: control,
    operators: control,
    corsOrigins: [],
    tokens: parseTokens(tokens, nativeDigest),
    hostnames: [],
    defaults: { version: "0.0.0", contact: "test@example.org", openedAddresses: false },
    clock: systemClock,
    random: systemRandom,
    digest: nativeDigest,
    log: silentLog,
  });
  let isClosed = false;
  return {
    url: server.url,
    coordinator,
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await coordinator.close();
      await server.close();
    },
  };
}
