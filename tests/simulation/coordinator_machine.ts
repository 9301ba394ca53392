/**
 * The machine of the coordinator: starts the real frontier on what lies on its disks, and kills it.
 * Invariant: what a dead run held in the core is freed; its promises never settle.
 */

import type { Core, LayeredFilter } from "../../core-wasm/core.ts";
import { openCoordinator } from "../../coordinator/frontier/coordinator.ts";
import type { FrontierSettings } from "../../coordinator/frontier/settings.ts";
import type { Coordinator } from "../../coordinator/ports.ts";
import type { MemoryControlDisk } from "../../coordinator/store/memory_control_store.ts";
import type { MemoryShardDisk } from "../../coordinator/store/memory_shard_store.ts";
import { nativeDigest } from "../../runtime/node.ts";
import type { Logger } from "../../runtime/ports.ts";
import type { Chance } from "./chance.ts";
import { MachineClock, Process, type SuspendKind } from "./machine.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Outages } from "./outages.ts";
import { slowControlStore, slowShardStore, type StoreParts } from "./slow_store.ts";

export interface CoordinatorParts extends Omit<StoreParts, "process" | "machine" | "isDown"> {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly core: Core;
  readonly log: Logger;
  readonly databases: Databases;
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

export class CoordinatorMachine {
  readonly name: string;
  readonly #parts: CoordinatorParts;
  readonly #clock: MachineClock;
  #filters: LayeredFilter[] = [];
  #process: Process | undefined;
  #running: Running | undefined;
  starts = 0;
  #awakeAt = 0;

  constructor(name: string, parts: CoordinatorParts) {
    this.name = name;
    this.#parts = parts;
    this.#clock = new MachineClock(parts.scheduler, (parts.chance.next() - 0.5) * 1e6);
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
    openCoordinator({
      core: this.#tracking(core),
      shardStores: databases.shards.map((disk, index) => slowShardStore(storeParts, index, disk)),
      controlStore: slowControlStore(storeParts, databases.control),
      clock: process.clock,
      random: process.random,
      digest: nativeDigest,
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

  /** As SIGTERM: it ends by itself, if it can. */
  stop(): void {
    const running = this.#running;
    if (running === undefined) return;
    running.verbs.close().then(() => {}, () => {}).then(() => {
      if (this.#running === running) this.kill();
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
