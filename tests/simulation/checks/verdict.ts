/**
 * The first promise that a run broke.
 * Invariant: only the first counts; what follows from it would mislead.
 */

export class Verdict {
  #sentence: string | undefined;

  get sentence(): string | undefined {
    return this.#sentence;
  }

  /** `sentence`: which promise, what was found. */
  broken(sentence: string): void {
    this.#sentence ??= sentence;
  }

  expect(holds: boolean, sentence: () => string): void {
    if (!holds) this.broken(sentence());
  }
}
