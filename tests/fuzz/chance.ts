/** Seeded chance for fuzzing: xorshift32, the same on every runtime, cheap enough for ten million inputs. */

export class Chance {
  #state: number;

  /** `seed`: any integer. */
  constructor(seed: number) {
    this.#state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ 0x2545f491) | 1;
  }

  /** A whole number from 0 to below `limit`, which is at most 2^31. */
  below(limit: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return Math.floor((x >>> 0) / 4294967296 * limit);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
}
