/**
 * Carries the outcomes of one lease to the coordinator: one completion under way at a time, what gathers meanwhile goes
 * with the next. Invariant: an outcome is sent until it is acknowledged or the fence refuses it; the final completion
 * goes last and once.
 */

import type { Clock, Logger } from "../runtime/ports.ts";
import type { Completion, FrontierVerbs, Lease, Outcome, WorkerId } from "../protocol/mod.ts";
import { Stopwatch } from "./stopwatch.ts";

export interface ReporterParts {
  readonly frontier: FrontierVerbs;
  readonly clock: Clock;
  readonly log: Logger;
  readonly workerId: WorkerId;
}

/** What the final completion tells of the pace. */
export interface LeaseEnd {
  readonly lastSeenAt: number | undefined;
  readonly gapMs: number;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

export class Reporter {
  readonly #parts: ReporterParts;
  readonly #lease: Lease;
  #pending: Outcome[] = [];
  #sending: Promise<void> | undefined;
  #stale = false;
  /** Since the sending of the newest completion that the coordinator accepted. */
  confirmed: Stopwatch;

  constructor(parts: ReporterParts, lease: Lease, confirmed: Stopwatch) {
    this.#parts = parts;
    this.#lease = lease;
    this.confirmed = confirmed;
  }

  /** The fence refused us: the lease belongs to somebody else, what we hold of it is worth nothing. */
  get stale(): boolean {
    return this.#stale;
  }

  add(outcome: Outcome): void {
    this.#pending.push(outcome);
    this.#sending ??= this.#drain().finally(() => this.#sending = undefined);
  }

  /** Sends what is left and ends the lease. Resolves when the coordinator knows, or never will by the fence. */
  async end(pace: LeaseEnd): Promise<void> {
    while (this.#sending) await this.#sending;
    const { lastSeenAt, gapMs } = pace;
    await this.#send(() => ({
      ...this.#head(),
      outcomes: this.#pending,
      done: true,
      gap_ms: gapMs,
      ...(lastSeenAt === undefined
        ? {}
        : { last_start_ago_ms: Math.max(0, this.#parts.clock.monotonicMs() - lastSeenAt) }),
    }));
  }

  #head() {
    const { lease_id, epoch, slot } = this.#lease;
    return { worker_id: this.#parts.workerId, lease_id, epoch, slot };
  }

  async #drain(): Promise<void> {
    while (this.#pending.length > 0 && !this.#stale) {
      const outcomes = this.#pending;
      this.#pending = [];
      await this.#send(() => ({ ...this.#head(), outcomes, done: false }));
    }
  }

  async #send(completion: () => Completion): Promise<void> {
    const { clock, frontier, log } = this.#parts;
    const giveUp = Stopwatch.start(clock);
    for (let waitMs = FIRST_RETRY_MS; !this.#stale; waitMs = Math.min(LAST_RETRY_MS, waitMs * 2)) {
      const sent = Stopwatch.start(clock);
      try {
        const reply = await frontier.complete(completion());
        if (reply.status === "stale") this.#stale = true;
        else this.confirmed = sent;
        return;
      } catch (error) {
        log.warn("could not report outcomes; trying again", { host: this.#lease.host, error: String(error) });
        if (giveUp.elapsedMs() > 2 * this.#lease.expires_in_ms) this.#stale = true;
        await clock.sleep(waitMs);
      }
    }
  }
}
