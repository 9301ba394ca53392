/**
 * When the next request of a lease may start.
 * Invariant: two starts are at least the gap apart as the *server* sees them. A request that was sent may wait in
 * buffers, so the gap is counted from the moment at which the server has certainly seen it: its first response byte
 * (or its failure), and until that is known from when its head went to the socket. While a request waits for its
 * connection no other starts.
 */

export interface PaceOptions {
  /** Least gap between two starts, ms. 0 = none. */
  readonly gapMs: number;
  /** The gap grows to this multiple of the last response time; 0 = off. */
  readonly delayFactor: number;
  /** Bound of that growth, ms. */
  readonly delayCapMs: number;
  /** Monotonic ms before which nothing may start. */
  readonly firstStartAt: number;
}

export class Pace {
  readonly #options: PaceOptions;
  #leastGapMs: number;
  #gapMs: number;
  /** Nothing starts before it: what was learned from answers, so it never moves back. */
  #answeredUntil: number;
  /** The same for requests under way, by the gap that held when they started: their answers replace it. */
  #underWayUntil = -Infinity;
  #underWay = 0;
  /** Of those under way, the ones whose head isn't at the socket yet. */
  #connecting = 0;
  #lastSeenAt: number | undefined;
  /** Those who wait for a request under way to be over. */
  #waiting: (() => void)[] = [];

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#leastGapMs = options.gapMs;
    this.#gapMs = options.gapMs;
    this.#answeredUntil = options.firstStartAt;
  }

  /** The gap in force, ms. */
  get gapMs(): number {
    return this.#gapMs;
  }

  /** Requests that were started and aren't answered. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Resolves when the next of the requests under way is over. */
  nextAnswer(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Monotonic ms at which the newest request was on its way at the latest; undefined before the first. */
  get lastSeenAt(): number | undefined {
    return this.#lastSeenAt;
  }

  /** How long from `now` (monotonic ms) until a request may start; 0 = now. */
  waitMs(now: number): number {
    let until = this.#answeredUntil;
    if (this.#underWay > 0) until = Math.max(until, this.#underWayUntil);
    if (this.#connecting > 0) until = Math.max(until, now + this.#gapMs);
    return Math.max(0, until - now);
  }

  /** A request starts now: it asks for a connection. */
  started(now: number): void {
    this.#underWay++;
    this.#connecting++;
    this.#lastSeenAt = Math.max(this.#lastSeenAt ?? now, now);
    this.#underWayUntil = Math.max(this.#underWayUntil, now + this.#gapMs);
  }

  /** Its head goes to the socket now. */
  sent(now: number): void {
    this.#connecting = Math.max(0, this.#connecting - 1);
    this.#lastSeenAt = Math.max(this.#lastSeenAt ?? now, now);
    this.#underWayUntil = Math.max(this.#underWayUntil, now + this.#gapMs);
  }

  /** The server answered (or the request failed) at `seenAt`; the whole answer took `totalMs`. */
  responded(seenAt: number, totalMs: number): void {
    this.#underWay = Math.max(0, this.#underWay - 1);
    this.#connecting = Math.min(this.#connecting, this.#underWay);
    this.#lastSeenAt = Math.max(this.#lastSeenAt ?? seenAt, seenAt);
    const grown = Math.min(this.#options.delayCapMs, this.#options.delayFactor * totalMs);
    this.#gapMs = Math.max(this.#leastGapMs, grown);
    this.#keepGap();
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** What was counted as an answer was none of the server's: it says nothing of how fast that is. */
  forgetAnswer(): void {
    this.#gapMs = this.#leastGapMs;
  }

  /** The site asks for at least this gap (Crawl-delay); it never shrinks what holds already. */
  atLeast(gapMs: number): void {
    this.#leastGapMs = Math.max(this.#leastGapMs, gapMs);
    this.#gapMs = Math.max(this.#gapMs, gapMs);
    this.#keepGap();
  }

  #keepGap(): void {
    if (this.#lastSeenAt === undefined) return;
    this.#answeredUntil = Math.max(this.#answeredUntil, this.#lastSeenAt + this.#gapMs);
  }
}
