/**
 * Several coordinators on one frontier in RAM, with one virtual clock, and an edge that goes to whoever owns a slot.
 * Invariant: nothing here decides anything; a coordinator that is cut off or killed reaches no store any more.
 */

import type { ClusterTimes } from "../../coordinator/frontier/cluster/times.ts";
import { type FrontierCoordinator, openCoordinator } from "../../coordinator/frontier/coordinator.ts";
import type { FrontierSettings } from "../../coordinator/frontier/settings.ts";
import { NotOwned } from "../../coordinator/owner_ports.ts";
import type { ShardStore } from "../../coordinator/ports.ts";
import type { ShardReader } from "../../coordinator/reader_ports.ts";
import { MemoryControlStore } from "../../coordinator/store/memory_control_store.ts";
import { memoryShardReader } from "../../coordinator/store/memory_shard_reader.ts";
import { MemoryShardStore } from "../../coordinator/store/memory_shard_store.ts";
import type { Lease } from "../../protocol/mod.ts";
import { nativeDigest } from "../../runtime/node.ts";
import { answerAll, ask, newWorld, silentLog, testCore, type World } from "./frontier.ts";

export interface Node {
  readonly url: string;
  readonly coordinator: FrontierCoordinator;
  /** From now on nothing that it does reaches a database, and nothing comes back. */
  kill(): void;
  /** Calls of the control database fail while it is true. */
  isCutOffControl: boolean;
  /** ms by which its wall clock is ahead of the world's; may be set. */
  aheadMs: number;
}

export interface NodeOptions {
  readonly aheadMs?: number;
  readonly settings?: Partial<FrontierSettings>;
  readonly times?: Partial<ClusterTimes>;
}

export class ClusterWorld {
  readonly world: World;
  readonly nodes: Node[] = [];
  /** Shards whose database nobody reaches. */
  readonly sick = new Set<number>();

  constructor(shards: number) {
    this.world = newWorld(shards);
  }

  get shards(): number {
    return this.world.disks.length;
  }

  async open(url: string, options: NodeOptions = {}): Promise<Node> {
    const { world } = this;
    const life = { isDead: false, isCutOff: false, aheadMs: options.aheadMs ?? 0 };
    const control = new MemoryControlStore(world.control);
    const guarded = <T extends object>(target: T, fails: () => string): T =>
      new Proxy(target, {
        get: (_, name) => {
          const member = target[name as keyof T];
          if (typeof member !== "function") return member;
          return (...args: unknown[]) => {
            if (life.isDead) return new Promise(() => {});
            const why = fails();
            return why === "" ? member.apply(target, args) : Promise.reject(new Error(why));
          };
        },
      });
    const lost = () => life.isCutOff ? "Reading: the control database can't be reached." : "";
    const store = {
      directory: guarded(control.directory, lost),
      allotments: guarded(control.allotments, lost),
    };
    const diskAt = (location: string) => world.disks[Number(location.slice("shard-".length))]!;
    const sickness = (location: string) => () =>
      this.sick.has(world.disks.indexOf(diskAt(location))) ? `Asking ${location}: it can't be reached.` : "";
    const openStore = (location: string): ShardStore =>
      guarded(new MemoryShardStore(diskAt(location)), sickness(location));
    const openReader = (location: string): ShardReader =>
      guarded(memoryShardReader(diskAt(location)), sickness(location));
    const { clock } = world;
    const coordinator = await openCoordinator({
      core: await testCore(),
      controlStore: guarded(control, lost),
      cluster: {
        store,
        url,
        locations: world.disks.map((_, index) => `shard-${index}`),
        openStore,
        openReader,
        ...(options.times === undefined ? {} : { times: options.times }),
      },
      clock: {
        wallMs: () => clock.wallMs() + life.aheadMs,
        monotonicMs: () => clock.monotonicMs(),
        sleep: (ms, signal) => life.isDead ? new Promise(() => {}) : clock.sleep(ms, signal),
      },
      random: world.random,
      digest: nativeDigest,
      log: silentLog,
      settings: { groupCommitMs: 0, ...options.settings },
    });
    const node: Node = {
      url,
      coordinator,
      get aheadMs() {
        return life.aheadMs;
      },
      set aheadMs(value) {
        life.aheadMs = value;
      },
      kill: () => {
        life.isDead = true;
        this.nodes.splice(this.nodes.indexOf(node), 1);
      },
      get isCutOffControl() {
        return life.isCutOff;
      },
      set isCutOffControl(value) {
        life.isCutOff = value;
      },
    };
    this.nodes.push(node);
    return node;
  }

  /** While the clock goes on, as an opening that waits for others needs. */
  async openAdvancing(url: string, options: NodeOptions = {}): Promise<Node> {
    let isOver = false;
    const over = () => void (isOver = true);
    const opening = this.open(url, options);
    opening.then(over, over);
    for (let step = 0; !isOver && step < 100; step++) await this.world.clock.advance(250);
    return await opening;
  }

  /** Shards by owner, as the databases say. */
  owners(): string[] {
    return this.world.disks.map(({ owner }) => owner);
  }

  /** Asks every coordinator for leases, and delivers what their outboxes hold. The leases, with who granted them. */
  async lease(): Promise<{ node: Node; lease: Lease }[]> {
    const found: { node: Node; lease: Lease }[] = [];
    for (const node of this.nodes) {
      const reply = await this.#patiently(ask(node.coordinator));
      for (const lease of reply.leases) found.push({ node, lease });
      for (const row of reply.outbox) {
        if (!await this.#deliver(row)) continue;
        const { lease_id, seq, from_shard } = row;
        const name = { lease_id, seq, ...(from_shard === undefined ? {} : { from_shard }) };
        await this.#patiently(node.coordinator.ackOutbox({ worker_id: "w1", rows: [name] })).catch((error) => {
          if (!isAway(error)) throw error;
        });
      }
    }
    return found;
  }

  /** Time goes on while something isn't answered at once. */
  async #patiently<T>(asked: Promise<T>): Promise<T> {
    let isAnswered = false;
    const answered = () => void (isAnswered = true);
    asked.then(answered, answered);
    await this.world.clock.settle();
    for (let waits = 0; !isAnswered && waits < 1_000; waits++) await this.world.clock.advance(100);
    return await asked;
  }

  async #deliver(row: Parameters<FrontierCoordinator["deliverOutbox"]>[0]["rows"][number]): Promise<boolean> {
    for (const { coordinator } of this.nodes) {
      try {
        await this.#patiently(coordinator.deliverOutbox({ worker_id: "w1", rows: [row] }));
        return true;
      } catch (error) {
        if (!isAway(error)) throw error;
      }
    }
    return false;
  }

  /**
   * Leases and answers until nothing was leased for `quietMs`; the URLs of all pages, in order, with the time of each
   * lease. What is leased is told before it is answered: a test may kill somebody then.
   */
  async crawl(
    site: (url: string) => readonly string[],
    options: { readonly quietMs?: number; readonly onLease?: (lease: Lease, node: Node) => boolean | void } = {},
  ): Promise<{ url: string; host: string; atMs: number }[]> {
    const pages: { url: string; host: string; atMs: number }[] = [];
    for (let quiet = 0; quiet < (options.quietMs ?? 20_000); quiet += 500) {
      for (const { node, lease } of await this.lease()) {
        quiet = 0;
        if (options.onLease?.(lease, node) === false || !this.nodes.includes(node)) continue;
        const atMs = this.world.clock.wallMs() + lease.first_start_in_ms;
        for (const { kind, url } of lease.targets) if (kind === "page") pages.push({ url, host: lease.host, atMs });
        await this.#patiently(answerAll(node.coordinator, lease, site)).catch((error) => {
          if (!isAway(error)) throw error;
        });
      }
      await this.world.clock.advance(500);
    }
    return pages;
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.splice(0).map(({ coordinator }) => coordinator.close()));
  }
}

/** An edge asks somebody else, or again later. */
function isAway(error: unknown): boolean {
  return error instanceof NotOwned || /can't be reached/.test(String(error));
}
