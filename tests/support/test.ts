/**
 * One `test` for Deno and Bun. Deno's resource and op sanitizers stay on.
 * Invariant: a skipped test says why in its name, and is counted as skipped by both runners.
 */

export interface TestOptions {
  /** Why this test can't run here; absent = run. Must hold on a bare machine only for things outside the project. */
  readonly skip?: string | undefined;
  readonly timeoutMs?: number;
}

export type TestBody = () => void | Promise<void>;

interface DenoTest {
  test(options: { name: string; ignore: boolean; fn: TestBody }): void;
}

const runtimes = globalThis as { Deno?: DenoTest; Bun?: unknown };
const bunTest = runtimes.Bun === undefined ? undefined : await import("bun:test" as string);

/** Which runtime this is: "deno" or "bun". */
export const RUNTIME = bunTest ? "bun" : "deno";

export function test(name: string, body: TestBody, options: TestOptions = {}): void {
  const title = options.skip === undefined ? name : `${name} (skipped: ${options.skip})`;
  if (bunTest) {
    const declare = options.skip === undefined ? bunTest.test : bunTest.test.skip;
    declare(title, body, options.timeoutMs ?? 60_000);
  } else runtimes.Deno!.test({ name: title, ignore: options.skip !== undefined, fn: body });
}
