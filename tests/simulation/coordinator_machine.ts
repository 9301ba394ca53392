/**
 * The machine of the coordinator: starts the real frontier on what lies on its disks, and kills it.
 * Invariant: what a dead run held in the core is freed; its promises never settle.
 */

import type { Core, LayeredFilter } from "../../core-wasm/core.ts";
import { openCoordinator } from "../../coordinator/frontier/coordinator.ts";
import type { FrontierSettings } from "../../coordinator/frontier/settings.ts";
import type { ClusterOptions } from "../../coordinator/frontier/cluster/keeper.ts";
import type { ClusterStore } from "../../coordinator/owner_ports.ts";
import type { Coordinator, ShardStore } from "../../coordinator/ports.ts";
import type { MemoryControlDisk } from "../../coordinator/store/memory_control_store.ts";
import type { MemoryShardDisk } from "../../coordinator/store/memory_shard_store.ts";
import { hmacSigner, nativeDigest } from "../../runtime/node.ts";
import type { Logger } from "../../runtime/ports.ts";
import type { Chance } from "./chance.ts";
import { MachineClock, Process, type SuspendKind } from "./machine.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Outages } from "./outages.ts";
import { slowControlStore, slowShardReader, slowShardStore, type StoreParts } from "./slow_store.ts";

export interface CoordinatorParts extends Omit<StoreParts, "process" | "machine" | "isDown"> {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly core: Core;
  readonly log: Logger;
  readonly databases: Databases;
  /** No other coordinator shares the databases. */
  readonly isAlone: boolean;
  readonly outages: Outages;
  readonly settings: Partial<FrontierSettings>;
}

/** What all coordinators share: it outlives each of them. */
export interface Databases {
  readonly shards: MemoryShardDisk[];
  readonly control: MemoryControlDisk;
}

export interface Running {
  readonly process: Process;
  readonly verbs: Coordinator;
}

/** Clocks of coordinators that share databases are wrong by up to so much. */
const CLUSTER_SKEW_MS = 5_000;
const PLACE = "shard-";

function locationOf(index: number): string {
  return `${PLACE}${index}`;
}

function indexOf(location: string): number {
  return Number(location.slice(PLACE.length));
}

export class CoordinatorMachine {
  readonly name: string;
  readonly #parts: CoordinatorParts;
  readonly #clock: MachineClock;
  readonly #rightSkewMs: number;
  #filters: LayeredFilter[] = [];
  #process: Process | undefined;
  #running: Running | undefined;
  starts = 0;
  #awakeAt = 0;

  constructor(name: string, parts: CoordinatorParts) {
    this.name = name;
    this.#parts = parts;
    // Coordinators that share databases must have the time of day, as far as NTP gives it.
    const skewMs = (parts.chance.next() - 0.5) * (parts.isAlone ? 1e6 : 2 * CLUSTER_SKEW_MS);
    this.#clock = new MachineClock(parts.scheduler, skewMs);
    this.#rightSkewMs = skewMs;
  }

  /** Undefined while it is down or starting. */
  get running(): Running | undefined {
    return this.#running;
  }

  get isUp(): boolean {
    return this.#process !== undefined;
  }

  start(): void {
    const { scheduler, chance, core, log, settings, databases } = this.#parts;
    this.starts++;
    const process = new Process(`${this.name} ${this.starts}`, { scheduler, machine: this.#clock, chance });
    this.#process = process;
    const { outages } = this.#parts;
    const isDown = (shard: number | undefined) => outages.isDown(this.name, shard);
    const storeParts: StoreParts = { ...this.#parts, process, machine: this.name, isDown };
    const controlStore = slowControlStore(storeParts, databases.control);
    const openStore = (index: number) => slowShardStore(storeParts, index, databases.shards[index]!);
    openCoordinator({
      core: this.#tracking(core),
      ...(this.#parts.isAlone
        ? { shardStores: databases.shards.map((_, index) => openStore(index)) }
        : { cluster: this.#cluster(storeParts, controlStore, openStore) }),
      controlStore,
      clock: process.clock,
      random: process.random,
      digest: nativeDigest,
      signer: hmacSigner("5a".repeat(32)),
      log,
      settings,
    }).then(
      (verbs) => {
        if (process.alive) this.#running = { process, verbs };
      },
      // As an init system would: it is started again.
      () => scheduler.plan({ afterMs: 100, owner: process }, () => this.restart()),
    );
  }

  get isAsleep(): boolean {
    return this.#parts.scheduler.now < this.#awakeAt;
  }

  /** Virtual ms at which it can take a message in. */
  get awakeAt(): number {
    return this.#awakeAt;
  }

  suspend(ms: number, kind: SuspendKind): void {
    if (this.#process === undefined || this.isAsleep) return;
    this.#awakeAt = this.#parts.scheduler.now + ms;
    this.#clock.slept(ms, kind);
    this.#parts.scheduler.suspend(this.#process, ms, kind !== "both");
  }

  /** As NTP does: no more wrong than at first. False: the machine sleeps, or nothing runs on it that could notice. */
  setClockRight(): boolean {
    if (this.#process === undefined || this.isAsleep) return false;
    this.#clock.skewMs = this.#rightSkewMs;
    return true;
  }

  /** As SIGTERM: it ends by itself, if it can, and is started again `downMs` after that. */
  stop(downMs: number): void {
    const running = this.#running;
    if (running === undefined) return;
    running.verbs.close().catch(() => {}).then(() => {
      if (this.#running !== running) return;
      this.kill();
      this.#parts.scheduler.plan({ afterMs: downMs }, () => this.isUp || this.start());
    });
  }

  kill(): void {
    this.#awakeAt = 0;
    if (this.#process !== undefined) this.#process.alive = false;
    this.#process = undefined;
    this.#running = undefined;
    for (const filter of this.#filters) filter.free();
    this.#filters = [];
  }

  restart(): void {
    this.kill();
    this.start();
  }

  #cluster(storeParts: StoreParts, store: ClusterStore, openStore: (index: number) => ShardStore): ClusterOptions {
    const { databases } = this.#parts;
    return {
      store,
      url: `http://${this.name}/`,
      locations: databases.shards.map((_, index) => locationOf(index)),
      openStore: (location) => openStore(indexOf(location)),
      openReader: (location) => slowShardReader(storeParts, indexOf(location), databases.shards[indexOf(location)]!),
    };
  }

  /** The core, remembering what it hands out that must be freed. */
  #tracking(core: Core): Core {
    return {
      ...core,
      layeredFilter: (sizes) => {
        const filter = core.layeredFilter(sizes);
        const kept = this.#filters;
        const tracked: LayeredFilter = {
          get capacity() {
            return filter.capacity;
          },
          get count() {
            return filter.count;
          },
          get layers() {
            return filter.layers;
          },
          addAll: (keys) => filter.addAll(keys),
          hasAll: (keys) => filter.hasAll(keys),
          snapshot: (position) => filter.snapshot(position),
          free: () => {
            kept.splice(kept.indexOf(tracked), 1);
            filter.free();
          },
        };
        kept.push(tracked);
        return tracked;
      },
    };
  }
}
