/**
 * A lease request over all shards: asks them in turn until the worker has enough, and says when to come back and why.
 * Invariant: a worker never holds more than its limit, whatever it says it holds (E52).
 */

import type { Lease, LeaseReply, LeaseRequest, OutboxRow, WorkerId } from "../../../protocol/mod.ts";
import { FetchSlots, READY_PER_SLOT } from "../queues/fetch_slots.ts";
import { WorkerBook } from "../queues/worker_book.ts";
import { LeaseOperation, type ShardGrant } from "./lease.ts";
import { tellHistories } from "./revisits.ts";
import type { EdgeView } from "../../fleet_ports.ts";
import type { FrontierParts } from "../shard.ts";
import type { StandingBoard } from "../views/standing_board.ts";
import type { ShardWriter } from "../writer.ts";

/** Shortest and longest time that a worker is sent away for. */
const RETRY_LEAST_MS = 20;
const RETRY_MOST_MS = 5_000;
/** While leases are out, new URLs can come any moment. */
const RETRY_BUSY_MS = 250;
/** What the shards asked so far have given. */
interface Gathered {
  readonly leases: Lease[];
  readonly outbox: OutboxRow[];
  readonly grants: ShardGrant[];
  targets: number;
}

export class LeaseDesk {
  readonly #parts: FrontierParts;
  readonly #board: StandingBoard;
  readonly slots = new FetchSlots();
  readonly workers: WorkerBook;
  /** Leases that requests under way may bring each worker: they count as held, or two of one moment would each fill it up. */
  readonly #asking = new Map<WorkerId, number>();
  #turn = 0;

  constructor(parts: FrontierParts, board: StandingBoard) {
    this.#parts = parts;
    this.#board = board;
    this.workers = new WorkerBook(parts.log);
  }

  /** The edges that were heard of. `now`: wall ms. */
  edges(now: number): EdgeView[] {
    return this.workers.views(now, (worker) => this.#heldBy(worker));
  }

  get #writers(): readonly ShardWriter[] {
    return this.#parts.book.own;
  }

  async lease(request: LeaseRequest): Promise<LeaseReply> {
    const { limits } = this.#parts.settings;
    this.workers.asked(request, this.#parts.clock.wallMs());
    const { worker_id: worker } = request;
    const held = Math.max(whole(request.holding), this.#heldBy(worker)) + (this.#asking.get(worker) ?? 0);
    const room = limits.leasesPerWorker - held;
    const silence = this.#parts.cluster?.silence() ?? "";
    const most = silence === "" ? Math.min(whole(request.max_leases), limits.leasesPerReply, Math.max(0, room)) : 0;
    this.#noteAsking(worker, most);
    const gathered = await this.#askAll(request, most).finally(() => this.#noteAsking(worker, -most));
    const { leases, outbox, grants } = gathered;
    this.#noteSlots(request, most, gathered);
    const pressure = room <= 0
      ? `back-pressure: ${worker} holds ${held} leases, at most ` +
        `${limits.leasesPerWorker} may be held`
      : silence;
    return { leases, outbox, slot_map: this.#parts.book.map, ...this.#after(leases.length, grants, pressure) };
  }

  #noteAsking(worker: WorkerId, change: number): void {
    const asking = (this.#asking.get(worker) ?? 0) + change;
    if (asking > 0) this.#asking.set(worker, asking);
    else this.#asking.delete(worker);
  }

  async #askAll(request: LeaseRequest, most: number): Promise<Gathered> {
    const gathered: Gathered = { leases: [], outbox: [], grants: [], targets: 0 };
    const first = this.#turn++;
    // One that is being loaded anew would keep the request waiting for it.
    const well = this.#writers.filter(({ problem }) => problem === "");
    const writers = well.length > 0 ? well : this.#writers;
    const errors: unknown[] = [];
    for (let step = 0; step < writers.length; step++) {
      const writer = writers[(first + step) % writers.length]!;
      try {
        await this.#ask(writer, { request, most, gathered });
      } catch (error) {
        // What other shards granted is durable and must reach the worker; and one shard holds up no other.
        errors.push(error);
        this.#parts.log.warn("a shard could not grant leases", { error: String(error) });
      }
    }
    if (errors.length > 0 && errors.length === writers.length) throw errors[0];
    return gathered;
  }

  async #ask(
    writer: ShardWriter,
    what: { readonly request: LeaseRequest; readonly most: number; readonly gathered: Gathered },
  ): Promise<void> {
    const { request, most, gathered } = what;
    const grant = await writer.submit(
      new LeaseOperation({
        workerId: request.worker_id,
        region: request.region,
        maxTargets: Math.max(0, whole(request.max) - gathered.targets),
        maxLeases: most - gathered.leases.length,
        outboxRows: this.#parts.settings.limits.outboxRowsPerReply - gathered.outbox.length,
      }),
    );
    await this.#tellHistories(grant, writer);
    gathered.grants.push(grant);
    gathered.leases.push(...grant.leases);
    gathered.outbox.push(...grant.outbox);
    gathered.targets += grant.targets;
  }

  /** The leases are durable by now, and go out whether or not the store can be read. */
  async #tellHistories({ revisits }: ShardGrant, { store }: ShardWriter): Promise<void> {
    try {
      await tellHistories(revisits, store);
    } catch (error) {
      this.#parts.log.warn("leased pages go out without their history", { error: String(error) });
    }
  }

  #noteSlots({ worker_id: worker }: LeaseRequest, asked: number, { leases, grants }: Gathered): void {
    this.slots.note({
      worker,
      asked,
      granted: leases.length,
      ready: Math.min(READY_PER_SLOT * asked, grants.reduce((sum, grant) => sum + grant.ready, 0)),
      unloaded: grants.reduce((sum, grant) => sum + grant.unloaded, 0),
      isRefused: grants.some(({ refusal }) => refusal !== ""),
      hasQueued: leases.length < asked && this.#hasQueued(),
    }, this.#parts.clock.wallMs());
  }

  /** Among several regions a host may be placed at the asking one any moment, and would wait for it. */
  #mayBeCalled(now: number): boolean {
    return this.#writers.some(({ shard }) => shard.regions.live(now).length > 1) && this.#hasQueued();
  }

  /** URLs of a running crawl wait, in whatever state. */
  #hasQueued(): boolean {
    for (const crawl of this.#parts.crawls.all()) {
      if (!crawl.isRunning) continue;
      let queued = 0;
      for (const { shard } of this.#writers) {
        const counts = shard.counters.get(crawl.id);
        if (counts !== undefined) queued += counts.accepted - counts.settled - crawl.leased[shard.index]!;
      }
      if (queued > 0) return true;
    }
    return false;
  }

  #heldBy(worker: string): number {
    return this.#writers.reduce((sum, { shard }) => sum + (shard.leasesOfWorker.get(worker) ?? 0), 0);
  }

  #after(
    granted: number,
    grants: readonly ShardGrant[],
    pressure: string,
  ): Pick<LeaseReply, "retry_after_ms" | "reason"> {
    if (pressure !== "") return { retry_after_ms: 1_000, reason: pressure };
    const now = this.#parts.clock.wallMs();
    const isBusy = this.#writers.some(({ shard }) => shard.leases.size > 0) || this.#mayBeCalled(now);
    const wakeAt = Math.min(...grants.map((grant) => grant.hasMore ? now : grant.nextWakeAt));
    const most = isBusy ? RETRY_BUSY_MS : RETRY_MOST_MS;
    const retry_after_ms = Math.ceil(Math.min(most, Math.max(RETRY_LEAST_MS, wakeAt - now)));
    if (granted > 0) return { retry_after_ms, reason: "" };
    const refusal = grants.map((grant) => grant.refusal).filter((clause) => clause !== "").join("; ");
    return { retry_after_ms, reason: refusal === "" ? this.#whyNothing(now) : refusal };
  }

  #whyNothing(now: number): string {
    const running = [...this.#parts.crawls.all()].filter((crawl) => crawl.isRunning).map((crawl) => crawl.id);
    if (running.length === 0) return "no crawl is running";
    return this.#board.of(running, now).sentence() || "nothing is queued";
  }
}

function whole(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.floor(value)) : 0;
}
