/**
 * Reads the closing lines of the two test runners.
 */

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Every match of a pattern with one number, the last one counts; 0 when there is none. */
function last(text: string, pattern: RegExp): number {
  return Number([...text.matchAll(pattern)].at(-1)?.[1] ?? 0);
}

/** `ok | 31 passed (4 steps) | 0 failed | 2 ignored (12s)`. */
export function countDeno(text: string): Counts {
  const closing = text.split("\n").findLast((line) => /^(ok|FAILED) \| \d+ passed/.test(line)) ?? "";
  return {
    passed: last(closing, /(\d+) passed/g),
    failed: last(closing, /(\d+) failed/g),
    skipped: last(closing, /(\d+) ignored/g),
  };
}

/** ` 12 pass`, ` 1 skip`, ` 0 fail`, each on a line of its own; errors between tests are told as ` 1 error`. */
export function countBun(text: string): Counts {
  return {
    passed: last(text, /^ *(\d+) pass$/gm),
    failed: last(text, /^ *(\d+) fail$/gm) + last(text, /^ *(\d+) errors?$/gm),
    skipped: last(text, /^ *(\d+) skip$/gm),
  };
}

export function sum(all: readonly Counts[]): Counts {
  return all.reduce(
    (total, one) => ({
      passed: total.passed + one.passed,
      failed: total.failed + one.failed,
      skipped: total.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}
