/**
 * One lease in our hands: whether it still stands, and when its next request may start.
 * Invariants: nothing starts after the deadline (less the time of a whole fetch), nothing starts on a confirmation older
 * than confirmMs, two starts keep the pace, and no more than maxParallel requests are under way. Time that a suspended machine slept counts.
 */

import type { FailureClass, Lease } from "../protocol/mod.ts";
import { FAILURES } from "../protocol/mod.ts";
import { Pace } from "./pace.ts";
import { AddressPermits } from "./address_permits.ts";
import type { EdgeParts } from "./parts.ts";
import { Reporter } from "./reporter.ts";
import type { CookieJar, FetchRequest } from "./ports.ts";
import { unwantedType } from "./steps/wanted_type.ts";
import { RequestHeaders } from "./steps/request_headers.ts";
import { Stopwatch } from "./stopwatch.ts";
import { Undurable } from "./undurable.ts";

/** Least time between two extensions of a lease that only waits for the archive. */
const KEEP_MS = 1_000;

export class LeaseHold {
  readonly lease: Lease;
  readonly pace: Pace;
  readonly reporter: Reporter;
  readonly headers: RequestHeaders;
  readonly addresses: AddressPermits;
  /** Where the crawl keeps cookies: those of this lease. */
  readonly cookies: CookieJar | undefined;
  /** Why a page's body isn't wanted, by its head; undefined = all are. */
  readonly unwanted: FetchRequest["unwanted"];
  readonly undurable: Undurable = new Undurable();
  readonly #parts: EdgeParts;
  readonly #stop: AbortSignal;
  /** Counts from the *sending* of the request that the lease's time is counted from. */
  #granted: Stopwatch;
  #expiresInMs: number;
  #ended = false;
  /** Its time is taken by what was begun. */
  #isFull = false;
  #timeoutsInRow = 0;
  #maxParallel: number;

  constructor(lease: Lease, parts: EdgeParts, sent: Stopwatch, stop: AbortSignal) {
    this.lease = lease;
    this.#parts = parts;
    this.#stop = stop;
    this.#granted = sent;
    this.#expiresInMs = lease.expires_in_ms;
    this.#maxParallel = lease.max_parallel;
    this.addresses = new AddressPermits(this, parts);
    this.cookies = lease.crawl.cookies ? parts.newCookieJar() : undefined;
    this.unwanted = unwantedType(lease.crawl.content_types);
    this.headers = new RequestHeaders({ userAgent: lease.crawl.user_agent, contact: lease.crawl.contact });
    const confirmed = lease.asked_ago_ms === undefined ? sent : Stopwatch.startedAgo(parts.clock, lease.asked_ago_ms);
    this.reporter = new Reporter({ ...parts, workerId: parts.settings.workerId, stop }, lease, confirmed);
    this.pace = new Pace({
      gapMs: lease.gap_ms,
      delayFactor: lease.delay_factor,
      delayCapMs: lease.delay_cap_ms,
      firstStartAt: parts.clock.monotonicMs() + lease.first_start_in_ms,
    });
  }

  /** Nothing new may be begun under this lease. */
  get over(): boolean {
    return this.#isFull || this.#isOver;
  }

  /** Nothing at all may be started under it. */
  get #isOver(): boolean {
    return this.#ended || this.#stop.aborted || this.reporter.stale || this.#parts.health.isUnwell;
  }

  /** Requests that may be under way at once. */
  get maxParallel(): number {
    return this.#maxParallel;
  }

  limitParallel(most: number): void {
    this.#maxParallel = Math.max(1, Math.min(this.#maxParallel, most));
  }

  /** The rest of the lease goes back. */
  endEarly(): void {
    this.#ended = true;
  }

  /**
   * Waits for the pace, and for a request under way where there are as many as there may be (fewer, perhaps, than when
   * others were told to start); confirms the lease where that is due; false when no request may start any more. True:
   * the start is counted, in the same step as it was found free: of several that wait only one may have it.
   */
  async mayStart(): Promise<boolean> {
    for (;;) {
      if (this.over) return false;
      if (!this.#timeLeft()) {
        this.#isFull = true;
        return false;
      }
      const isFree = await this.#towardsStart();
      if (isFree !== undefined) return isFree;
    }
  }

  /**
   * As mayStart, for a request that goes on with what this lease has begun (a redirect): the lease is extended while its
   * pace is waited for, however long that is. Given back, the target would begin all over again, and come no further.
   */
  async mayGoOn(): Promise<boolean> {
    for (;;) {
      if (this.#isOver) return false;
      if (this.#timeLeft()) {
        const isFree = await this.#towardsStart();
        if (isFree !== undefined) return isFree;
        continue;
      }
      const leftMs = this.#expiresInMs - this.#granted.elapsedMs();
      await this.pause(Math.max(0, Math.min(this.#waitMs, leftMs / 2)));
      if (!this.#isOver && !(await this.#confirm())) return this.#no();
    }
  }

  /** Waits, confirms, or starts, whichever it is time for; undefined = look again. */
  async #towardsStart(): Promise<boolean | undefined> {
    const waitMs = this.#waitMs;
    if (this.pace.underWay >= this.#maxParallel) await this.pace.nextAnswer();
    else if (waitMs > 0) await this.#parts.clock.sleep(waitMs, this.#stop);
    else if (this.reporter.confirmed.elapsedMs() <= this.#parts.settings.confirmMs) {
      this.pace.started(this.#parts.clock.monotonicMs());
      return true;
    } else if (!(await this.#confirm())) return this.#no();
    return undefined;
  }

  /** For requests that keep another host's clock: confirms the lease where that is due; false when it is over. */
  async stands(): Promise<boolean> {
    if (this.#isOver) return false;
    const isFresh = this.reporter.confirmed.elapsedMs() <= this.#parts.settings.confirmMs;
    return (isFresh && this.#timeLeft()) || (await this.#confirm()) || this.#no();
  }

  /** Sleeps, but not beyond a stop. */
  async pause(ms: number): Promise<void> {
    await this.#parts.clock.sleep(ms, this.#stop);
  }

  /**
   * What a failure of this class means for the rest of the lease: a second timeout in a row ends it, and so does a
   * server that says when to come back.
   */
  failed(failure: FailureClass, retryAfterMs = 0): void {
    const { endsLease, backoff } = FAILURES[failure];
    this.#timeoutsInRow = backoff === "repeated" ? this.#timeoutsInRow + 1 : 0;
    if (endsLease || retryAfterMs > 0 || this.#timeoutsInRow >= 2) this.#ended = true;
  }

  succeeded(): void {
    this.#timeoutsInRow = 0;
  }

  /** No request of the lease is under way, and none will be: its host's clock needn't wait for the archive. */
  async freeHost(): Promise<void> {
    const { clock, frontier, log, settings } = this.#parts;
    const { lease_id, epoch, slot, host } = this.lease;
    const { lastSeenAt, gapMs } = this.pace;
    if (lastSeenAt === undefined) return;
    try {
      const last_start_ago_ms = Math.max(0, clock.monotonicMs() - lastSeenAt);
      await frontier.settled({ worker_id: settings.workerId, lease_id, epoch, slot, last_start_ago_ms, gap_ms: gapMs });
    } catch (error) {
      // Its end says the same, later.
      log.debug("could not free a host early", { host, error: String(error) });
    }
  }

  /** Extends the lease in time until the signal, so that what was fetched under it still counts when it is durable. */
  async keepUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.reporter.stale) {
      const leftMs = this.#expiresInMs - this.#granted.elapsedMs();
      await this.#parts.clock.sleep(Math.max(KEEP_MS, leftMs / 2), signal);
      if (!signal.aborted && (await this.#extend()) === "over") return;
    }
  }

  #no(): false {
    this.#ended = true;
    return false;
  }

  get #waitMs(): number {
    return this.pace.waitMs(this.#parts.clock.monotonicMs());
  }

  #timeLeft(): boolean {
    return this.#granted.elapsedMs() + this.#waitMs + this.#parts.settings.fetchLimits.wallMs <= this.#expiresInMs;
  }

  async #confirm(): Promise<boolean> {
    const found = await this.#extend();
    if (found === "unknown") {
      this.#parts.log.warn("could not confirm a lease; its rest goes back", { host: this.lease.host });
    }
    return found === "stands";
  }

  /** `ending`: it stands, but nothing more may be started under it. */
  async #extend(): Promise<"stands" | "ending" | "over" | "unknown"> {
    const sent = Stopwatch.start(this.#parts.clock);
    const { lease_id, epoch, slot } = this.lease;
    try {
      const asked = { worker_id: this.#parts.settings.workerId, lease_id, epoch, slot };
      const reply = await this.#parts.frontier.extend(asked);
      if (reply.status === "stale") return "over";
      this.#granted = sent;
      this.#expiresInMs = reply.expires_in_ms;
      if (reply.stop) return "ending";
      this.reporter.confirmed = sent;
      return "stands";
    } catch (error) {
      this.#parts.log.debug("a lease was not extended", { host: this.lease.host, error: String(error) });
      return "unknown";
    }
  }
}
