/**
 * Which outbox rows a shard holds, in a lane for each shard that they go to, and which of them workers have in hand.
 * Invariant: a row that was handed out is handed out again only after a while, until it is acknowledged; a lane whose rows
 * come to nothing has few of them out, so that it can't hold up others; only rows that were never out may be merged.
 */

import { type CrawlId, type LeaseId, type OutboxRow, shardOf, type SlotMap } from "../../protocol/mod.ts";

export interface RowName {
  readonly leaseId: LeaseId;
  readonly seq: number;
}

/** Wait before a row that wasn't acknowledged is handed to another worker. */
const HANDED_OUT_MS = 30_000;
/** Rows of one lane that may be out at a time: while they are acknowledged, and when none ever is. */
const MOST_OUT = 64;
const LEAST_OUT = 1;
/** Rows of one crawl in a lane that are worth being merged, and how many at once. */
const WORTH_MERGING = 64;
const MERGED_AT_ONCE = 512;
/** Rows with more links aren't merged again. */
const SMALL_LINKS = 250;

interface Held extends RowName {
  readonly crawlId: CrawlId;
  readonly slot: number;
  readonly isSmall: boolean;
  /** It was handed out at some time, perhaps by an earlier process: it may have been delivered. */
  wasOut: boolean;
  handedOutAt: number;
}

class Lane {
  /** Rows that may be handed out, the oldest first but for those that came to nothing. */
  readonly ready = new Map<string, Held>();
  /** Rows that are out, in the order in which they were handed out. */
  readonly out = new Map<string, Held>();
  readonly small = new Map<CrawlId, Map<string, Held>>();
  mostOut = MOST_OUT;

  add(name: string, held: Held): void {
    this.ready.set(name, held);
    if (!held.isSmall || held.wasOut) return;
    const small = this.small.get(held.crawlId);
    if (small === undefined) this.small.set(held.crawlId, new Map([[name, held]]));
    else small.set(name, held);
  }

  handOut(name: string, held: Held, now: number): void {
    this.ready.delete(name);
    this.#notSmall(name, held);
    held.wasOut = true;
    held.handedOutAt = now;
    this.out.set(name, held);
  }

  remove(name: string, held: Held): void {
    this.ready.delete(name);
    this.out.delete(name);
    this.#notSmall(name, held);
  }

  #notSmall(name: string, { crawlId }: Held): void {
    const small = this.small.get(crawlId);
    if (small?.delete(name) && small.size === 0) this.small.delete(crawlId);
  }

  /** What was out for too long may go again. */
  tick(now: number): void {
    let isLost = false;
    for (const [name, held] of this.out) {
      if (now - held.handedOutAt < HANDED_OUT_MS) break;
      isLost = true;
      this.out.delete(name);
      this.ready.set(name, held);
    }
    if (isLost) this.mostOut = Math.max(LEAST_OUT, this.mostOut >> 2);
  }

  get size(): number {
    return this.ready.size + this.out.size;
  }
}

export function nameOfRow(row: RowName): string {
  return `${row.leaseId} ${row.seq}`;
}

export class OutboxIndex {
  readonly #slots: { readonly map: SlotMap };
  #version = 0;
  readonly #rows = new Map<string, Held>();
  readonly #perCrawl = new Map<CrawlId, number>();
  /** By shard. */
  #lanes = new Map<number, Lane>();
  #turn = 0;

  constructor(slots: { readonly map: SlotMap }) {
    this.#slots = slots;
  }

  get size(): number {
    return this.#rows.size;
  }

  countOf(crawlId: CrawlId): number {
    return this.#perCrawl.get(crawlId) ?? 0;
  }

  has(row: RowName): boolean {
    return this.#rows.has(nameOfRow(row));
  }

  /** `wasOut`: an earlier process may have handed it out. */
  add(row: OutboxRow, wasOut = false): void {
    const { crawl_id: crawlId, slot, lease_id: leaseId, seq } = row;
    const isSmall = row.links.length <= SMALL_LINKS;
    const held: Held = { leaseId, seq, crawlId, slot, isSmall, wasOut, handedOutAt: -Infinity };
    const name = nameOfRow(held);
    this.#rows.set(name, held);
    this.#laneOf(slot).add(name, held);
    this.#perCrawl.set(crawlId, this.countOf(crawlId) + 1);
  }

  /** Delivered, or merged. */
  remove(row: RowName): void {
    const name = nameOfRow(row);
    const held = this.#rows.get(name);
    if (held === undefined) return;
    const lane = this.#laneOf(held.slot);
    if (lane.out.has(name)) lane.mostOut = MOST_OUT;
    lane.remove(name, held);
    this.#rows.delete(name);
    this.#perCrawl.set(held.crawlId, this.countOf(held.crawlId) - 1);
  }

  #laneOf(slot: number): Lane {
    const lanes = this.#current();
    const shard = shardOf(this.#slots.map, slot);
    let lane = lanes.get(shard);
    if (lane === undefined) lanes.set(shard, lane = new Lane());
    return lane;
  }

  /** By the slot map as it is now. */
  #current(): Map<number, Lane> {
    const { map } = this.#slots;
    if (map.version === this.#version) return this.#lanes;
    this.#version = map.version;
    this.#lanes = new Map();
    for (const [name, held] of this.#rows) {
      const lane = this.#laneOf(held.slot);
      if (held.handedOutAt === -Infinity) lane.add(name, held);
      else lane.out.set(name, held);
    }
    return this.#lanes;
  }

  /** Names of at most `count` rows that may be handed out at `now`, in turn of all lanes. */
  next(count: number, now: number): RowName[] {
    const queues = this.#inTurn().map((lane) => {
      lane.tick(now);
      return lane.ready.values().take(Math.max(0, lane.mostOut - lane.out.size));
    });
    const names: RowName[] = [];
    for (let isMore = true; isMore && names.length < count;) {
      isMore = false;
      for (const queue of queues) {
        if (names.length === count) break;
        const { value, done } = queue.next();
        if (done === true) continue;
        names.push(value);
        isMore = true;
      }
    }
    return names;
  }

  #inTurn(): Lane[] {
    const lanes = [...this.#current().values()];
    const first = lanes.length === 0 ? 0 : this.#turn++ % lanes.length;
    return [...lanes.slice(first), ...lanes.slice(0, first)];
  }

  /** Those of `rows` that may be handed out now, at most `count`; they are marked. */
  handOut(rows: readonly OutboxRow[], count: number, now: number): OutboxRow[] {
    const given: OutboxRow[] = [];
    for (const row of rows) {
      if (given.length === count) break;
      const name = nameOfRow({ leaseId: row.lease_id, seq: row.seq });
      const held = this.#rows.get(name);
      const lane = held && this.#laneOf(held.slot);
      if (held === undefined || lane === undefined || !lane.ready.has(name)) continue;
      lane.handOut(name, held, now);
      given.push(row);
    }
    return given;
  }

  /** Small rows of one crawl that wait for one shard, when there are many. */
  mergeable(): RowName[] {
    for (const lane of this.#inTurn()) {
      for (const small of lane.small.values()) {
        if (small.size >= WORTH_MERGING) return small.values().take(MERGED_AT_ONCE).toArray();
      }
    }
    return [];
  }

  /** It was never handed out, so nobody can have delivered it. */
  isMergeable(row: RowName): boolean {
    const held = this.#rows.get(nameOfRow(row));
    return held !== undefined && !held.wasOut;
  }

  /** The shard that most rows wait for, and how many; undefined = none. */
  longest(): { readonly shard: number; readonly rows: number } | undefined {
    let longest: { shard: number; rows: number } | undefined;
    for (const [shard, { size }] of this.#current()) {
      if (size > (longest?.rows ?? 0)) longest = { shard, rows: size };
    }
    return longest;
  }
}
