/**
 * How many shards each coordinator should have.
 * Invariant: pure; counts that differ by one at most are fair, so nothing goes to and fro.
 */

/** Shards that one of `coordinators` has at most where all are shared out. */
export function fairShare(shards: number, coordinators: number): number {
  return Math.ceil(shards / Math.max(1, coordinators));
}

/** True: one of `own` shards should go to somebody who has fewer. `others`: what each of the others has. */
export function hasTooMany(own: number, others: readonly number[]): boolean {
  return others.some((count) => own - count >= 2);
}
