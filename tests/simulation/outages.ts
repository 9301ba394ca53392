/**
 * Which databases can't be reached, by whom.
 * Invariant: after `end` all can be.
 */

export class Outages {
  /** Shards that nobody reaches; -1 = the control database. */
  readonly #down = new Map<number, number>();
  /** Coordinators that reach none. */
  readonly #cutOff = new Map<string, number>();

  isDown(coordinator: string, shard: number | undefined): boolean {
    return this.#cutOff.has(coordinator) || this.#down.has(shard ?? -1);
  }

  /** They count, as two outages may overlap. Returns what ends it. */
  take(shard: number | undefined): () => void {
    return counted(this.#down, shard ?? -1);
  }

  cutOff(coordinator: string): () => void {
    return counted(this.#cutOff, coordinator);
  }

  end(): void {
    this.#down.clear();
    this.#cutOff.clear();
  }
}

function counted<Name>(outages: Map<Name, number>, name: Name): () => void {
  outages.set(name, (outages.get(name) ?? 0) + 1);
  return () => {
    const left = (outages.get(name) ?? 0) - 1;
    if (left > 0) outages.set(name, left);
    else outages.delete(name);
  };
}
