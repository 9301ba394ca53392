/**
 * At most so many hosts of one registered domain are leased at once (E56: 10,000 sub-domains of one domain share it).
 * Invariant: a host that found its domain full is parked; while a domain has room, its parked hosts come out again.
 */

interface DomainState<H> {
  leased: number;
  readonly parked: Set<H>;
}

export class DomainLimit<H> {
  readonly #most: number;
  readonly #domains = new Map<string, DomainState<H>>();
  /** Domains with room and with parked hosts. */
  readonly #open = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  isFull(domain: string): boolean {
    return (this.#domains.get(domain)?.leased ?? 0) >= this.#most;
  }

  lease(domain: string): void {
    const state = this.#domains.get(domain);
    if (state === undefined) this.#domains.set(domain, { leased: 1, parked: new Set() });
    else state.leased++;
  }

  release(domain: string): void {
    const state = this.#domains.get(domain);
    if (state === undefined) return;
    state.leased--;
    if (state.parked.size > 0) this.#open.add(domain);
    else if (state.leased === 0) this.#domains.delete(domain);
  }

  /** The host waits until its (full) domain has room. */
  park(domain: string, host: H): void {
    this.#domains.get(domain)!.parked.add(host);
  }

  isParked(domain: string, host: H): boolean {
    return this.#domains.get(domain)?.parked.has(host) ?? false;
  }

  /** Hosts that may try now: as many of each domain as it has room for. */
  takeFreed(): H[] {
    const freed: H[] = [];
    for (const domain of this.#open) {
      const state = this.#domains.get(domain)!;
      let room = this.#most - state.leased;
      for (const host of state.parked) {
        if (room-- <= 0) break;
        state.parked.delete(host);
        freed.push(host);
      }
      if (state.parked.size > 0 && state.leased < this.#most) continue;
      this.#open.delete(domain);
      if (state.parked.size === 0 && state.leased === 0) this.#domains.delete(domain);
    }
    return freed;
  }
}
