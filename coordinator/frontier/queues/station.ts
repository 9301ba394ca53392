/**
 * The hosts that one region is to be asked for (or nobody in particular): those that may be leased now in front queues by
 * band, the others asleep until their time.
 * Invariant: within a band hosts are in the order in which they woke; entries left behind by a later placing are dropped
 * when they come to the front.
 */

import { Fifo } from "./fifo.ts";
import { TimeHeap } from "./heap.ts";

/** What the schedule keeps on a host. */
export interface Scheduled {
  /** Grows with each placing: an entry with an older number is void. */
  ticket: number;
  /** Where it was placed last; `placedAt` is NaN when it stands nowhere. */
  placedAt: number;
  placedBand: number;
  /** The region that is to be asked first; "" = none. */
  placedRegion: string;
  /** No other region will do. */
  placedFirmly: boolean;
  /** Wall ms since when it could have been leased; in the future while it sleeps; NaN when it stands nowhere. */
  readySince: number;
}

export interface Entry<H> {
  readonly host: H;
  readonly ticket: number;
  readonly band: number;
  /** The host's `readySince`. */
  readonly since: number;
}

export function isValid<H extends Scheduled>(entry: Entry<H>): boolean {
  return entry.host.ticket === entry.ticket;
}

export class Station<H extends Scheduled> {
  readonly #ready: Fifo<Entry<H>>[];
  readonly #sleeping = new TimeHeap<Entry<H>>();

  constructor(bands: number) {
    this.#ready = Array.from({ length: bands }, () => new Fifo<Entry<H>>());
  }

  /** Sleeps until it can be leased. */
  sleep(entry: Entry<H>): void {
    this.#sleeping.push(entry.since, entry);
  }

  /** May be leased now. */
  enqueue(entry: Entry<H>): void {
    this.#ready[entry.band]!.push(entry);
  }

  /** Moves hosts whose time has come to the front queues, and tells of each. */
  wake(now: number, woken: (entry: Entry<H>) => void): void {
    for (;;) {
      const next = this.#sleeping.peek();
      if (next === undefined || next.at > now) return;
      this.#sleeping.pop();
      if (!isValid(next.item)) continue;
      this.enqueue(next.item);
      woken(next.item);
    }
  }

  /** The band's first host. */
  first(band: number): Entry<H> | undefined {
    const queue = this.#ready[band]!;
    for (;;) {
      const first = queue.first();
      if (first === undefined || isValid(first)) return first;
      queue.shift();
    }
  }

  /** Takes the band's first host out of its queue. */
  shift(band: number): void {
    this.#ready[band]!.shift();
  }

  /** The first `count` hosts of the band, without taking them. */
  *peek(band: number, count: number): Iterable<H> {
    let left = count;
    for (const entry of this.#ready[band]!) {
      if (left === 0) return;
      if (!isValid(entry)) continue;
      yield entry.host;
      left--;
    }
  }

  /** Wall ms at which the next host wakes; Infinity = none sleeps. */
  nextWakeAt(): number {
    for (;;) {
      const next = this.#sleeping.peek();
      if (next === undefined) return Infinity;
      if (isValid(next.item)) return next.at;
      this.#sleeping.pop();
    }
  }
}
