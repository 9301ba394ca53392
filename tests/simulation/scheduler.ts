/**
 * The one source of "later" in a simulation: a heap of events by virtual time, run one by one.
 * Invariant: between two events every microtask has run, so that an event sees a world in which nothing is half done; the
 * same calls give the same order on every runtime. Events of a process that died never run.
 */

import { setImmediate } from "node:timers";

/** Whose event it is: a process that may die or be suspended; undefined = the world's. */
export interface Owner {
  readonly name: string;
  alive: boolean;
}

/** timer: set by the owner's own clock. io: something reaches the owner from outside. */
export type EventKind = "timer" | "io";

export interface SimEvent {
  at: number;
  /** Order among events of one moment. */
  readonly seq: number;
  readonly kind: EventKind;
  readonly owner: Owner | undefined;
  /** Undefined once it has run or was cancelled. */
  run: (() => void) | undefined;
}

export interface Plan {
  readonly afterMs: number;
  readonly owner?: Owner | undefined;
  readonly kind?: EventKind;
}

function isBefore(a: SimEvent, b: SimEvent): boolean {
  return a.at < b.at || (a.at === b.at && a.seq < b.seq);
}

export class Scheduler {
  /** Virtual ms since the start of the simulation. */
  now = 0;
  /** Events that ran. */
  count = 0;
  #seq = 0;
  #heap: SimEvent[] = [];

  plan({ afterMs, owner, kind = "io" }: Plan, run: () => void): SimEvent {
    const event: SimEvent = { at: this.now + Math.max(0, afterMs), seq: this.#seq++, kind, owner, run };
    this.#heap.push(event);
    this.#rise(this.#heap.length - 1);
    return event;
  }

  /** Resolves after `afterMs`, unless the owner dies before. */
  wait(plan: Plan): Promise<void> {
    return new Promise((resolve) => this.plan(plan, resolve));
  }

  /**
   * The owner stands still for `ms`: what comes from outside reaches it afterwards; its timers too, later by `ms` where
   * its monotonic clock stands still as well.
   */
  suspend(owner: Owner, ms: number, timersStand: boolean): void {
    for (const event of this.#heap) {
      if (event.owner !== owner) continue;
      const until = this.now + ms;
      event.at = event.kind === "timer" && timersStand ? event.at + ms : Math.max(event.at, until);
    }
    this.#heap.sort((a, b) => isBefore(a, b) ? -1 : 1);
  }

  /** Runs events until `isOver` says so or nothing is left; false in the latter case. */
  async run(isOver: () => boolean): Promise<boolean> {
    await drained();
    while (!isOver()) {
      const event = this.#pop();
      if (event === undefined) return false;
      const { run } = event;
      if (run === undefined || event.owner?.alive === false) continue;
      event.run = undefined;
      this.now = event.at;
      this.count++;
      run();
      await drained();
    }
    return true;
  }

  #pop(): SimEvent | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink();
    }
    return first;
  }

  #rise(index: number): void {
    const heap = this.#heap;
    const event = heap[index]!;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = event;
  }

  #sink(): void {
    const heap = this.#heap;
    const event = heap[0]!;
    let index = 0;
    for (let child = 1; child < heap.length; child = 2 * index + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, event)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = event;
  }
}

/** A macrotask: before it, every microtask that is queued or that one of these queues has run. Some 1 µs. */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => resolve()));
}
