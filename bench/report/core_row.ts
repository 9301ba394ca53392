/**
 * A result of the core's benchmark.
 * Invariant: every row of one `name` did the same work; ratio = its time over that of the best JS candidate.
 */

/** One candidate at one task. */
export interface CoreRow {
  /** The task. */
  readonly name: string;
  readonly candidate: string;
  /** Median of the rounds. */
  readonly nsPerOp: number;
  /** The distance of the rounds' quartiles, in percent of the median; absent where there was one round. */
  readonly spread?: number;
  readonly ratio: number;
}
