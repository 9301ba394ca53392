/**
 * What watching a shard of another coordinator tells: whether it stands still, and how far this process' clock is ahead.
 * Invariant: pure. Standing still is measured by the watcher's monotonic clock alone, from when a state was first seen
 * to when a look at it began that found the same; no two wall clocks are compared for it.
 */

import { LIMITS } from "../../../protocol/mod.ts";
import type { ShardLook } from "../../reader_ports.ts";

/** When a look began, and when its answer was there. */
export interface LookTime {
  readonly beganMs: number;
  readonly endedMs: number;
  /** Wall clock when the answer was there. */
  readonly wallMs: number;
}

/** How far this process' wall clock is ahead of another's. */
export interface ClockLead {
  /** At most so far. */
  readonly ms: number;
  /** Starts up to this time of the other's clock had come true at its newest commit. */
  readonly afterMs: number;
  /** It was learned from beats; otherwise it is what it may be. */
  readonly isKnown: boolean;
}

const SAME_CLOCK: ClockLead = { ms: 0, afterMs: 0, isKnown: true };

/** Clocks are set: what was seen before the newest of these differences says nothing of now. */
const DIFFERENCES = 3;

export class ShardWatch {
  #state: string | undefined;
  #sinceMs = 0;
  #confirmedMs = 0;
  /** The newest last; each is too large by the age that the commit had when it was seen. */
  #differencesMs: number[] = [];
  /** Of the state that was seen first. */
  #first: { readonly differenceMs: number; readonly ownerWallMs: number } | undefined;

  see(look: ShardLook | undefined, time: LookTime): void {
    const state = look === undefined ? "none" : `${look.owner} ${look.ownerTerm} ${look.batchSeq} ${look.ownerWallMs}`;
    this.#confirmedMs = time.beganMs;
    if (state === this.#state) return;
    // Of a commit that came between two looks; of the first look nobody knows how old it is.
    if (look !== undefined && look.ownerWallMs > 0) {
      const differenceMs = time.wallMs - look.ownerWallMs;
      if (this.#state === undefined) this.#first = { differenceMs, ownerWallMs: look.ownerWallMs };
      else this.#differencesMs = [...this.#differencesMs.slice(1 - DIFFERENCES), differenceMs];
    }
    this.#state = state;
    this.#sinceMs = time.endedMs;
  }

  /** ms for which it is known to have stood still. */
  get stillMs(): number {
    return Math.max(0, this.#confirmedMs - this.#sinceMs);
  }

  /**
   * An owner that was never seen to beat may be one whose clock is behind, or be long gone: what was still to come when it
   * wrote its last is put off by the difference then, or by what clocks may differ by.
   */
  get lead(): ClockLead {
    if (this.#differencesMs.length > 0) {
      return { ms: Math.max(0, Math.min(...this.#differencesMs)), afterMs: 0, isKnown: true };
    }
    if (this.#first === undefined) return SAME_CLOCK;
    const { differenceMs, ownerWallMs } = this.#first;
    return { ms: Math.max(0, Math.min(differenceMs, LIMITS.clockSkewMs)), afterMs: ownerWallMs, isKnown: false };
  }

  /** It has another owner now, whose clock is to be watched anew. */
  forget(): void {
    this.#state = undefined;
    this.#sinceMs = this.#confirmedMs;
    this.#differencesMs = [];
    this.#first = undefined;
  }
}
