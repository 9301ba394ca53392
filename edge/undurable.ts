/**
 * What of a lease was handed to the archive and isn't durable yet, while the lease goes on: redirects and robots.txt.
 * Invariant: nothing that rests on it is reported before `all` has resolved; one failure fails all that wait.
 */

export class Undurable {
  readonly #waiting = new Set<Promise<void>>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(durable: Promise<void>): void {
    this.#waiting.add(durable);
    // A failure stays, for whoever asks: what was reported before didn't rest on it.
    durable.then(() => this.#waiting.delete(durable), () => {});
  }

  async all(): Promise<void> {
    await Promise.all(this.#waiting);
  }
}
