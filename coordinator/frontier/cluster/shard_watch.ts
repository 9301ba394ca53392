/**
 * What watching a shard of another coordinator tells: whether it stands still, and how far this process' clock is ahead.
 * Invariant: pure. Standing still is measured by the watcher's monotonic clock alone, from when a state was first seen
 * to when a look at it began that found the same; no two wall clocks are compared for it.
 */

import type { ShardLook } from "../../reader_ports.ts";

/** When a look began, and when its answer was there. */
export interface LookTime {
  readonly beganMs: number;
  readonly endedMs: number;
  /** Wall clock when the answer was there. */
  readonly wallMs: number;
}

/** Clocks are set: what was seen before the newest of these differences says nothing of now. */
const DIFFERENCES = 3;

export class ShardWatch {
  #state: string | undefined;
  #sinceMs = 0;
  #confirmedMs = 0;
  /** The newest last; each is too large by the age that the commit had when it was seen. */
  #differencesMs: number[] = [];

  see(look: ShardLook | undefined, time: LookTime): void {
    const state = look === undefined ? "none" : `${look.owner} ${look.ownerTerm} ${look.batchSeq} ${look.ownerWallMs}`;
    this.#confirmedMs = time.beganMs;
    if (state === this.#state) return;
    // Of a commit that came between two looks; of the first look nobody knows how old it is.
    if (this.#state !== undefined && look !== undefined && look.ownerWallMs > 0) {
      this.#differencesMs = [...this.#differencesMs.slice(1 - DIFFERENCES), time.wallMs - look.ownerWallMs];
    }
    this.#state = state;
    this.#sinceMs = time.endedMs;
  }

  /** ms for which it is known to have stood still. */
  get stillMs(): number {
    return Math.max(0, this.#confirmedMs - this.#sinceMs);
  }

  /** How far this process' wall clock is ahead of the owner's, at most; 0 where it isn't, or nobody knows. */
  get aheadMs(): number {
    return this.#differencesMs.length === 0 ? 0 : Math.max(0, Math.min(...this.#differencesMs));
  }

  /** It has another owner now, whose clock is to be watched anew. */
  forget(): void {
    this.#state = undefined;
    this.#sinceMs = this.#confirmedMs;
    this.#differencesMs = [];
  }
}
