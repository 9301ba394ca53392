/**
 * Wires an edge node: fetcher behind the guard, archive, publisher, worker loop. The one-process crawl and
 * `outrider edge` differ only in the frontier that they pass.
 */

import type { Core } from "../core-wasm/core.ts";
import { createAddressGuard } from "../edge/http/address_guard.ts";
import { parseResolveOverride } from "../edge/http/resolve_override.ts";
import { createResolver } from "../edge/http/resolver.ts";
import { createUndiciFetcher } from "../edge/http/undici_fetcher.ts";
import type { EdgeParts, EdgeSettings } from "../edge/parts.ts";
import type { Frontier } from "../edge/ports.ts";
import { RulesCache } from "../edge/rules_cache.ts";
import { SeenContent } from "../edge/steps/dedup.ts";
import { type ArchiveSettings, openArchive } from "../edge/warc/archive.ts";
import { openPublisher } from "../edge/warc/publisher.ts";
import { repairFolder } from "../edge/warc/repair.ts";
import { runWorker } from "../edge/worker.ts";
import { LIMITS } from "../protocol/mod.ts";
import { systemFiles } from "../runtime/files.ts";
import { nativeGunzip } from "../runtime/gunzip.ts";
import { nativeDigest, nativeGzip, systemClock, systemRandom } from "../runtime/node.ts";
import type { Logger } from "../runtime/ports.ts";
import { Fault, USAGE } from "./fault.ts";
import { VERSION } from "./version.ts";

export interface EdgeNodeOptions {
  readonly frontier: Frontier;
  readonly core: Core;
  readonly log: Logger;
  readonly folder: string;
  /** "" in one process, `<worker>/` in a fleet: every storage key begins with it. */
  readonly storagePrefix: string;
  /** First part of WARC file names. */
  readonly archiveName: string;
  readonly workerId: string;
  readonly region: string;
  readonly userAgent: string;
  readonly contact?: string | undefined;
  /** Hosts crawled at the same time. */
  readonly maxHosts: number;
  readonly openedCidrs: readonly string[];
  /** `HOST=ADDR` each. */
  readonly resolve: readonly string[];
  readonly onLocalTrouble: (sentence: string) => void;
}

export interface EdgeNode {
  /** Works until the signal, then settles what is in flight. */
  run(stop: AbortSignal): Promise<void>;
  /** Publishes what is acknowledged; resolves to the number of captures. */
  publish(): Promise<number>;
  /** Publishes the rest, sorts the index, closes everything. */
  close(): Promise<void>;
}

/** How often acknowledged captures are written to pages.jsonl and the index log. */
const PUBLISH_MS = 1000;

function readFlag<T>(flag: string, texts: readonly string[], read: (text: string) => T): T[] {
  return texts.map((text) => {
    try {
      return read(text);
    } catch (error) {
      throw new Fault(`Reading ${flag}: ${(error as Error).message}`, USAGE);
    }
  });
}

/** The fetcher with the operator's addresses and overrides. Throws a Fault on a malformed flag. */
function openFetcher(options: EdgeNodeOptions) {
  readFlag("--allow-address", options.openedCidrs, (cidr) => createAddressGuard([cidr]));
  const guard = createAddressGuard(options.openedCidrs);
  const overrides = readFlag("--resolve", options.resolve, parseResolveOverride);
  return createUndiciFetcher({
    guard,
    resolver: createResolver({ clock: systemClock, overrides }),
    clock: systemClock,
    log: options.log,
  });
}

function archiveSettings(options: EdgeNodeOptions): ArchiveSettings {
  const { core, region, workerId } = options;
  return {
    name: options.archiveName,
    info: {
      software: `outrider/${VERSION}`,
      userAgent: options.userAgent,
      contact: options.contact,
      robots: "RFC 9309",
      coreBuildHash: core.buildHash,
      keyVersion: core.keyVersion,
      description: `region ${region}, worker ${workerId}`,
    },
  };
}

function edgeSettings({ workerId, region, maxHosts }: EdgeNodeOptions): EdgeSettings {
  return {
    workerId,
    region,
    maxLeases: maxHosts,
    maxTargets: maxHosts * LIMITS.targetsPerLease,
    confirmMs: LIMITS.confirmMs,
    fetchLimits: {
      connectMs: LIMITS.connectMs,
      idleMs: LIMITS.idleMs,
      wallMs: LIMITS.fetchWallMs,
      headerBytes: LIMITS.headerBytes,
      wireBytes: LIMITS.wireBytes,
      decodedBytes: LIMITS.decodedBytes,
    },
  };
}

export async function openEdgeNode(options: EdgeNodeOptions): Promise<EdgeNode> {
  const { frontier, core, log, folder, storagePrefix } = options;
  const fetcher = openFetcher(options);
  const place = { folder, storagePrefix, files: systemFiles };
  for (const repaired of await repairFolder({ ...place, gunzip: nativeGunzip })) {
    log.warn("repaired an archive file that an earlier run left torn", { ...repaired });
  }
  const archive = await openArchive({
    ...place,
    gzip: nativeGzip,
    digest: nativeDigest,
    clock: systemClock,
    random: systemRandom,
    settings: archiveSettings(options),
  });
  let shards = [0];
  const publisher = await openPublisher({ ...place, frontier, core, shards: () => shards });
  const parts: EdgeParts = {
    frontier,
    fetcher,
    archive,
    core,
    rules: new RulesCache(frontier),
    content: new SeenContent(),
    digest: nativeDigest,
    clock: systemClock,
    log,
    onLocalTrouble: options.onLocalTrouble,
    onSlotMap: (map) => {
      if (map.starts.length !== shards.length) shards = map.starts.map((_, index) => index);
    },
    settings: edgeSettings(options),
  };
  const publishUntil = async (stop: AbortSignal) => {
    while (!stop.aborted) {
      await systemClock.sleep(PUBLISH_MS, stop);
      await publisher.publishPending().catch((error) => options.onLocalTrouble(String((error as Error).message)));
    }
  };
  return {
    run: async (stop) => {
      await Promise.all([runWorker(parts, stop), publishUntil(stop)]);
    },
    publish: () => publisher.publishPending(),
    close: async () => {
      await fetcher.close();
      await archive.close();
      await publisher.finish();
    },
  };
}
