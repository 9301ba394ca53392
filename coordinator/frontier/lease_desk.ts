/**
 * A lease request over all shards: asks them in turn until the worker has enough, and says when to come back and why.
 * Invariant: a worker never holds more than its limit, whatever it says it holds (E52).
 */

import type { Lease, LeaseReply, LeaseRequest, OutboxRow } from "../../protocol/mod.ts";
import { LeaseOperation, type ShardGrant } from "./lease.ts";
import type { FrontierParts } from "./shard.ts";
import { Standing } from "./standing.ts";
import type { ShardWriter } from "./writer.ts";

/** Shortest and longest time that a worker is sent away for. */
const RETRY_LEAST_MS = 20;
const RETRY_MOST_MS = 5_000;
/** While leases are out, new URLs can come any moment. */
const RETRY_BUSY_MS = 250;
/** How long the reason for "nothing" is kept before it is worked out again, where there are many hosts to look at. */
const REASON_KEPT_MS = 250;
const MANY_HOSTS = 5_000;

/** What the shards asked so far have given. */
interface Gathered {
  readonly leases: Lease[];
  readonly outbox: OutboxRow[];
  readonly grants: ShardGrant[];
  targets: number;
}

export class LeaseDesk {
  readonly #parts: FrontierParts;
  readonly #writers: readonly ShardWriter[];
  #turn = 0;
  #reason = { sentence: "", at: -Infinity };

  constructor(parts: FrontierParts, writers: readonly ShardWriter[]) {
    this.#parts = parts;
    this.#writers = writers;
  }

  async lease(request: LeaseRequest): Promise<LeaseReply> {
    const { limits } = this.#parts.settings;
    const room = limits.leasesPerWorker - Math.max(whole(request.holding), this.#heldBy(request.worker_id));
    const most = Math.min(whole(request.max_leases), limits.leasesPerReply, Math.max(0, room));
    const gathered: Gathered = { leases: [], outbox: [], grants: [], targets: 0 };
    const first = this.#turn++;
    for (let step = 0; step < this.#writers.length; step++) {
      const writer = this.#writers[(first + step) % this.#writers.length]!;
      try {
        await this.#ask(writer, { request, most, gathered });
      } catch (error) {
        // What other shards granted is durable and must reach the worker.
        if (gathered.leases.length === 0) throw error;
        this.#parts.log.warn("a shard could not grant leases", { error: String(error) });
      }
    }
    const { leases, outbox, grants } = gathered;
    const pressure = room <= 0
      ? `back-pressure: ${request.worker_id} holds ${limits.leasesPerWorker - room} leases, at most ` +
        `${limits.leasesPerWorker} may be held`
      : "";
    return { leases, outbox, slot_map: this.#parts.slotMap, ...this.#after(leases.length, grants, pressure) };
  }

  async #ask(
    writer: ShardWriter,
    what: { readonly request: LeaseRequest; readonly most: number; readonly gathered: Gathered },
  ): Promise<void> {
    const { request, most, gathered } = what;
    const grant = await writer.submit(
      new LeaseOperation({
        workerId: request.worker_id,
        maxTargets: Math.max(0, whole(request.max) - gathered.targets),
        maxLeases: most - gathered.leases.length,
        outboxRows: this.#parts.settings.limits.outboxRowsPerReply - gathered.outbox.length,
      }),
    );
    gathered.grants.push(grant);
    gathered.leases.push(...grant.leases);
    gathered.outbox.push(...grant.outbox);
    gathered.targets += grant.targets;
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
    const isBusy = this.#writers.some(({ shard }) => shard.leases.size > 0);
    const wakeAt = Math.min(...grants.map((grant) => grant.hasMore ? now : grant.nextWakeAt));
    const most = isBusy ? RETRY_BUSY_MS : RETRY_MOST_MS;
    const retry_after_ms = Math.ceil(Math.min(most, Math.max(RETRY_LEAST_MS, wakeAt - now)));
    if (granted > 0) return { retry_after_ms, reason: "" };
    const refusal = grants.map((grant) => grant.refusal).filter((clause) => clause !== "").join("; ");
    return { retry_after_ms, reason: refusal === "" ? this.#whyNothing(now) : refusal };
  }

  #whyNothing(now: number): string {
    const isCostly = this.#writers.some(({ shard }) => shard.hosts.size > MANY_HOSTS);
    if (isCostly && Math.abs(now - this.#reason.at) < REASON_KEPT_MS) return this.#reason.sentence;
    const running = [...this.#parts.crawls.all()].filter((crawl) => crawl.isRunning);
    const standing = new Standing();
    for (const crawl of running) for (const { shard } of this.#writers) standing.add(shard, crawl.id, now);
    const sentence = running.length === 0 ? "no crawl is running" : standing.sentence() || "nothing is queued";
    this.#reason = { sentence, at: now };
    return sentence;
  }
}

function whole(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.floor(value)) : 0;
}
