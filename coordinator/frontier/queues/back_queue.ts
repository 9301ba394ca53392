/**
 * One host's URLs in one crawl: the first ready ones in RAM, counts for all of them.
 * Invariant: `heads` holds, in (band, seq) order, every ready URL that isn't leased up to the edge; the `beyond` others
 * lie after it in the store. Without an edge RAM holds all of them.
 */

import type { BackQueueSummary, UrlRow } from "../../ports.ts";
import type { CrawlId, Fingerprint, HostKey } from "../../../protocol/mod.ts";

export interface Position {
  readonly band: number;
  readonly seq: number;
}

const BEFORE_ALL: Position = { band: -1, seq: -1 };

function isBefore(a: Position, b: Position): boolean {
  return a.band < b.band || (a.band === b.band && a.seq < b.seq);
}

export class BackQueue {
  readonly slot: number;
  readonly crawlId: CrawlId;
  readonly host: HostKey;
  readonly heads: UrlRow[] = [];
  /** Ready URLs that are only in the store. */
  beyond = 0;
  waiting = 0;
  /** Wall ms of the earliest waiting URL; Infinity = none. */
  nextAvailableAt = Infinity;
  /** URLs ever accepted: the host budget. */
  accepted = 0;
  /** Best band beyond the edge, as far as known. */
  #beyondBand = 0;
  /** All heads belong to origins whose robots.txt can't be had: no lease before this wall ms. */
  blockedUntil = 0;
  #edge: Position | undefined;

  constructor(key: { slot: number; crawlId: CrawlId; host: HostKey }) {
    this.slot = key.slot;
    this.crawlId = key.crawlId;
    this.host = key.host;
  }

  /** As a start finds it: nothing in RAM. `leased` of its ready URLs are out. */
  static load(summary: BackQueueSummary, leased: number): BackQueue {
    const queue = new BackQueue(summary);
    queue.beyond = Math.max(0, summary.ready - leased);
    queue.waiting = summary.waiting;
    queue.nextAvailableAt = summary.waiting > 0 ? summary.nextAvailableAt : Infinity;
    queue.accepted = summary.accepted;
    queue.#beyondBand = summary.band;
    queue.#edge = queue.beyond > 0 ? BEFORE_ALL : undefined;
    return queue;
  }

  /** Ready URLs that aren't leased. */
  get ready(): number {
    return this.heads.length + this.beyond;
  }

  /** Where the store has to be read on from. */
  get edge(): Position {
    return this.#edge ?? BEFORE_ALL;
  }

  get band(): number {
    return this.heads[0]?.band ?? this.#beyondBand;
  }

  /**
   * Adds a ready URL; returns how many more heads are in RAM now. Above `mostHeads` the first half of them is kept; with 0
   * the queue keeps as many as it has, so that RAM that is full doesn't grow.
   */
  insert(row: UrlRow, mostHeads: number): number {
    this.blockedUntil = 0;
    if (this.#edge !== undefined && isBefore(this.#edge, row)) {
      if (this.beyond === 0 || row.band < this.#beyondBand) this.#beyondBand = row.band;
      this.beyond++;
      return 0;
    }
    const { heads } = this;
    const before = heads.length;
    const last = heads[heads.length - 1];
    if (last === undefined || isBefore(last, row)) heads.push(row);
    else heads.splice(this.#placeOf(row), 0, row);
    if (mostHeads === 0) return 1 - this.#trim(before);
    return heads.length > mostHeads ? 1 - this.#trim(Math.max(1, mostHeads >> 1)) : 1;
  }

  /** Keeps the first `kept` heads; returns how many went back beyond the edge. */
  #trim(kept: number): number {
    const dropped = this.heads.splice(kept);
    if (dropped.length === 0) return 0;
    this.beyond += dropped.length;
    this.#beyondBand = dropped[0]!.band;
    this.#edge = this.heads[this.heads.length - 1] ?? BEFORE_ALL;
    return dropped.length;
  }

  #placeOf(row: UrlRow): number {
    let low = 0;
    for (let high = this.heads.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.heads[middle]!, row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * What the store has after the edge; `isComplete` when it had fewer rows than were asked for. Leased URLs are ready
   * in the store and are left out. Returns how many heads were added.
   */
  fill(rows: readonly UrlRow[], isComplete: boolean, isLeased: (fingerprint: Fingerprint) => boolean): number {
    if (this.#edge === undefined) return 0;
    const added = rows.filter((row) => !isLeased(row.fingerprint));
    this.heads.push(...added);
    this.beyond = isComplete ? 0 : Math.max(0, this.beyond - added.length);
    const last = rows[rows.length - 1];
    this.#edge = this.beyond === 0 ? undefined : last ?? this.#edge;
    if (last !== undefined) this.#beyondBand = last.band;
    return added.length;
  }

  /** Removes and returns the heads that `wanted` chooses, in order. */
  take(wanted: (row: UrlRow) => boolean): UrlRow[] {
    const taken: UrlRow[] = [];
    let kept = 0;
    for (const row of this.heads) {
      if (wanted(row)) taken.push(row);
      else this.heads[kept++] = row;
    }
    this.heads.length = kept;
    return taken;
  }

  /** A ready URL's row becomes another, which may stand elsewhere; returns how many more heads are in RAM now. */
  move(before: UrlRow, after: UrlRow, mostHeads: number): number {
    const at = this.#placeOf(before);
    const isHead = this.heads[at]?.fingerprint === before.fingerprint;
    if (isHead && before.band === after.band && before.seq === after.seq) {
      this.heads[at] = after;
      return 0;
    }
    if (isHead) this.heads.splice(at, 1);
    else if (this.beyond > 0) this.beyond--;
    else return 0;
    const { blockedUntil } = this;
    const added = this.insert(after, mostHeads);
    this.blockedUntil = blockedUntil;
    return added - (isHead ? 1 : 0);
  }

  /** A URL of this queue waits until `at`. */
  addWaiting(at: number): void {
    this.waiting++;
    this.nextAvailableAt = Math.min(this.nextAvailableAt, at);
  }

  /** `count` waiting URLs became ready; the earliest of the others waits until `next` (Infinity = none left). */
  removeWaiting(count: number, next: number): void {
    this.waiting = next === Infinity ? 0 : Math.max(1, this.waiting - count);
    this.nextAvailableAt = next;
  }

  /** True when a lease now would find more in the store than in RAM. */
  needsStore(wanted: number, now: number): boolean {
    return (this.heads.length < wanted && this.beyond > 0) || (this.waiting > 0 && this.nextAvailableAt <= now);
  }
}
