/**
 * Coordinators that hand slots to each other on memory stores, edges that crawl meanwhile, and deaths of either process
 * between any two writes.
 * Invariant: what a dead process still does reaches no store; a run is repeated exactly by the same arguments.
 */

import assert from "node:assert/strict";
import { FrontierCoordinator, openCoordinator } from "../../coordinator/frontier/coordinator.ts";
import type { FrontierSettings } from "../../coordinator/frontier/settings.ts";
import type { ClusterOptions } from "../../coordinator/frontier/cluster/keeper.ts";
import { NotOwned, OwnerLost } from "../../coordinator/owner_ports.ts";
import type { CrawlStats, Lease, OutboxRow } from "../../protocol/mod.ts";
import { shardOf } from "../../protocol/mod.ts";
import type { ShardStore } from "../../coordinator/ports.ts";
import type { ShardReader } from "../../coordinator/reader_ports.ts";
import { SlotMoving } from "../../coordinator/slot_ports.ts";
import { MemoryControlStore } from "../../coordinator/store/memory_control_store.ts";
import { memoryShardReader } from "../../coordinator/store/memory_shard_reader.ts";
import { MemoryShardDisk, MemoryShardStore } from "../../coordinator/store/memory_shard_store.ts";
import { nativeDigest } from "../../runtime/node.ts";
import type { Clock } from "../../runtime/ports.ts";
import { fetched, newWorld, robots, silentLog, testCore, type World } from "./frontier.ts";

/** The answer of a coordinator that isn't, or is no longer, the one to ask. */
function isPassing(error: unknown): boolean {
  return error instanceof NotOwned || error instanceof SlotMoving || error instanceof OwnerLost ||
    /is closed|stopped/.test(String(error));
}

/** What a process does to a store, counted so that it can be killed between two of them. */
const WRITES = new Set(
  ["commit", "open", "giveBack", "beginMove", "markDrained", "finishCopy", "endMove", "spread", "announce"],
);

/** When a process dies: at its write of this number (from 1), before or after the write happens. */
export interface Death {
  readonly write: number;
  readonly isAfter: boolean;
}

/** One run of one process; stores that were opened through it die with it. */
class Run {
  writes = 0;
  isDead = false;
  readonly died: Promise<"died">;
  #die!: () => void;
  readonly #death: Death | undefined;

  constructor(death: Death | undefined) {
    this.#death = death;
    this.died = new Promise((resolve) => this.#die = () => resolve("died"));
  }

  kill(): void {
    this.isDead = true;
    this.#die();
  }

  mortal<T extends object>(store: T): T {
    return new Proxy(store, {
      get: (_, name) => {
        const verb = store[name as keyof T];
        if (typeof verb !== "function") return typeof verb === "object" && verb !== null ? this.mortal(verb) : verb;
        return (...args: unknown[]) => this.#call(() => verb.apply(store, args), WRITES.has(String(name)));
      },
    });
  }

  #call(call: () => unknown, isWrite: boolean): unknown {
    if (this.isDead) return new Promise(() => {});
    if (isWrite && ++this.writes === this.#death?.write) {
      if (this.#death.isAfter) call();
      this.kill();
      return new Promise(() => {});
    }
    return call();
  }
}

interface Process {
  readonly url: string;
  readonly shards: readonly number[];
  /** How far its wall clock is ahead of the true time. */
  readonly aheadMs: number;
  run: Run;
  coordinator: FrontierCoordinator | undefined;
}

export interface HandoverOptions {
  /** Which shards each process owns; in a cluster only how many there are, as they share the shards out themselves. */
  readonly processes: readonly (readonly number[])[];
  readonly isCluster?: boolean;
  readonly aheadMs?: readonly number[];
  /** Shards of the first start; the others are added. */
  readonly shards: number;
  readonly settings?: Partial<FrontierSettings>;
  readonly rowsPerCommit?: number;
  /** Opens a shard's store; absent = in memory. */
  readonly store?: (shard: number) => ShardStore;
  readonly reader?: (location: string) => ShardReader;
}

interface Fetching {
  readonly lease: Lease;
  readonly at: number;
}

export class HandoverWorld {
  readonly world: World;
  readonly #processes: Process[];
  readonly #options: HandoverOptions;
  readonly #disks: MemoryShardDisk[];
  /** Pages in the order in which they were fetched. */
  readonly pages: string[] = [];
  /** Leases whose report hasn't arrived. */
  #pending: Fetching[] = [];
  #rows: OutboxRow[] = [];
  readonly #lastStart = new Map<string, { readonly at: number; readonly requests: number }>();
  deaths = 0;

  constructor(options: HandoverOptions) {
    this.#options = options;
    const shards = Math.max(...options.processes.flat()) + 1;
    this.world = newWorld(shards);
    this.#disks = [...this.world.disks];
    this.#processes = options.processes.map((owned, i) => ({
      url: `http://p${i}`,
      shards: owned,
      aheadMs: options.aheadMs?.[i] ?? 0,
      run: new Run(undefined),
      coordinator: undefined,
    }));
  }

  get control() {
    return new MemoryControlStore(this.world.control).directory;
  }

  coordinator(process = 0): FrontierCoordinator {
    return this.#processes[process]!.coordinator!;
  }

  #clockOf({ aheadMs }: Process): Clock {
    const { clock } = this.world;
    return {
      wallMs: () => clock.wallMs() + aheadMs,
      monotonicMs: () => clock.monotonicMs(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    };
  }

  /** Starts what doesn't run. `death`: of the processes that are started now. */
  async start(death?: Death): Promise<void> {
    await this.control.found(Array.from({ length: this.#options.shards }, (_, i) => `frontier-${i}.db`));
    for (let i = this.#options.shards; i < this.#disks.length; i++) await this.control.addShard(`frontier-${i}.db`);
    for (const process of this.#processes) {
      if (process.coordinator === undefined) await this.#open(process, death);
    }
  }

  async #open(process: Process, death?: Death): Promise<void> {
    const run = process.run = new Run(death);
    const stores = this.#disks.map((disk, shard) =>
      process.shards.includes(shard)
        ? run.mortal(this.#options.store?.(shard) ?? new MemoryShardStore(disk))
        : undefined
    );
    const controlStore = run.mortal(new MemoryControlStore(this.world.control));
    const { directory, allotments } = controlStore;
    const cluster: ClusterOptions = {
      store: { directory, allotments },
      url: process.url,
      locations: [],
      openStore: (location) => run.mortal(new MemoryShardStore(this.#diskAt(location))),
      openReader: (location) => run.mortal(this.#readerOf(location)),
    };
    const opening = this.#orDeath(
      process,
      openCoordinator({
        core: await testCore(),
        ...(this.#options.isCluster ? { cluster } : { shardStores: stores }),
        controlStore,
        clock: this.#clockOf(process),
        random: this.world.random,
        digest: nativeDigest,
        log: silentLog,
        settings: { groupCommitMs: 0, ...this.#options.settings },
        slotMap: (await this.control.read()).slotMap,
        slots: {
          directory,
          openReader: (location) => this.#readerOf(location),
          ...(this.#options.rowsPerCommit === undefined ? {} : { rowsPerCommit: this.#options.rowsPerCommit }),
        },
      }),
    );
    const opened = this.#options.isCluster ? await this.advancing(opening) : await opening;
    if (opened === "died") return await this.#open(process);
    process.coordinator = opened;
  }

  /** Time goes on until the promise is settled. */
  async advancing<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = promise.finally(() => isSettled = true);
    settled.catch(() => {});
    for (let step = 0; !isSettled && step < 400; step++) await this.world.clock.advance(250);
    return await settled;
  }

  /** What `call` answers, or "died": then the process has been started again. */
  async #orDeath<T>(process: Process, call: Promise<T>): Promise<T | "died"> {
    const answer = await Promise.race([call, process.run.died]);
    if (answer !== "died") return answer;
    this.deaths++;
    process.coordinator = undefined;
    return "died";
  }

  async #call<T>(process: Process, call: (coordinator: FrontierCoordinator) => Promise<T>): Promise<T | "died"> {
    const answer = await this.#orDeath(process, call(process.coordinator!));
    if (answer === "died") await this.#open(process);
    return answer;
  }

  /** Kills every process at once, and starts them again; they are to die so. */
  async restart(death?: Death): Promise<void> {
    for (const process of this.#processes) {
      process.run.kill();
      process.coordinator = undefined;
      await this.#open(process, death);
    }
  }

  /** Each process does what it can for moving slots. */
  async moveSlots(): Promise<void> {
    // Its keeper does, about once a second.
    if (this.#options.isCluster) return;
    for (const process of this.#processes) {
      await this.#call(process, async (coordinator) => await coordinator.slots!.tick(await this.control.read()));
    }
  }

  /** One moment of the edges: they report, deliver, and ask for more. */
  async crawl(site: (url: string) => readonly string[]): Promise<void> {
    const pending = this.#pending.splice(0);
    for (const fetching of pending) if (!await this.#report(fetching, site)) this.#pending.push(fetching);
    const rows = this.#rows.splice(0);
    for (const row of rows) if (!await this.#deliver(row)) this.#rows.push(row);
    for (const process of this.#processes) {
      const request = { worker_id: "w1", region: "r", max: 40, max_leases: 8, holding: 0 };
      const reply = await this.#call(process, (coordinator) => coordinator.lease(request)).catch((error) => {
        if (isPassing(error)) return "died" as const;
        throw error;
      });
      if (reply === "died") continue;
      for (const lease of reply.leases) this.#begin(lease);
      this.#rows.push(...reply.outbox);
    }
  }

  #begin(lease: Lease): void {
    const at = this.world.clock.wallMs() + Math.max(0, lease.first_start_in_ms);
    const last = this.#lastStart.get(lease.host);
    if (last !== undefined) {
      const earliest = last.at + last.requests * lease.gap_ms;
      assert.ok(at >= earliest - 1, `${lease.host} is asked ${earliest - at} ms inside its delay`);
    }
    this.#lastStart.set(lease.host, { at, requests: lease.targets.length });
    this.pages.push(...lease.targets.filter(({ kind }) => kind === "page").map(({ url }) => url));
    this.#pending.push({ lease, at });
  }

  /** The process that has the slot as the directory says; undefined = nobody. */
  async #ownerOf(slot: number): Promise<Process | undefined> {
    const { slotMap } = await this.control.read();
    const shard = shardOf(slotMap, slot);
    const { url } = slotMap.owners![shard]!;
    return this.#processes.find((one) => this.#options.isCluster ? one.url === url : one.shards.includes(shard));
  }

  async #report({ lease, at }: Fetching, site: (url: string) => readonly string[]): Promise<boolean> {
    const { lease_id, epoch, slot } = lease;
    const outcomes = lease.targets.map((target) =>
      target.kind === "robots" ? robots(target) : fetched(target, site(target.url))
    );
    const ago = { last_start_ago_ms: Math.max(0, this.world.clock.wallMs() - at) };
    return await this.#tell(await this.#ownerOf(slot), async (coordinator) => {
      const reply = await coordinator.complete({
        worker_id: "w1",
        lease_id,
        epoch,
        slot,
        outcomes,
        done: true,
        ...ago,
      });
      assert.ok(reply.status === "ok" || this.deaths > 0, `the lease of ${lease.host} was gone`);
    });
  }

  async #deliver(row: OutboxRow): Promise<boolean> {
    const isIn = await this.#tell(
      await this.#ownerOf(row.slot),
      (coordinator) => coordinator.deliverOutbox({ worker_id: "w1", rows: [row] }),
    );
    if (!isIn) return false;
    const rows = [{ lease_id: row.lease_id, seq: row.seq }];
    for (const process of this.#processes) {
      if (!await this.#tell(process, (coordinator) => coordinator.ackOutbox({ worker_id: "w1", rows }))) return false;
    }
    return true;
  }

  /** False: it died, or says that another is to be asked, or later. */
  async #tell(
    process: Process | undefined,
    call: (coordinator: FrontierCoordinator) => Promise<void>,
  ): Promise<boolean> {
    if (process === undefined) return false;
    try {
      return await this.#call(process, call) !== "died";
    } catch (error) {
      if (isPassing(error)) return false;
      throw error;
    }
  }

  /** What all shards have counted of a crawl. */
  async total(crawlId: string, name: "accepted" | "settled" | "sent" | "received"): Promise<number> {
    let sum = 0;
    for (const reader of this.readers()) {
      const look = await reader.look();
      sum += look?.crawls.find((crawl) => crawl.crawlId === crawlId)?.counters?.[name] ?? 0;
      await reader.close();
    }
    return sum;
  }

  /** One for each shard; the caller closes them. */
  readers(): ShardReader[] {
    return this.#disks.map((_, shard) => this.#readerOf(`frontier-${shard}.db`));
  }

  #readerOf(location: string): ShardReader {
    return this.#options.reader?.(location) ?? memoryShardReader(this.#diskAt(location));
  }

  #diskAt(location: string): MemoryShardDisk {
    return this.#disks[Number(/\d+/.exec(location)![0])]!;
  }

  stats(process: number, crawlId: string): CrawlStats {
    return this.coordinator(process).stats(crawlId)!;
  }

  async close(): Promise<void> {
    // It may die of its last writes.
    for (const { coordinator, run } of this.#processes) await Promise.race([coordinator?.close(), run.died]);
  }
}
