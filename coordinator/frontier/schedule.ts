/**
 * Which host is served next: hosts that may be leased now wait in front queues by band, the others sleep until a time.
 * Invariant: a host stands at one place at most; entries left behind by a later placing are recognised by their ticket.
 */

import { BandPicker } from "./bands.ts";
import { TimeHeap } from "./heap.ts";

/** What the schedule keeps on a host. */
export interface Scheduled {
  /** Grows with each placing: an entry with an older number is void. */
  ticket: number;
  /** Where it stands; `placedAt` is NaN when it stands nowhere. */
  placedAt: number;
  placedBand: number;
}

interface Entry<H> {
  readonly host: H;
  readonly ticket: number;
  readonly band: number;
}

/** A first-in first-out queue without the cost of shifting. */
class Fifo<T> {
  #items: T[] = [];
  #start = 0;

  get size(): number {
    return this.#items.length - this.#start;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  first(): T | undefined {
    return this.#items[this.#start];
  }

  shift(): void {
    this.#start++;
    if (this.#start > 64 && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let at = this.#start; at < this.#items.length; at++) yield this.#items[at]!;
  }
}

export class HostSchedule<H extends Scheduled> {
  readonly #ready: Fifo<Entry<H>>[];
  readonly #sleeping = new TimeHeap<Entry<H>>();
  readonly #picker: BandPicker;

  constructor(bands: number) {
    this.#ready = Array.from({ length: bands }, () => new Fifo<Entry<H>>());
    this.#picker = new BandPicker(bands);
  }

  /** The host may be leased from wall ms `at` on; replaces any earlier placing. */
  place(host: H, at: number, band: number): void {
    if (host.placedAt === at && host.placedBand === band) return;
    host.placedAt = at;
    host.placedBand = band;
    this.#sleeping.push(at, { host, ticket: ++host.ticket, band });
  }

  /** The host is leased, paused or has nothing to offer. */
  remove(host: H): void {
    host.ticket++;
    host.placedAt = NaN;
  }

  /** Moves hosts whose time has come to the front queues. */
  wake(now: number): void {
    for (;;) {
      const next = this.#sleeping.peek();
      if (next === undefined || next.at > now) return;
      this.#sleeping.pop();
      if (!isValid(next.item)) continue;
      const band = this.#ready[next.item.band]!;
      if (band.size === 0) this.#picker.joins(next.item.band);
      band.push(next.item);
    }
  }

  /** Takes the next host that may be leased; call `wake` before. */
  pick(): H | undefined {
    const band = this.#picker.pick((index) => this.#hasValid(index));
    if (band < 0) return undefined;
    const { host } = this.#ready[band]!.first()!;
    this.#ready[band]!.shift();
    this.remove(host);
    return host;
  }

  #hasValid(band: number): boolean {
    const queue = this.#ready[band]!;
    for (;;) {
      const first = queue.first();
      if (first === undefined) return false;
      if (isValid(first)) return true;
      queue.shift();
    }
  }

  /** The first `count` hosts of each band, without taking them. */
  peek(count: number): H[] {
    const found: H[] = [];
    for (const queue of this.#ready) {
      let left = count;
      for (const entry of queue) {
        if (left === 0) break;
        if (!isValid(entry)) continue;
        found.push(entry.host);
        left--;
      }
    }
    return found;
  }

  /** True when a host may be leased now. */
  get hasReady(): boolean {
    return this.#ready.some((_, band) => this.#hasValid(band));
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

function isValid<H extends Scheduled>(entry: Entry<H>): boolean {
  return entry.host.ticket === entry.ticket;
}
