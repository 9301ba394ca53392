/**
 * Carries outbox rows from the shards that wrote them to the owners of their slots, then acknowledges them.
 * Invariant: acknowledged only after the owner has them durably; a row that fails stays and comes with a later lease. An
 * owner that doesn't answer holds back no rows of others, and no lease; one request at a time is under way to each.
 */

import { LIMITS, type OutboxRow, shardOf, type SlotMap } from "../protocol/mod.ts";
import type { EdgeParts } from "./parts.ts";

/** Rows that wait for one owner; more are left until they are handed out again. */
const MOST_WAITING = 4 * LIMITS.outboxRowsPerReply;

export class OutboxDelivery {
  readonly #parts: EdgeParts;
  readonly #onDelivered: () => void;
  /** Rows that wait while others are under way to the same owner. */
  readonly #waiting = new Map<string, OutboxRow[]>();
  readonly #running = new Set<Promise<void>>();

  constructor(parts: EdgeParts, onDelivered: () => void) {
    this.#parts = parts;
    this.#onDelivered = onDelivered;
  }

  /** Begins to deliver. */
  begin(rows: readonly OutboxRow[], map: SlotMap): void {
    for (const [owner, some] of Map.groupBy(rows, (row) => ownerOf(map, row))) {
      const waiting = this.#waiting.get(owner);
      if (waiting !== undefined) waiting.push(...some.slice(0, Math.max(0, MOST_WAITING - waiting.length)));
      else this.#run(owner, some);
    }
  }

  #run(owner: string, first: readonly OutboxRow[]): void {
    this.#waiting.set(owner, []);
    const running: Promise<void> = this.#deliverAll(owner, first).finally(() => {
      this.#waiting.delete(owner);
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Until nothing waits. After a failure what waits is left too: it would be as late. */
  async #deliverAll(owner: string, first: readonly OutboxRow[]): Promise<void> {
    const waiting = this.#waiting.get(owner)!;
    for (let rows = first; rows.length > 0; rows = waiting.splice(0, LIMITS.outboxRowsPerReply)) {
      if (!await this.#deliver(rows)) return;
    }
  }

  /** False: not delivered, or nobody could be told that they are. */
  async #deliver(rows: readonly OutboxRow[]): Promise<boolean> {
    const { frontier, settings, log } = this.#parts;
    const worker_id = settings.workerId;
    try {
      await frontier.deliverOutbox({ worker_id, rows });
      this.#onDelivered();
      await frontier.ackOutbox({ worker_id, rows: rows.map(nameOf) });
      return true;
    } catch (error) {
      log.warn("could not deliver outbox rows; they will be handed out again", {
        rows: rows.length,
        error: String(error),
      });
      return false;
    }
  }
}

function nameOf({ lease_id, seq, from_shard }: OutboxRow) {
  return { lease_id, seq, ...(from_shard === undefined ? {} : { from_shard }) };
}

/** "" where one coordinator has all shards. */
function ownerOf(map: SlotMap, { slot }: OutboxRow): string {
  if (map.owners === undefined) return "";
  const shard = shardOf(map, slot);
  return map.owners[shard]?.url || `shard ${shard}`;
}
