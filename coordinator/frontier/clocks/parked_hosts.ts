/**
 * Hosts that could be leased but for a group (registered domain, address) that is full.
 * Invariant: a parked host comes out once its group has been opened and has room; it is parked at one group at a time.
 */

export class ParkedHosts<H> {
  readonly #parked = new Map<string, Set<H>>();
  /** Groups with parked hosts that may have room. */
  readonly #open = new Set<string>();

  park(group: string, host: H): void {
    const hosts = this.#parked.get(group);
    if (hosts === undefined) this.#parked.set(group, new Set([host]));
    else hosts.add(host);
  }

  /** The host is another shard's. */
  remove(group: string, host: H): void {
    const hosts = this.#parked.get(group);
    if (!hosts?.delete(host) || hosts.size > 0) return;
    this.#parked.delete(group);
    this.#open.delete(group);
  }

  isParked(group: string, host: H): boolean {
    return this.#parked.get(group)?.has(host) ?? false;
  }

  count(group: string): number {
    return this.#parked.get(group)?.size ?? 0;
  }

  get isEmpty(): boolean {
    return this.#parked.size === 0;
  }

  /** The group may have room. */
  opened(group: string): void {
    if (this.#parked.has(group)) this.#open.add(group);
  }

  /** Any group may have room: what was told of them before is lost. */
  openedAll(): void {
    for (const group of this.#parked.keys()) this.#open.add(group);
  }

  /** Hosts that may try now: as many of each group as `room` says. */
  takeFreed(room: (group: string) => number): H[] {
    const freed: H[] = [];
    for (const group of this.#open) {
      const hosts = this.#parked.get(group)!;
      let left = room(group);
      // Full again: it is opened when a part becomes free. While it has room it stays open, as a host that comes out
      // may turn out to want nothing.
      if (left < 1) this.#open.delete(group);
      for (const host of hosts) {
        if (left-- < 1) break;
        hosts.delete(host);
        freed.push(host);
      }
      if (hosts.size > 0) continue;
      this.#open.delete(group);
      this.#parked.delete(group);
    }
    return freed;
  }
}
