/**
 * How many requests a group of hosts - a registered domain, an address - may start and have under way together.
 * Invariant: in any half-open window of `inFlight x gapMs` at most `inFlight` requests of all holders start, and at most
 * `inFlight` are under way. It holds because a holder whose starts lie `gap` apart starts at most ceil(window / gap)
 * times in a window, and the holders' counts never add up to more than `inFlight`. Pure: times are passed in.
 */

export interface GroupLimit {
  /** Requests under way at once; also starts per window. */
  readonly inFlight: number;
  /** Mean ms between two starts at the limit; 0 = starts aren't limited. */
  readonly gapMs: number;
}

/** What one holder may do: `starts` in each window, `parallel` at once. */
export interface Part {
  readonly starts: number;
  readonly parallel: number;
}

/** A part together with the gap that keeps its starts. */
export interface GrantedPart extends Part {
  /** Least ms between two starts of the holder. */
  readonly gapMs: number;
}

export interface Wish {
  /** The gap that the holder keeps anyway. */
  readonly gapMs: number;
  readonly parallel: number;
  /** Others that wait for a part of this group: nobody takes more than an even share. */
  readonly rivals: number;
}

/** What a holder has, and until when (wall ms; Infinity = until it is released). */
export interface Holding extends Part {
  readonly startsUntil: number;
  readonly parallelUntil: number;
}

/**
 * A limit whose window is no longer than `longestMs`, unless one gap is: what a lease held of a window stays taken for a
 * whole one after its end, and of a window of days only one lease would ever be served. Fewer starts in a shorter window
 * have the same gap.
 */
export function limitWithin(longestMs: number, { inFlight, gapMs }: GroupLimit): GroupLimit {
  return { inFlight: Math.max(1, Math.min(inFlight, Math.floor(longestMs / gapMs))), gapMs };
}

export function windowMs({ inFlight, gapMs }: GroupLimit): number {
  return inFlight * gapMs;
}

/** Most starts in any half-open window when two starts are at least `gapMs` apart. */
export function startsInWindow(limit: GroupLimit, gapMs: number): number {
  const window = windowMs(limit);
  if (window === 0) return 0;
  return gapMs > 0 ? Math.ceil(window / gapMs) : Infinity;
}

export class StartWindow {
  readonly #holders = new Map<string, Holding>();

  get size(): number {
    return this.#holders.size;
  }

  holders(): IterableIterator<[string, Holding]> {
    return this.#holders.entries();
  }

  get(holder: string): Holding | undefined {
    return this.#holders.get(holder);
  }

  /** Forgets what is over at `now`. */
  tidy(now: number): void {
    for (const [holder, { startsUntil, parallelUntil }] of this.#holders) {
      if (startsUntil <= now && parallelUntil <= now) this.#holders.delete(holder);
    }
  }

  /** What is left at `now`. */
  room(limit: GroupLimit, now: number): Part {
    let starts = limit.gapMs > 0 ? limit.inFlight : Infinity;
    let parallel = limit.inFlight;
    for (const holding of this.#holders.values()) {
      if (holding.startsUntil > now) starts -= holding.starts;
      if (holding.parallelUntil > now) parallel -= holding.parallel;
    }
    return { starts: Math.max(0, starts), parallel: Math.max(0, parallel) };
  }

  /** The part that `wish` gets at `now`; undefined when nothing is left. It isn't taken yet. */
  offer(limit: GroupLimit, wish: Wish, now: number): GrantedPart | undefined {
    const room = this.room(limit, now);
    if (room.starts < 1 || room.parallel < 1) return undefined;
    const share = Math.max(1, Math.floor(limit.inFlight / (this.#holders.size + wish.rivals + 1)));
    const parallel = Math.max(1, Math.min(wish.parallel, room.parallel, share));
    if (limit.gapMs <= 0) return { starts: 0, parallel, gapMs: wish.gapMs };
    const starts = Math.min(startsInWindow(limit, wish.gapMs), room.starts, share);
    return { starts, parallel, gapMs: Math.max(wish.gapMs, windowMs(limit) / starts) };
  }

  hold(holder: string, holding: Holding): void {
    this.#holders.set(holder, holding);
  }

  /**
   * The holder starts nothing more: its last start was no later than `lastStartAt` (-Infinity = it made none), its
   * requests are over at `parallelUntil` (-Infinity = now).
   */
  release(holder: string, limit: GroupLimit, last: { readonly startAt: number; readonly parallelUntil: number }): void {
    const held = this.#holders.get(holder);
    if (held === undefined) return;
    const startsUntil = last.startAt + windowMs(limit);
    this.#holders.set(holder, { ...held, startsUntil, parallelUntil: last.parallelUntil });
  }

  drop(holder: string): void {
    this.#holders.delete(holder);
  }
}
