/**
 * A result of the core's benchmark.
 * Invariant: every row of one `name` did the same work; ratio = its time over that of the best JS candidate.
 */

/** One candidate at one task. */
export interface CoreRow {
  /** The task. */
  readonly name: string;
  readonly candidate: string;
  readonly nsPerOp: number;
  readonly ratio: number;
}
