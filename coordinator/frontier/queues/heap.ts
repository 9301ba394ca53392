/**
 * A binary min-heap by time.
 * Invariant: `pop` gives entries in order of `at`; entries that no longer count are told apart by their owner.
 */

export interface Timed<T> {
  readonly at: number;
  readonly item: T;
}

export class TimeHeap<T> {
  readonly #entries: Timed<T>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  peek(): Timed<T> | undefined {
    return this.#entries[0];
  }

  push(at: number, item: T): void {
    const entries = this.#entries;
    const entry = { at, item };
    let index = entries.length;
    entries.push(entry);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (entries[parent]!.at <= at) break;
      entries[index] = entries[parent]!;
      index = parent;
    }
    entries[index] = entry;
  }

  pop(): Timed<T> | undefined {
    const entries = this.#entries;
    const first = entries[0];
    const last = entries.pop();
    if (last !== undefined && entries.length > 0) this.#sink(last);
    return first;
  }

  #sink(entry: Timed<T>): void {
    const entries = this.#entries;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && entries[child + 1]!.at < entries[child]!.at) child++;
      if (entries[child]!.at >= entry.at) break;
      entries[index] = entries[child]!;
      index = child;
    }
    entries[index] = entry;
  }
}
