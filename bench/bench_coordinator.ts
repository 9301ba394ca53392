/**
 * A coordinator for benchmarks, on a libSQL file with every commit synced, or in memory; and what its pretended edges send.
 * Invariant: nothing is fetched and nothing waits for politeness: what is measured is the frontier.
 */

import { join } from "node:path";
import { type CoordinatorOptions, openCoordinator } from "../coordinator/frontier/coordinator.ts";
import type { FrontierSettings } from "../coordinator/frontier/settings.ts";
import type { Coordinator } from "../coordinator/ports.ts";
import { openLibsqlControlStore } from "../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardStore } from "../coordinator/store/libsql_shard_store.ts";
import { MemoryControlStore } from "../coordinator/store/memory_control_store.ts";
import { MemoryShardStore } from "../coordinator/store/memory_shard_store.ts";
import { loadCore } from "../core-wasm/mod.ts";
import { type CrawlSpec, LIMITS, type Outcome, type Target } from "../protocol/mod.ts";
import { nativeDigest, systemClock, systemRandom } from "../runtime/node.ts";
import type { Logger } from "../runtime/ports.ts";

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** `folder`: where the databases lie; absent = in memory, nothing durable. */
export async function openBenchCoordinator(
  folder: string | undefined,
  settings: Partial<FrontierSettings> = {},
): Promise<Coordinator> {
  return await openCoordinator({
    core: await loadCore(),
    log: silent,
    settings,
    clock: systemClock,
    random: systemRandom,
    digest: nativeDigest,
    ...(folder === undefined ? memoryStores() : libsqlStores(folder)),
  });
}

function memoryStores(): Pick<CoordinatorOptions, "controlStore" | "shardStores"> {
  return { controlStore: new MemoryControlStore(), shardStores: [new MemoryShardStore()] };
}

function libsqlStores(folder: string): Pick<CoordinatorOptions, "controlStore" | "shardStores"> {
  return {
    controlStore: openLibsqlControlStore({ location: join(folder, "control.db") }),
    shardStores: [openLibsqlShardStore({ location: join(folder, "shard.db"), clock: systemClock })],
  };
}

/** A crawl of anything, without a delay. */
export function benchSpec(seeds: readonly string[]): CrawlSpec {
  return {
    seeds,
    scope: { kind: "any", domains: [], include: [], exclude: [] },
    priority: 0.5,
    politeness: { delay_ms: 0, delay_factor: 0, delay_cap_ms: LIMITS.delayCapMs, max_parallel: 1 },
    user_agent: "Outrider/bench",
    product_token: "outrider",
    embeds: false,
    respect_rel_nofollow: false,
  };
}

/** robots.txt allows everything; a page was fetched, has `contentHash` and links to `outlinks`. */
export function benchOutcome(target: Target, page: { contentHash: string; outlinks: readonly string[] }): Outcome {
  const base = { target_id: target.target_id, requests: 1, timings: { started_ago_ms: 1, total_ms: 1 } };
  if (target.kind === "robots") {
    return { ...base, status: "robots", http_code: 404, origin: new URL(target.url).origin, class: "allow_all" };
  }
  return {
    ...base,
    status: "fetched",
    http_code: 200,
    outlinks: page.outlinks,
    capture: {
      fetched_at: systemClock.wallMs(),
      record: { storage_key: "warc/bench.warc.gz", offset: 0, length: 1000 },
      content_hash: page.contentHash,
      payload_digest: `sha1:${"A".repeat(32)}`,
      length: 20_000,
      wire_length: 6000,
      content_type: "text/html",
    },
  };
}
