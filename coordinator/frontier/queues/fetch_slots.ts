/**
 * Mercator's two levels, watched: how many back queues are ready in memory for each fetch slot that edges ask for, and
 * how many slots stay idle, for how long, and why. A fetch slot is one lease that an edge has room for.
 * Invariant: of this process only; memory is bounded by the workers of the last `IDLE_MOST_MS`.
 */

import type { IdleCause, SlotFigures } from "../../fleet_ports.ts";

/** Back queues ready in memory that there are to be for each fetch slot. */
export const READY_PER_SLOT = 3;
/** Windows over which the ratio is taken. */
const WINDOW_MS = 10_000;
/** Short windows in a row that are a problem and not a moment. */
const SHORT_WINDOWS = 3;
/** A worker that doesn't come back within this time is gone, and its slots with it. */
const IDLE_MOST_MS = 15_000;

/** What one lease request found. */
export interface SlotFinding {
  readonly worker: string;
  /** Leases that it had room for, and those that it got. */
  readonly asked: number;
  readonly granted: number;
  /** Hosts that might have been leased at once, with URLs in memory and without; each up to `READY_PER_SLOT` a slot. */
  readonly ready: number;
  readonly unloaded: number;
  /** A shard leases nothing. */
  readonly isRefused: boolean;
  /** URLs are queued, wherever. */
  readonly hasQueued: boolean;
}

interface Window {
  asked: number;
  ready: number;
  unloaded: number;
}

interface Idling {
  readonly since: number;
  readonly slots: ReadonlyMap<IdleCause, number>;
}

const none = (): Record<IdleCause, number> => ({ no_allowed_host: 0, store: 0, refused: 0, nothing_queued: 0 });
const emptyWindow = (): Window => ({ asked: 0, ready: 0, unloaded: 0 });

export class FetchSlots {
  #asked = 0;
  readonly #idle = none();
  readonly #idleMs = none();
  readonly #idling = new Map<string, Idling>();
  #window = emptyWindow();
  #lastWindow = emptyWindow();
  #windowEndsAt = -Infinity;
  #shortWindows = 0;

  /** A lease request is answered at `now` (monotonic or wall ms, always the same clock). */
  note(finding: SlotFinding, now: number): void {
    this.#roll(now);
    this.#endIdling(finding.worker, now);
    if (finding.asked <= 0) return;
    this.#asked += finding.asked;
    this.#window.asked += finding.asked;
    this.#window.ready += finding.ready;
    this.#window.unloaded += finding.unloaded;
    const slots = idleSlots(finding);
    if (slots.size === 0) return;
    for (const [cause, count] of slots) this.#idle[cause] += count;
    this.#idling.set(finding.worker, { since: now, slots });
  }

  figures(now: number): SlotFigures {
    this.#roll(now);
    const asked = this.#window.asked + this.#lastWindow.asked;
    const ready = this.#window.ready + this.#lastWindow.ready;
    return {
      asked: this.#asked,
      idle: { ...this.#idle },
      idleMs: { ...this.#idleMs },
      ...(asked === 0 ? {} : { readyPerSlot: ready / asked }),
    };
  }

  /** A sentence when the store doesn't keep up with the edges; "" otherwise, however little the web allows. */
  problem(now: number): string {
    this.#roll(now);
    if (this.#shortWindows < SHORT_WINDOWS) return "";
    const { ready, asked } = this.#lastWindow;
    return `The store doesn't keep up: for ${
      SHORT_WINDOWS * WINDOW_MS / 1000
    } s hosts that could be leased had no URLs ` +
      `in memory, and ${(ready / Math.max(1, asked)).toFixed(1)} back queues were ready for each fetch slot; ` +
      `${READY_PER_SLOT} are wanted.`;
  }

  #roll(now: number): void {
    if (now < this.#windowEndsAt) return;
    const isNext = now < this.#windowEndsAt + WINDOW_MS;
    this.#shortWindows = isNext && isShort(this.#window) ? this.#shortWindows + 1 : 0;
    this.#lastWindow = isNext ? this.#window : emptyWindow();
    this.#window = emptyWindow();
    this.#windowEndsAt = now + WINDOW_MS;
    for (const [worker, { since }] of this.#idling) if (now - since > IDLE_MOST_MS) this.#endIdling(worker, now);
  }

  #endIdling(worker: string, now: number): void {
    const idling = this.#idling.get(worker);
    if (idling === undefined) return;
    this.#idling.delete(worker);
    const ms = Math.min(IDLE_MOST_MS, Math.max(0, now - idling.since));
    for (const [cause, count] of idling.slots) this.#idleMs[cause] += count * ms;
  }
}

function isShort({ asked, ready, unloaded }: Window): boolean {
  return unloaded > 0 && ready < READY_PER_SLOT * asked;
}

function idleSlots(finding: SlotFinding): Map<IdleCause, number> {
  const slots = new Map<IdleCause, number>();
  const idle = finding.asked - finding.granted;
  if (idle <= 0) return slots;
  if (finding.isRefused) return slots.set("refused", idle);
  const forStore = Math.min(idle, finding.unloaded);
  if (forStore > 0) slots.set("store", forStore);
  if (idle > forStore) slots.set(finding.hasQueued ? "no_allowed_host" : "nothing_queued", idle - forStore);
  return slots;
}
