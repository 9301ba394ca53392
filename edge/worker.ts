/**
 * The loop of an edge node: asks for leases while it has hands free, works through them, delivers outbox rows.
 * Invariants: never more leases than maxLeases; a stop ends cleanly (requests in flight are settled, the rest goes
 * back); trouble of this machine pauses leasing and is told (health/), it costs no URL an attempt.
 */

import type { LeaseReply } from "../protocol/mod.ts";
import { LIMITS } from "../protocol/mod.ts";
import { runLease } from "./lease_run.ts";
import { OutboxDelivery } from "./outbox_delivery.ts";
import type { EdgeParts } from "./parts.ts";
import { Stopwatch } from "./stopwatch.ts";

/** Bounds of the wait between two lease requests, ms. */
const SHORTEST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 5_000;
const FIRST_TROUBLE_WAIT_MS = 500;
const BACKLOG_WAIT_MS = 200;

/** Runs until `stop`, then until everything in flight is settled. Never rejects. */
export async function runWorker(parts: EdgeParts, stop: AbortSignal): Promise<void> {
  await new Worker(parts, stop).run();
}

class Worker {
  readonly #parts: EdgeParts;
  readonly #stop: AbortSignal;
  readonly #active = new Set<Promise<void>>();
  readonly #outbox: OutboxDelivery;
  #wake: AbortController = new AbortController();
  #troubleWaitMs = FIRST_TROUBLE_WAIT_MS;
  /** The coordinator is being told that this edge is unwell. */
  #telling: Promise<void> | undefined;

  constructor(parts: EdgeParts, stop: AbortSignal) {
    this.#parts = parts;
    this.#outbox = new OutboxDelivery(parts, () => this.#wake.abort());
    this.#stop = stop;
    stop.addEventListener("abort", () => this.#wake.abort(), { once: true });
  }

  async run(): Promise<void> {
    while (!this.#stop.aborted) {
      const waitMs = await this.#round();
      await this.#pause(waitMs);
    }
    while (this.#active.size > 0) await Promise.all(this.#active);
    await this.#telling;
    await this.#outbox.settled();
  }

  /** One lease request, when hands are free; how long to wait before the next. */
  async #round(): Promise<number> {
    const { settings, clock, frontier, log, health } = this.#parts;
    if (health.isUnwell) {
      this.#telling ??= this.#tellUnwell().finally(() => this.#telling = undefined);
      const waitMs = await health.check();
      if (health.isUnwell) return Math.max(SHORTEST_WAIT_MS, waitMs);
    }
    // What is fetched couldn't be kept: hosts are better leased by others.
    if (this.#parts.backlog.isFull) return BACKLOG_WAIT_MS;
    const free = settings.maxLeases - this.#active.size;
    if (free <= 0) return LONGEST_WAIT_MS;
    const sent = Stopwatch.start(clock);
    try {
      const reply = await frontier.lease({
        worker_id: settings.workerId,
        region: settings.region,
        max: settings.maxTargets,
        max_leases: Math.min(free, LIMITS.leasesPerReply),
        holding: this.#active.size,
      });
      this.#troubleWaitMs = FIRST_TROUBLE_WAIT_MS;
      this.#take(reply, sent);
      return reply.leases.length > 0 ? SHORTEST_WAIT_MS : reply.retry_after_ms;
    } catch (error) {
      log.warn("could not ask for leases; trying again", { error: String(error) });
      return this.#nextTroubleWait();
    }
  }

  /** Asks for nothing, and says why: others get the hosts, and operators see it. Never rejects. */
  async #tellUnwell(): Promise<void> {
    const { settings, frontier, log, health } = this.#parts;
    try {
      const reply = await frontier.lease({
        worker_id: settings.workerId,
        region: settings.region,
        max: 0,
        max_leases: 0,
        holding: this.#active.size,
        unhealthy: health.sentence.slice(0, LIMITS.unhealthyChars),
      });
      this.#parts.onSlotMap(reply.slot_map);
      if (reply.outbox.length > 0) this.#outbox.begin(reply.outbox, reply.slot_map);
    } catch (error) {
      log.warn("could not tell the coordinator that this edge is unhealthy", { error: String(error) });
    }
  }

  #take(reply: LeaseReply, sent: Stopwatch): void {
    this.#parts.onSlotMap(reply.slot_map);
    for (const lease of reply.leases) this.#begin(runLease(lease, this.#parts, sent, this.#stop));
    if (reply.outbox.length > 0) this.#outbox.begin(reply.outbox, reply.slot_map);
  }

  #begin(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => {
      this.#active.delete(tracked);
      this.#wake.abort();
    });
    this.#active.add(tracked);
  }

  /** Waits, but no longer than until something ended: its host's next URLs, or its outlinks, may be there to lease. */
  async #pause(waitMs: number): Promise<void> {
    await this.#parts.clock.sleep(SHORTEST_WAIT_MS, this.#stop);
    if (!this.#stop.aborted && !this.#wake.signal.aborted) {
      await this.#parts.clock.sleep(Math.min(waitMs, LONGEST_WAIT_MS) - SHORTEST_WAIT_MS, this.#wake.signal);
    }
    if (this.#wake.signal.aborted && !this.#stop.aborted) this.#wake = new AbortController();
  }

  #nextTroubleWait(): number {
    const waitMs = this.#troubleWaitMs;
    this.#troubleWaitMs = Math.min(waitMs * 2, 60_000);
    return waitMs;
  }
}
