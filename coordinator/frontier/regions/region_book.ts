/**
 * The regions that edges name, and which of them ask for leases.
 * Invariant: at most `MOST_REGIONS` are known; a name beyond that, or no name at all, is no region: its edges get what is
 * there for all. Of this process only: after a start every region that hosts know of counts as having asked just then.
 */

/** Regions that a coordinator tells apart. */
export const MOST_REGIONS = 64;
const NAME = /^[A-Za-z0-9._-]{1,64}$/;

export class RegionBook {
  readonly #silentMs: number;
  readonly #askedAt = new Map<string, number>();
  #liveAt = NaN;
  #live: readonly string[] = [];

  /** `silentMs`: a region that asked for nothing for so long is silent. */
  constructor(silentMs: number) {
    this.#silentMs = silentMs;
  }

  /** The name under which the region is known, "" when it isn't one. `now` counts as its first request. */
  admit(name: string, now: number): string {
    if (this.#askedAt.has(name)) return name;
    if (!NAME.test(name) || this.#askedAt.size >= MOST_REGIONS) return "";
    this.#askedAt.set(name, now);
    this.#liveAt = NaN;
    return name;
  }

  /** An edge of the region has asked, and has room for a lease. */
  asked(region: string, now: number): void {
    if (region !== "") this.#askedAt.set(region, now);
    this.#liveAt = NaN;
  }

  /** Nobody asks there, or nobody has room: dead, or idle, as far as its hosts are concerned. */
  isSilent(region: string, now: number): boolean {
    const askedAt = this.#askedAt.get(region);
    return askedAt === undefined || now - askedAt >= this.#silentMs;
  }

  /** All that were heard of. */
  names(): string[] {
    return [...this.#askedAt.keys()];
  }

  /** Regions that aren't silent. */
  live(now: number): readonly string[] {
    if (now === this.#liveAt) return this.#live;
    this.#liveAt = now;
    return this.#live = [...this.#askedAt.keys()].filter((region) => !this.isSilent(region, now));
  }
}
