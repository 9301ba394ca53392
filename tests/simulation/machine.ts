/**
 * A machine: its clocks, which needn't agree with anybody's, and the process that runs on it.
 * Invariant: monotonic time never goes back; what a process of it awaits is an event of that process, so that killing the
 * process ends all of it at the await where it stands.
 */

import type { Clock, Random } from "../../runtime/ports.ts";
import type { Chance } from "./chance.ts";
import type { Owner, Scheduler, SimEvent } from "./scheduler.ts";

/** 2030-01-01T00:00:00Z. */
const EPOCH_MS = 1_893_456_000_000;

const FINEST_MS = 1 / 16;

/**
 * What a suspended machine's clocks do. wall: the wall clock goes on, the monotonic one stands still (Linux). both: both
 * go on (a stopped process). none: both stand still until the wall clock is set right (a paused virtual machine).
 */
export type SuspendKind = "wall" | "both" | "none";

export class MachineClock {
  readonly #scheduler: Scheduler;
  /** How wrong its wall clock is, ms. */
  skewMs: number;
  /** Virtual ms that its monotonic clock slept through. */
  #sleptMs = 0;

  constructor(scheduler: Scheduler, skewMs: number) {
    this.#scheduler = scheduler;
    this.skewMs = skewMs;
  }

  wallMs(): number {
    return Math.floor(EPOCH_MS + this.#scheduler.now + this.skewMs);
  }

  monotonicMs(): number {
    return this.#scheduler.now - this.#sleptMs;
  }

  slept(ms: number, kind: SuspendKind): void {
    if (kind !== "both") this.#sleptMs += ms;
    if (kind === "none") this.skewMs -= ms;
  }
}

/** One run of a program on a machine. */
export class Process implements Owner {
  readonly name: string;
  alive = true;
  readonly clock: Clock;
  readonly random: Random;
  readonly #scheduler: Scheduler;

  constructor(name: string, parts: { scheduler: Scheduler; machine: MachineClock; chance: Chance }) {
    this.name = name;
    this.#scheduler = parts.scheduler;
    const { machine, chance } = parts;
    this.clock = {
      wallMs: () => machine.wallMs(),
      monotonicMs: () => machine.monotonicMs(),
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
    this.random = { next: () => chance.next(), hex: (bytes) => hexOf(chance, bytes) };
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    // No timer is finer; and a wait that is smaller than the last bit of the time would never end.
    const afterMs = ms > 0 ? Math.max(ms, FINEST_MS) : 0;
    return new Promise((resolve) => {
      const event: SimEvent = this.#scheduler.plan({ afterMs, owner: this, kind: "timer" }, () => {
        signal?.removeEventListener("abort", wake);
        resolve();
      });
      const wake = () => {
        event.run = undefined;
        resolve();
      };
      signal?.addEventListener("abort", wake, { once: true });
    });
  }
}

function hexOf(chance: Chance, bytes: number): string {
  let text = "";
  for (let i = 0; i < bytes; i++) text += chance.below(256).toString(16).padStart(2, "0");
  return text;
}
