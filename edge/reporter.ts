/**
 * Carries the outcomes of one lease to the coordinator: one completion under way at a time, what gathers meanwhile goes
 * with the next. Invariant: an outcome is sent until it is acknowledged, the fence refuses it, or the worker ends and
 * nobody answers; the final completion goes last and once.
 */

import type { Clock, Logger } from "../runtime/ports.ts";
import type {
  Completion,
  CompletionReply,
  FrontierVerbs,
  Lease,
  Outcome,
  Referral,
  WorkerId,
} from "../protocol/mod.ts";
import { Stopwatch } from "./stopwatch.ts";

export interface ReporterParts {
  readonly frontier: FrontierVerbs;
  readonly clock: Clock;
  readonly log: Logger;
  readonly workerId: WorkerId;
  /** The worker is to end: a coordinator that can't be told soon is told nothing. */
  readonly stop: AbortSignal;
}

/** What the final completion tells of the pace. */
export interface LeaseEnd {
  readonly lastSeenAt: number | undefined;
  readonly gapMs: number;
}

interface Pending {
  readonly outcome: Outcome;
  readonly acknowledged: (() => void) | undefined;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
/** Tries of one report while the worker is to end. What stays untold is fetched again by whoever leases it next. */
const STOPPING_MS = 10_000;

export class Reporter {
  readonly #parts: ReporterParts;
  readonly #lease: Lease;
  #pending: Pending[] = [];
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

  /**
   * `acknowledged` is called when the coordinator has the outcome and needn't be told its links again; never when the
   * fence refused it.
   */
  add(outcome: Outcome, acknowledged?: () => void): void {
    this.#pending.push({ outcome, acknowledged });
    this.#sending ??= this.#drain().finally(() => this.#sending = undefined);
  }

  /** Sends what is left and ends the lease. Resolves when the coordinator knows, or never will by the fence. */
  async end(pace: LeaseEnd): Promise<void> {
    while (this.#sending) await this.#sending;
    const { lastSeenAt, gapMs } = pace;
    await this.#send(this.#pending, () => ({
      done: true,
      gap_ms: gapMs,
      ...(lastSeenAt === undefined
        ? {}
        : { last_start_ago_ms: Math.max(0, this.#parts.clock.monotonicMs() - lastSeenAt) }),
    }));
  }

  #confirm(pending: readonly Pending[], reply: CompletionReply, sent: Stopwatch): void {
    this.confirmed = sent;
    if (reply.queue_full === true) return;
    for (const { acknowledged } of pending) acknowledged?.();
  }

  /** To another coordinator. Lost, its hosts are left alone for as long as a visit may take. */
  async #carry({ slot, ticket }: Referral): Promise<void> {
    const { frontier, log, workerId } = this.#parts;
    await frontier.visited({ worker_id: workerId, slot, ticket }).catch((error) => {
      log.debug("could not tell of a visit", { host: this.#lease.host, error: String(error) });
    });
  }

  #head() {
    const { lease_id, epoch, slot } = this.#lease;
    return { worker_id: this.#parts.workerId, lease_id, epoch, slot };
  }

  async #drain(): Promise<void> {
    while (this.#pending.length > 0 && !this.#stale) {
      const pending = this.#pending;
      this.#pending = [];
      await this.#send(pending, () => ({ done: false }));
    }
  }

  async #send(
    pending: readonly Pending[],
    end: () => Pick<Completion, "done" | "gap_ms" | "last_start_ago_ms">,
  ): Promise<void> {
    const { clock, frontier, log, stop } = this.#parts;
    const outcomes = pending.map(({ outcome }) => outcome);
    const giveUp = Stopwatch.start(clock);
    for (let waitMs = FIRST_RETRY_MS; !this.#stale; waitMs = Math.min(LAST_RETRY_MS, waitMs * 2)) {
      const sent = Stopwatch.start(clock);
      try {
        const reply = await frontier.complete({ ...this.#head(), outcomes, ...end() });
        if (reply.status === "stale") this.#stale = true;
        else this.#confirm(pending, reply, sent);
        for (const referral of reply.referrals ?? []) void this.#carry(referral);
        return;
      } catch (error) {
        log.warn("could not report outcomes; trying again", { host: this.#lease.host, error: String(error) });
        const mostMs = stop.aborted ? STOPPING_MS : 2 * this.#lease.expires_in_ms;
        if (giveUp.elapsedMs() > mostMs) this.#stale = true;
        else await clock.sleep(waitMs);
      }
    }
  }
}
