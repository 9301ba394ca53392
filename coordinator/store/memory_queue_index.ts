/**
 * The two orders in which a back queue is read: ready URLs by (band, seq), waiting URLs by (availableAt, seq).
 * Invariant: a row stands in at most one of the indexes, at its sorted place.
 */

import type { UrlRow } from "../ports.ts";
import type { CrawlId, HostKey } from "../../protocol/mod.ts";

export interface QueueKey {
  readonly slot: number;
  readonly crawlId: CrawlId;
  readonly host: HostKey;
}

type Before = (a: UrlRow, b: UrlRow) => boolean;

/** First index whose row isn't before `row`. */
function placeOf(rows: readonly UrlRow[], row: UrlRow, before: Before): number {
  let low = 0;
  for (let high = rows.length; low < high;) {
    const middle = (low + high) >>> 1;
    if (before(rows[middle]!, row)) low = middle + 1;
    else high = middle;
  }
  return low;
}

class SortedQueues {
  readonly #queues = new Map<string, UrlRow[]>();
  readonly #before: Before;

  constructor(before: Before) {
    this.#before = before;
  }

  of(queue: QueueKey): readonly UrlRow[] {
    return this.#queues.get(`${queue.crawlId} ${queue.host}`) ?? [];
  }

  add(row: UrlRow): void {
    const name = `${row.crawlId} ${row.host}`;
    const rows = this.#queues.get(name);
    if (rows === undefined) this.#queues.set(name, [row]);
    else rows.splice(placeOf(rows, row, this.#before), 0, row);
  }

  remove(row: UrlRow): void {
    const name = `${row.crawlId} ${row.host}`;
    const rows = this.#queues.get(name)!;
    rows.splice(placeOf(rows, row, this.#before), 1);
    if (rows.length === 0) this.#queues.delete(name);
  }
}

export class ReadyIndex extends SortedQueues {
  constructor() {
    super((a, b) => a.band < b.band || (a.band === b.band && a.seq < b.seq));
  }

  /** Rows after the position, in order. */
  after(queue: QueueKey, position: { band: number; seq: number }, limit: number): UrlRow[] {
    const rows = this.of(queue);
    const { band, seq } = position;
    let low = 0;
    for (let high = rows.length; low < high;) {
      const middle = (low + high) >>> 1;
      const row = rows[middle]!;
      if (row.band < band || (row.band === band && row.seq <= seq)) low = middle + 1;
      else high = middle;
    }
    return rows.slice(low, low + limit);
  }
}

export class WaitingIndex extends SortedQueues {
  constructor() {
    super((a, b) => a.availableAt < b.availableAt || (a.availableAt === b.availableAt && a.seq < b.seq));
  }
}
