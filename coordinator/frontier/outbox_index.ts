/**
 * Which outbox rows a shard holds, and which of them a worker was given a moment ago.
 * Invariant: a row that was handed out is handed out again only after a while, until it is acknowledged.
 */

import type { CrawlId, LeaseId, OutboxRow } from "../../protocol/mod.ts";

export interface RowName {
  readonly leaseId: LeaseId;
  readonly seq: number;
}

/** Wait before a row that wasn't acknowledged is handed to another worker. */
const HANDED_OUT_MS = 30_000;

interface Held {
  readonly crawlId: CrawlId;
  handedOutAt: number;
}

export function nameOfRow(row: RowName): string {
  return `${row.leaseId} ${row.seq}`;
}

export class OutboxIndex {
  readonly #rows = new Map<string, Held>();
  readonly #perCrawl = new Map<CrawlId, number>();

  get size(): number {
    return this.#rows.size;
  }

  countOf(crawlId: CrawlId): number {
    return this.#perCrawl.get(crawlId) ?? 0;
  }

  has(row: RowName): boolean {
    return this.#rows.has(nameOfRow(row));
  }

  add(row: OutboxRow): void {
    this.#rows.set(nameOfRow({ leaseId: row.lease_id, seq: row.seq }), {
      crawlId: row.crawl_id,
      handedOutAt: -Infinity,
    });
    this.#perCrawl.set(row.crawl_id, this.countOf(row.crawl_id) + 1);
  }

  remove(row: RowName): void {
    const held = this.#rows.get(nameOfRow(row));
    if (held === undefined) return;
    this.#rows.delete(nameOfRow(row));
    this.#perCrawl.set(held.crawlId, this.countOf(held.crawlId) - 1);
  }

  /** How many rows have to be read from the store, oldest first, so that `count` of them can be handed out now. */
  readSize(count: number, now: number): number {
    let free = 0;
    let position = 0;
    for (const held of this.#rows.values()) {
      position++;
      if (now - held.handedOutAt >= HANDED_OUT_MS && ++free === count) break;
    }
    return free === 0 ? 0 : position;
  }

  /** Those of `rows` that may be handed out now, at most `count`; they are marked. */
  handOut(rows: readonly OutboxRow[], count: number, now: number): OutboxRow[] {
    const given: OutboxRow[] = [];
    for (const row of rows) {
      if (given.length === count) break;
      const held = this.#rows.get(nameOfRow({ leaseId: row.lease_id, seq: row.seq }));
      if (held === undefined || now - held.handedOutAt < HANDED_OUT_MS) continue;
      held.handedOutAt = now;
      given.push(row);
    }
    return given;
  }
}
