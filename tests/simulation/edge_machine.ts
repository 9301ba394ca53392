/**
 * One edge machine: its disk, its clocks, and the real worker loop on the real HTTP client, archive and steps.
 * Invariant: a worker that is started again has the name of the one before, and repairs the archive first, as `outrider
 * edge` does.
 */

import type { Core } from "../../core-wasm/core.ts";
import { createFleetFrontier } from "../../edge/adapters/fleet_frontier.ts";
import { Backlog } from "../../edge/backlog.ts";
import { Busy } from "../../edge/busy.ts";
import { Health } from "../../edge/health/health.ts";
import type { EdgeParts } from "../../edge/parts.ts";
import { createCookieJar } from "../../edge/http/cookie_jar.ts";
import { unpackGzip } from "../../edge/http/unpack.ts";
import { RulesCache } from "../../edge/rules_cache.ts";
import { SeenContent } from "../../edge/steps/dedup.ts";
import { KnownLinks } from "../../edge/steps/known_links.ts";
import { KnownPayloads } from "../../edge/steps/known_payloads.ts";
import { openArchive } from "../../edge/warc/archive.ts";
import { openSegmentArchive } from "../../edge/warc/segment_archive.ts";
import { repairFolder } from "../../edge/warc/repair.ts";
import { runWorker } from "../../edge/worker.ts";
import { LIMITS } from "../../protocol/mod.ts";
import { folderBlobs } from "../../runtime/folder_blobs.ts";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import { nativeDigest } from "../../runtime/node.ts";
import type { Logger } from "../../runtime/ports.ts";
import { MemoryFiles } from "../support/memory_files.ts";
import type { Chance } from "./chance.ts";
import { slowFiles, storingGzip } from "./edge_disk.ts";
import { MachineClock, Process, type SuspendKind } from "./machine.ts";
import type { Network } from "./network.ts";
import type { Scheduler } from "./scheduler.ts";
import { type Outage, webFetcher, type WebParts, webProbe, type WebUser } from "./web_fetcher.ts";

export interface EdgeMachineParts {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly core: Core;
  readonly log: Logger;
  readonly network: Network;
  readonly web: WebParts;
  readonly coordinators: readonly string[];
  readonly maxLeases: number;
  readonly maxTargets: number;
  /** What must never happen did. */
  readonly onBug: (sentence: string) => void;
}

export const FETCH_LIMITS = {
  connectMs: LIMITS.connectMs,
  idleMs: LIMITS.idleMs,
  wallMs: LIMITS.fetchWallMs,
  headerBytes: LIMITS.headerBytes,
  wireBytes: LIMITS.wireBytes,
  decodedBytes: LIMITS.decodedBytes,
};

export class EdgeMachine {
  readonly name: string;
  readonly files = new MemoryFiles();
  readonly clock: MachineClock;
  readonly #parts: EdgeMachineParts;
  process: Process | undefined;
  #stop = new AbortController();
  /** True once the worker loop has ended by itself. */
  isOver = false;
  starts = 0;
  /** Of its way to the web. */
  outage: Outage | undefined;
  health: Health | undefined;
  #awakeAt = 0;

  constructor(name: string, parts: EdgeMachineParts) {
    this.name = name;
    this.#parts = parts;
    this.clock = new MachineClock(parts.scheduler, (parts.chance.next() - 0.5) * 1e6);
  }

  start(): void {
    const { scheduler, chance } = this.#parts;
    this.starts++;
    // One that begins without the web has met no host that could testify.
    this.outage = undefined;
    const process = new Process(`${this.name} ${this.starts}`, { scheduler, machine: this.clock, chance });
    this.process = process;
    this.#stop = new AbortController();
    this.#run(process).then(
      () => this.isOver = true,
      (error) => this.#parts.onBug(`The worker ${process.name} failed: ${String(error)}; it must never reject.`),
    );
  }

  /** The process is gone between two instructions; the disk keeps what was synced, and perhaps more. */
  kill(): void {
    if (this.process === undefined) return;
    const { chance } = this.#parts;
    this.process.alive = false;
    this.process = undefined;
    this.#awakeAt = 0;
    this.files.crash((_, unsynced) => chance.below(unsynced + 1));
  }

  get isAsleep(): boolean {
    return this.#parts.scheduler.now < this.#awakeAt;
  }

  suspend(ms: number, kind: SuspendKind): void {
    if (this.process === undefined || this.isAsleep) return;
    this.#awakeAt = this.#parts.scheduler.now + ms;
    this.clock.slept(ms, kind);
    this.#parts.scheduler.suspend(this.process, ms, kind !== "both");
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(process: Process): Promise<void> {
    const { core, log, network, web, scheduler, chance, coordinators } = this.#parts;
    const { clock, random } = process;
    const place = {
      folder: "data",
      storagePrefix: `${this.name}/`,
      files: slowFiles(this.files, { scheduler, chance, process }),
    };
    await repairFolder({ ...place, gunzip: nativeGunzip });
    const frontier = createFleetFrontier({
      baseUrls: coordinators.map((name) => `http://${name}/`),
      clock,
      random,
      log,
      signal: this.#stop.signal,
      fetch: network.fetchOf(process),
    });
    const info = { software: "outrider", userAgent: "Outrider/0", contact: undefined, robots: "RFC 9309" };
    const common = { ...place, gzip: storingGzip, digest: nativeDigest, clock, random };
    const settings = {
      name: this.name,
      info: { ...info, coreBuildHash: core.buildHash, keyVersion: core.keyVersion, description: this.name },
    };
    // One edge of several sends segments to a store of objects; the others write on their disks.
    const archive = this.name === "e1"
      ? openSegmentArchive({
        ...common,
        blobs: folderBlobs(place.files, place.folder),
        settings: { ...settings, segmentBytes: 20_000 },
      })
      : await openArchive({ ...common, settings: { ...settings, rotateBytes: 20_000, checkpointBytes: 8_000 } });
    const user: WebUser = { process, outage: () => this.outage, resolvedAt: -Infinity };
    const probe = webProbe(web, user);
    const health = new Health({ clock, log, probe, probeStore: archive.probe!, onTrouble: () => {} });
    this.health = health;
    const parts: EdgeParts = {
      frontier,
      fetcher: webFetcher(web, user),
      archive,
      core,
      rules: new RulesCache(frontier),
      content: new SeenContent(),
      links: new KnownLinks(),
      payloads: new KnownPayloads(),
      backlog: new Backlog(50_000),
      busy: new Busy(),
      newCookieJar: createCookieJar,
      digest: nativeDigest,
      unpack: unpackGzip,
      clock,
      log,
      settings: this.#settings(),
      health,
      onSlotMap: () => {},
    };
    await runWorker(parts, this.#stop.signal);
    await archive.close();
    await frontier.close();
  }

  #settings(): EdgeParts["settings"] {
    const { maxLeases, maxTargets } = this.#parts;
    return {
      workerId: this.name,
      region: this.name,
      maxLeases,
      maxTargets,
      confirmMs: LIMITS.confirmMs,
      fetchLimits: FETCH_LIMITS,
      settlingPerLease: this.name === "e1" ? LIMITS.targetsPerLease : 8,
    };
  }
}
