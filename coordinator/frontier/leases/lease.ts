/**
 * One shard's part of a lease request: back-pressure, grants, outbox rows to deliver.
 * Invariant: a worker that holds its limit, or a shard whose outbox is full, gets no lease, and is told why.
 */

import type { Lease, OutboxRow } from "../../../protocol/mod.ts";
import { READY_PER_SLOT } from "../queues/fetch_slots.ts";
import { grantLeases } from "./grant.ts";
import type { Revisit } from "./revisits.ts";
import type { Operation, Round } from "../round.ts";
import { nextFreeAt } from "../clocks/start_limits.ts";

export interface ShardGrant {
  readonly leases: readonly Lease[];
  readonly targets: number;
  /** Targets of its leases that were fetched before. */
  readonly revisits: readonly Revisit[];
  readonly outbox: readonly OutboxRow[];
  /** Not empty: why this shard grants nothing now, as a clause. */
  readonly refusal: string;
  /** A host could be leased at once, if the request had room for it. */
  readonly hasMore: boolean;
  /** Hosts that could have been leased when it was asked, with URLs in memory and without. */
  readonly ready: number;
  readonly unloaded: number;
  /** Wall ms at which the next host can be leased; Infinity = none is waiting for a time. */
  readonly nextWakeAt: number;
}

export interface LeaseWish {
  readonly workerId: string;
  /** As the worker says it. */
  readonly region: string;
  readonly maxTargets: number;
  readonly maxLeases: number;
  readonly outboxRows: number;
}

export class LeaseOperation implements Operation<ShardGrant> {
  readonly #wish: LeaseWish;
  #region = "";

  constructor(wish: LeaseWish) {
    this.#wish = wish;
  }

  plan(round: Round): void {
    const { maxLeases } = this.#wish;
    const { regions } = round.shard;
    this.#region = regions.admit(this.#wish.region, round.now);
    if (maxLeases > 0) {
      regions.asked(this.#region, round.now);
      round.wantLeases(this.#region, maxLeases);
    }
    round.outboxWanted += this.#wish.outboxRows;
  }

  apply(round: Round): ShardGrant {
    const { shard, now } = round;
    const { workerId, maxTargets, maxLeases, outboxRows } = this.#wish;
    const region = this.#region;
    const outbox = shard.outbox.handOut(round.outboxRows, outboxRows, now)
      .map((row) => ({ ...row, from_shard: shard.index }));
    const refusal = this.#refusal(round);
    const request = { worker_id: workerId, region, max: maxTargets, max_leases: maxLeases };
    const found = lookAhead(round, region, maxLeases);
    const granted = refusal === "" ? grantLeases(round, request) : { leases: [], targets: 0, revisits: [] };
    const hasMore = refusal === "" && (shard.schedule.view(region, now).hasReady || shard.hungry.size > 0);
    const nextWakeAt = Math.min(shard.schedule.nextWakeAt(region, now), nextFreeAt(shard));
    return { ...granted, ...found, outbox, refusal, hasMore, nextWakeAt };
  }

  #refusal(round: Round): string {
    const { outbox } = round.shard;
    const { limits } = round.shard.parts.settings;
    if (outbox.size < limits.outboxRows) return "";
    const { shard, rows } = outbox.longest()!;
    return `${outbox.size} outbox rows wait for delivery, ${rows} of them to shard ${shard}; at most ${limits.outboxRows} may`;
  }
}

/** Looks at the next hosts that the region may take, `READY_PER_SLOT` for each lease that is asked for. */
function lookAhead({ shard, now }: Round, region: string, leases: number): Pick<ShardGrant, "ready" | "unloaded"> {
  const most = READY_PER_SLOT * leases;
  let ready = 0;
  let unloaded = 0;
  if (most === 0) return { ready, unloaded };
  for (const host of shard.schedule.view(region, now).peek(most)) {
    if (host.queues.some((queue) => queue.heads.length > 0)) ready++;
    else unloaded++;
    if (ready === most) break;
  }
  return { ready, unloaded: Math.min(unloaded, most - ready) };
}
