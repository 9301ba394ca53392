/**
 * Bytes of answers that were received and aren't durable yet, over all leases of a worker: fetching is faster than
 * scanning and archiving where bodies are large.
 * Invariant: whoever starts a request waits for room first, so no more than the bound and the answers then in flight is
 * held; one answer may always be held, so nobody waits for ever.
 */

export class Backlog {
  readonly #mostBytes: number;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** No request may be started before something of it is durable. */
  get isFull(): boolean {
    return this.#bytes >= this.#mostBytes;
  }

  /** Resolves when less than the bound is held. */
  async room(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Counts `bytes` until `work` has settled, however it ends; returns `work`. */
  hold<T>(bytes: number, work: Promise<T>): Promise<T> {
    this.#bytes += bytes;
    const done = () => this.#free(bytes);
    work.then(done, done);
    return work;
  }

  #free(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes >= this.#mostBytes) return;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
