/**
 * The memory stores behind a wire: every call takes time, and commits fail as a disk or a remote database does.
 * Invariant: a batch is applied whole or not at all (both engines that we have see to that), and never under another
 * owner's term; what a torn commit leaves is nothing.
 */

import type { ClusterStore } from "../../coordinator/owner_ports.ts";
import type { Batch, ControlStore, ShardStore } from "../../coordinator/ports.ts";
import type { ShardReader } from "../../coordinator/reader_ports.ts";
import type { MemoryControlDisk } from "../../coordinator/store/memory_control_store.ts";
import { MemoryControlStore } from "../../coordinator/store/memory_control_store.ts";
import { memoryShardReader } from "../../coordinator/store/memory_shard_reader.ts";
import { type MemoryShardDisk, MemoryShardStore } from "../../coordinator/store/memory_shard_store.ts";
import type { Chance } from "./chance.ts";
import type { Process } from "./machine.ts";
import type { Scheduler } from "./scheduler.ts";

export interface StoreFaults {
  /** A commit fails and changes nothing: the disk is full, or it was torn and rolled back. */
  failed: number;
  /** It happens, but the answer is an error. */
  answerLost: number;
  /** The answer is an error, and it happens later, if nothing else was committed meanwhile. */
  late: number;
  /** A read fails. */
  read: number;
}

export const GOOD_STORE: StoreFaults = { failed: 0, answerLost: 0, late: 0, read: 0 };

export interface StoreParts {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly process: Process;
  readonly machine: string;
  readonly faults: () => StoreFaults;
  /** The process can't reach the database at all; `shard` undefined = the control database. */
  readonly isDown: (shard: number | undefined) => boolean;
  /** A commit was harmed, or a read. */
  readonly onHarm: () => void;
  /** `by` names the machine whose clock the batch's times are of. */
  readonly onCommit: (shard: number, batch: Batch, by: string) => void;
  /** A commit was refused though nothing was done to it. */
  readonly onRefused: (shard: number, error: Error) => void;
}

const LATEST_COMMIT_MS = 5_000;
const LOST = "the connection to the store is lost";

/** Every verb of the port but those that have a fate of their own takes the way of a read. */
export function slowShardStore(parts: StoreParts, shard: number, disk: MemoryShardDisk): ShardStore {
  const store = new MemoryShardStore(disk);
  const commits = new SlowCommits(parts, shard, { store, disk });
  const own: Partial<ShardStore> = { commit: (batch) => commits.commit(batch), close: () => store.close() };
  return new Proxy(store, {
    get(_, name: keyof ShardStore) {
      if (own[name] !== undefined) return own[name];
      const verb = store[name] as (...args: unknown[]) => Promise<unknown>;
      return (...args: unknown[]) => read(parts, shard, () => verb.apply(store, args));
    },
  });
}

async function read<T>(parts: StoreParts, shard: number, call: () => Promise<T>): Promise<T> {
  await wire(parts);
  if (parts.isDown(shard) || parts.chance.is(parts.faults().read)) {
    parts.onHarm();
    throw new Error(`Reading: ${LOST}.`);
  }
  return await call();
}

function wire({ scheduler, chance, process }: StoreParts): Promise<void> {
  return scheduler.wait({ afterMs: chance.next() * (chance.is(0.05) ? 300 : 3), owner: process });
}

class SlowCommits {
  readonly #parts: StoreParts;
  readonly #shard: number;
  readonly #disk: MemoryShardDisk;
  readonly #store: MemoryShardStore;
  /** A commit that was told to have failed may still come. */
  #isDoubtful = false;

  constructor(parts: StoreParts, shard: number, place: { store: MemoryShardStore; disk: MemoryShardDisk }) {
    this.#parts = parts;
    this.#shard = shard;
    this.#store = place.store;
    this.#disk = place.disk;
  }

  async commit(batch: Batch): Promise<void> {
    const { chance, faults, onHarm } = this.#parts;
    const { failed, answerLost, late } = faults();
    await wire(this.#parts);
    const drawn = chance.next();
    if (this.#parts.isDown(this.#shard)) {
      onHarm();
      throw new Error(`Committing: ${LOST}.`);
    }
    if (drawn < failed) {
      onHarm();
      throw new Error("Committing: the disk is full.");
    }
    if (drawn < failed + late) {
      onHarm();
      this.#isDoubtful = true;
      const afterMs = chance.next() * LATEST_COMMIT_MS;
      this.#parts.scheduler.plan({ afterMs }, () => this.#applyLate(batch));
      throw new Error(`Committing: ${LOST}.`);
    }
    await this.#apply(batch);
    await wire(this.#parts);
    if (drawn >= failed + late + answerLost) return;
    onHarm();
    throw new Error(`Committing: ${LOST}.`);
  }

  async #apply(batch: Batch): Promise<void> {
    try {
      await this.#store.commit(batch);
    } catch (error) {
      if (!this.#isDoubtful) this.#parts.onRefused(this.#shard, error as Error);
      throw error;
    }
    this.#isDoubtful = false;
    this.#parts.onCommit(this.#shard, batch, this.#parts.machine);
  }

  #applyLate(batch: Batch): void {
    if (this.#disk.batchSeq + 1 !== batch.batchSeq) return;
    const { onCommit, machine } = this.#parts;
    this.#store.commit(batch).then(() => onCommit(this.#shard, batch, machine), () => {});
  }
}

/** What only looks; every other verb of the control store is a write that may be repeated. */
const LOOKS: ReadonlySet<string> = new Set(["crawls", "idempotent", "read"]);

/** For a coordinator that doesn't own the shard. */
export function slowShardReader(parts: StoreParts, shard: number, disk: MemoryShardDisk): ShardReader {
  const reader = memoryShardReader(disk);
  return new Proxy(reader, {
    get(_, name: keyof ShardReader) {
      if (name === "close") return reader.close;
      const verb = reader[name] as (...args: unknown[]) => Promise<unknown>;
      return (...args: unknown[]) => read(parts, shard, () => verb.apply(reader, args));
    },
  });
}

export function slowControlStore(parts: StoreParts, disk: MemoryControlDisk): ControlStore & ClusterStore {
  const store = new MemoryControlStore(disk);
  const directory = slowVerbs(parts, store.directory);
  const own: Partial<ControlStore & ClusterStore> = { directory, open: () => store.open(), close: () => store.close() };
  const slow = slowVerbs<ControlStore>(parts, store);
  return new Proxy(store, {
    get: (_, name: keyof (ControlStore & ClusterStore)) => own[name] ?? slow[name as keyof ControlStore],
  });
}

function slowVerbs<Store extends object>(parts: StoreParts, store: Store): Store {
  return new Proxy(store, {
    get(_, name: string) {
      const verb = store[name as keyof Store] as (...args: unknown[]) => Promise<unknown>;
      if (typeof verb !== "function") return verb;
      return async (...args: unknown[]) => {
        const call = () => verb.apply(store, args);
        return await (LOOKS.has(name) ? lookAt(parts, call) : write(parts, call));
      };
    },
  });
}

function controlWire({ scheduler, chance, process }: StoreParts): Promise<void> {
  return scheduler.wait({ afterMs: chance.next() * 3, owner: process });
}

async function lookAt<T>(parts: StoreParts, call: () => Promise<T>): Promise<T> {
  await controlWire(parts);
  if (!parts.isDown(undefined)) return await call();
  parts.onHarm();
  throw new Error(`Reading the control database: ${LOST}.`);
}

async function write<T>(parts: StoreParts, call: () => Promise<T>): Promise<T> {
  const { chance, faults, onHarm, isDown } = parts;
  await controlWire(parts);
  if (isDown(undefined)) {
    onHarm();
    throw new Error(`Writing to the control database: ${LOST}.`);
  }
  const isHarmed = chance.is(faults().failed + faults().answerLost);
  const answer = !isHarmed || chance.is(0.5) ? await call() : undefined;
  await controlWire(parts);
  if (!isHarmed) return answer as T;
  onHarm();
  throw new Error("Writing to the control database: the disk is full.");
}
