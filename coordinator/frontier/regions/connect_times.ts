/**
 * How long connections of each region took, for operators.
 * Invariant: bounded: a histogram of `BUCKETS` per region, whose median is exact to a bucket's width (a fifth). Of this
 * process only.
 */

/** Each bucket is wider than the one before by this factor. */
const GROWTH = 1.2;
const FIRST_MS = 0.1;
const BUCKETS = 72;

export class ConnectTimes {
  readonly #counts = new Map<string, Uint32Array>();

  /** A new connection took `ms`; the caller bounds the regions. */
  add(region: string, ms: number): void {
    let counts = this.#counts.get(region);
    if (counts === undefined) this.#counts.set(region, counts = new Uint32Array(BUCKETS));
    const index = ms <= FIRST_MS ? 0 : Math.ceil(Math.log(ms / FIRST_MS) / Math.log(GROWTH));
    counts[Math.min(BUCKETS - 1, index)]!++;
  }

  /** Of each region, in ms: the middle of the bucket in which the median lies. Several shards' times taken together. */
  static medians(parts: readonly ConnectTimes[]): Map<string, number> {
    const sums = new Map<string, Float64Array>();
    for (const part of parts) {
      for (const [region, counts] of part.#counts) {
        let sum = sums.get(region);
        if (sum === undefined) sums.set(region, sum = new Float64Array(BUCKETS));
        for (let i = 0; i < BUCKETS; i++) sum[i]! += counts[i]!;
      }
    }
    return new Map(Array.from(sums, ([region, counts]) => [region, medianOf(counts)]));
  }
}

function medianOf(counts: Float64Array): number {
  const half = counts.reduce((sum, count) => sum + count, 0) / 2;
  let below = 0;
  let index = 0;
  while (index < BUCKETS - 1 && (below += counts[index]!) < half) index++;
  return Math.round(FIRST_MS * GROWTH ** (index - 0.5) * 100) / 100;
}
