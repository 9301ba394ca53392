/**
 * Wires the data plane: fetcher behind the guard, archive, worker loop. The one-process crawl runs it in a thread of its
 * own (edge_thread.ts), `outrider edge` as it is; they differ only in the frontier that they pass.
 */

import type { Core } from "../core-wasm/core.ts";
import { Backlog } from "../edge/backlog.ts";
import { Busy } from "../edge/busy.ts";
import { Health, type LocalTrouble } from "../edge/health/health.ts";
import { createAddressGuard } from "../edge/http/address_guard.ts";
import { createCookieJar } from "../edge/http/cookie_jar.ts";
import { createNameLookup } from "../edge/http/dns/name_lookup.ts";
import { parseResolveOverride } from "../edge/http/resolve_override.ts";
import { unpackGzip } from "../edge/http/unpack.ts";
import { createNetworkProbe } from "../edge/http/network_probe.ts";
import { createResolver } from "../edge/http/resolver.ts";
import { createHttpFetcher } from "../edge/http/http_fetcher.ts";
import type { EdgeParts, EdgeSettings } from "../edge/parts.ts";
import type { Archive, Frontier } from "../edge/ports.ts";
import { RulesCache } from "../edge/rules_cache.ts";
import { SeenContent } from "../edge/steps/dedup.ts";
import { KnownLinks } from "../edge/steps/known_links.ts";
import { KnownPayloads } from "../edge/steps/known_payloads.ts";
import { type ArchiveSettings, openArchive } from "../edge/warc/archive.ts";
import { repairFolder } from "../edge/warc/repair.ts";
import { openSegmentArchive } from "../edge/warc/segment_archive.ts";
import { runWorker } from "../edge/worker.ts";
import { LIMITS, type SlotMap } from "../protocol/mod.ts";
import { systemFiles } from "../runtime/files.ts";
import { nativeGunzip } from "../runtime/gunzip.ts";
import { nativeDigest, nativeGzip, systemClock, systemRandom } from "../runtime/node.ts";
import type { Logger } from "../runtime/ports.ts";
import { wholeGzip } from "../runtime/whole_gzip.ts";
import { openBlobs, type SegmentPlace } from "./blob_flags.ts";
import { openScanThreads } from "./scan_threads.ts";
import { VERSION } from "./version.ts";

/** Answers of one lease that may wait, where an archive takes milliseconds. */
const SETTLING = 8;

/** What crosses into a thread: plain values. */
export interface EdgeNodeSettings {
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
  /** DNS servers, `IP[:port]` each; none = the system's. */
  readonly resolvers: readonly string[];
  /** Wall clock of one fetch; other limits of time are no longer. */
  readonly timeoutMs: number;
  /** Of one body, on the wire and decoded. */
  readonly bodyBytes: number;
  /** Threads that scan pages; 0 = they are scanned where they are fetched. */
  readonly scanThreads: number;
  /** Where WARC files go, in segments; absent = files in the data folder. */
  readonly segments?: SegmentPlace | undefined;
}

export interface EdgeNodeParts {
  readonly frontier: Frontier;
  readonly core: Core;
  readonly log: Logger;
  readonly onLocalTrouble: (trouble: LocalTrouble) => void;
  readonly onSlotMap: (map: SlotMap) => void;
}

export interface EdgeNode {
  /** Works until the signal, then settles what is in flight. */
  run(stop: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

function archiveSettings(settings: EdgeNodeSettings, core: Core): ArchiveSettings {
  const { region, workerId, userAgent, contact } = settings;
  return {
    name: settings.archiveName,
    info: {
      software: `outrider/${VERSION}`,
      userAgent,
      contact,
      robots: "RFC 9309",
      coreBuildHash: core.buildHash,
      keyVersion: core.keyVersion,
      description: `region ${region}, worker ${workerId}`,
    },
  };
}

async function openArchiveOf(settings: EdgeNodeSettings, core: Core, log: Logger): Promise<Archive> {
  const { folder, storagePrefix, segments } = settings;
  const common = { storagePrefix, gzip: nativeGzip, digest: nativeDigest, clock: systemClock, random: systemRandom };
  const about = archiveSettings(settings, core);
  if (segments !== undefined) {
    const { place, bytes, ms } = segments;
    const sizes = { segmentBytes: bytes, segmentMs: ms };
    return openSegmentArchive({ ...common, blobs: openBlobs(place), settings: { ...about, ...sizes } });
  }
  const place = { folder, storagePrefix, files: systemFiles };
  for (const repaired of await repairFolder({ ...place, gunzip: nativeGunzip })) {
    log.warn("repaired an archive file that an earlier run left torn", { ...repaired });
  }
  return await openArchive({ ...common, ...place, settings: about });
}

function edgeSettings(settings: EdgeNodeSettings): EdgeSettings {
  const { workerId, region, maxHosts, segments, timeoutMs, bodyBytes } = settings;
  return {
    workerId,
    region,
    maxLeases: maxHosts,
    maxTargets: maxHosts * LIMITS.targetsPerLease,
    confirmMs: LIMITS.confirmMs,
    settlingPerLease: segments === undefined ? SETTLING : LIMITS.targetsPerLease,
    fetchLimits: {
      connectMs: Math.min(LIMITS.connectMs, timeoutMs),
      idleMs: Math.min(LIMITS.idleMs, timeoutMs),
      wallMs: timeoutMs,
      headerBytes: LIMITS.headerBytes,
      wireBytes: bodyBytes,
      decodedBytes: bodyBytes,
    },
  };
}

export async function openEdgeNode(settings: EdgeNodeSettings, node: EdgeNodeParts): Promise<EdgeNode> {
  const { core, log } = node;
  const names = createNameLookup({ clock: systemClock, servers: settings.resolvers });
  const { probe, lookup } = createNetworkProbe({ clock: systemClock, random: systemRandom, lookup: names.lookup });
  const overrides = settings.resolve.map(parseResolveOverride);
  const fetcher = createHttpFetcher({
    guard: createAddressGuard(settings.openedCidrs),
    resolver: createResolver({ clock: systemClock, lookup, overrides }),
    clock: systemClock,
    log,
    wholeGzip,
  });
  const archive = await openArchiveOf(settings, core, log);
  const health = new Health({
    clock: systemClock,
    log,
    probe,
    ...(archive.probe === undefined ? {} : { probeStore: archive.probe }),
    onTrouble: node.onLocalTrouble,
  });
  const { scanThreads: count } = settings;
  const threads = count === 0 ? undefined : openScanThreads({ count, clock: systemClock, log });
  const parts: EdgeParts = {
    ...node,
    threads,
    health,
    fetcher,
    archive,
    rules: new RulesCache(node.frontier),
    content: new SeenContent(),
    links: new KnownLinks(),
    payloads: new KnownPayloads(),
    backlog: new Backlog(LIMITS.backlogBytes),
    busy: new Busy(),
    newCookieJar: createCookieJar,
    digest: nativeDigest,
    unpack: unpackGzip,
    clock: systemClock,
    settings: edgeSettings(settings),
  };
  return {
    run: (stop) => runWorker(parts, stop),
    close: async () => {
      threads?.close();
      await fetcher.close();
      names.close();
      await archive.close();
    },
  };
}
