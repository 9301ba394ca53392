/**
 * The start windows of many groups (registered domains, or addresses), each forgotten while nobody holds a part of it.
 * Invariant: when a part becomes free, by a release or by time, `onOpen` is told its group at the next `tick`; when the last
 * one does, so is `onEmpty`.
 */

import { TimeHeap } from "../queues/heap.ts";
import { type GrantedPart, type GroupLimit, type Holding, StartWindow, windowMs, type Wish } from "./start_window.ts";

export interface GroupsOptions {
  readonly limitOf: (group: string) => GroupLimit;
  /** Somebody who waits for a part of this group may get one now. */
  readonly onOpen: (group: string) => void;
  /** Nobody holds a part of it any more. */
  readonly onEmpty: (group: string) => void;
}

/** How a holder ends: see StartWindow.release. */
export interface Ending {
  readonly startAt: number;
  readonly parallelUntil: number;
}

export class StartGroups {
  readonly #options: GroupsOptions;
  readonly #windows = new Map<string, StartWindow>();
  readonly #opening = new TimeHeap<string>();

  constructor(options: GroupsOptions) {
    this.#options = options;
  }

  /** The part that `wish` gets at `now`, undefined when the group is full. */
  offer(group: string, wish: Wish, now: number): GrantedPart | undefined {
    const window = this.#windows.get(group) ?? NOBODY;
    return window.offer(this.#options.limitOf(group), wish, now);
  }

  /** How many more holders could get a part at `now`. */
  room(group: string, now: number): number {
    const { starts, parallel } = (this.#windows.get(group) ?? NOBODY).room(this.#options.limitOf(group), now);
    return Math.min(starts, parallel);
  }

  hold(group: string, holder: string, holding: Holding): void {
    let window = this.#windows.get(group);
    if (window === undefined) this.#windows.set(group, window = new StartWindow());
    window.hold(holder, holding);
    this.#opensAt(group, holding);
  }

  /** What the holder has; undefined when it has nothing, or what it had is over. */
  holding(group: string, holder: string): Holding | undefined {
    return this.#windows.get(group)?.get(holder);
  }

  has(group: string, holder: string): boolean {
    return this.holding(group, holder) !== undefined;
  }

  release(group: string, holder: string, ending: Ending): void {
    const window = this.#windows.get(group);
    if (window?.get(holder) === undefined) return;
    const limit = this.#options.limitOf(group);
    window.release(holder, limit, ending);
    this.#opensAt(group, { startsUntil: ending.startAt + windowMs(limit), parallelUntil: ending.parallelUntil });
  }

  /** The holder never was: no start was made under its part. */
  drop(group: string, holder: string): void {
    this.#windows.get(group)?.drop(holder);
    this.#opening.push(-Infinity, group);
  }

  /** Another shard keeps the group from now on. */
  forget(group: string): void {
    this.#windows.delete(group);
  }

  holders(group: string): Iterable<[string, Holding]> {
    return this.#windows.get(group)?.holders() ?? [];
  }

  #opensAt(group: string, { startsUntil, parallelUntil }: Pick<Holding, "startsUntil" | "parallelUntil">): void {
    for (const at of new Set([startsUntil, parallelUntil])) if (at < Infinity) this.#opening.push(at, group);
  }

  /** Lets time pass: tells `onOpen` what has become free by `now`. */
  tick(now: number): void {
    for (let next = this.#opening.peek(); next !== undefined && next.at <= now; next = this.#opening.peek()) {
      this.#opening.pop();
      const window = this.#windows.get(next.item);
      window?.tidy(now);
      if (window?.size === 0) {
        this.#windows.delete(next.item);
        this.#options.onEmpty(next.item);
      }
      this.#options.onOpen(next.item);
    }
  }

  /** Wall ms at which the next part becomes free by time; Infinity = none is known. */
  nextOpenAt(): number {
    return this.#opening.peek()?.at ?? Infinity;
  }
}

const NOBODY = new StartWindow();
