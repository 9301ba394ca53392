/**
 * Which coordinators of the directory live, by this process' monotonic clock.
 * Invariant: pure; who was seen to beat within `ownerTtlMs` lives, and so does who was first seen within it.
 */

import type { CoordinatorEntry } from "../../owner_ports.ts";

interface Seen {
  readonly beat: number;
  readonly atMs: number;
}

export class LiveCoordinators {
  readonly #ownerTtlMs: number;
  #seen = new Map<string, Seen>();
  #entries: readonly CoordinatorEntry[] = [];

  constructor(ownerTtlMs: number) {
    this.#ownerTtlMs = ownerTtlMs;
  }

  see(entries: readonly CoordinatorEntry[], nowMs: number): void {
    this.#entries = entries;
    this.#seen = new Map(entries.map(({ id, beat }) => {
      const before = this.#seen.get(id);
      return [id, before?.beat === beat ? before : { beat, atMs: nowMs }];
    }));
  }

  isLive({ id }: CoordinatorEntry, nowMs: number): boolean {
    const seen = this.#seen.get(id);
    return seen !== undefined && nowMs - seen.atMs < this.#ownerTtlMs;
  }

  knows({ id }: CoordinatorEntry): boolean {
    return this.#seen.has(id);
  }

  live(nowMs: number): CoordinatorEntry[] {
    return this.#entries.filter((entry) => this.isLive(entry, nowMs));
  }

  /** Rows of processes that are long gone. */
  gone(nowMs: number): CoordinatorEntry[] {
    return this.#entries.filter(({ id }) => nowMs - this.#seen.get(id)!.atMs >= 6 * this.#ownerTtlMs);
  }
}
