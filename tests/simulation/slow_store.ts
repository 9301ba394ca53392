/**
 * The memory stores behind a wire: every call takes time, and commits fail as a disk or a remote database does.
 * Invariant: a batch is applied whole or not at all (both engines that we have see to that), and never under another
 * owner's term; what a torn commit leaves is nothing.
 */

import type { Batch, ControlStore, CrawlRow, ShardStore } from "../../coordinator/ports.ts";
import type { MemoryControlDisk } from "../../coordinator/store/memory_control_store.ts";
import { MemoryControlStore } from "../../coordinator/store/memory_control_store.ts";
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
  readonly faults: () => StoreFaults;
  /** A commit was harmed, or a read. */
  readonly onHarm: () => void;
  readonly onCommit: (shard: number, batch: Batch) => void;
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
      return (...args: unknown[]) => read(parts, () => verb.apply(store, args));
    },
  });
}

async function read<T>(parts: StoreParts, call: () => Promise<T>): Promise<T> {
  await wire(parts);
  if (parts.chance.is(parts.faults().read)) {
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
    this.#parts.onCommit(this.#shard, batch);
  }

  #applyLate(batch: Batch): void {
    if (this.#disk.batchSeq + 1 !== batch.batchSeq) return;
    this.#store.commit(batch).then(() => this.#parts.onCommit(this.#shard, batch), () => {});
  }
}

export function slowControlStore(parts: StoreParts, disk: MemoryControlDisk): ControlStore {
  const store = new MemoryControlStore(disk);
  const { scheduler, chance, process, faults, onHarm } = parts;
  const wire = () => scheduler.wait({ afterMs: chance.next() * 3, owner: process });
  return {
    open: () => store.open(),
    async crawls() {
      await wire();
      return await store.crawls();
    },
    async putCrawl(crawl: CrawlRow, over: number) {
      await wire();
      const isHarmed = chance.is(faults().failed + faults().answerLost);
      const isDone = !isHarmed || chance.is(0.5);
      const answer = isDone && await store.putCrawl(crawl, over);
      await wire();
      if (!isHarmed) return answer;
      onHarm();
      throw new Error("Saving a crawl: the disk is full.");
    },
    idempotent: (key, now) => store.idempotent(key, now),
    putIdempotent: (key, answer, now) => store.putIdempotent(key, answer, now),
    close: () => store.close(),
  };
}
