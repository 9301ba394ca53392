/** Real children stand for the test runners. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { execPath } from "node:process";
import { test } from "../tests/support/test.ts";
import { countDeno, type Counts, sum } from "./test_counts.ts";
import { runLanes, type TestRun } from "./test_runs.ts";

/** A runner that is this script. */
const runner = (name: string, script: string): TestRun => ({
  name,
  command: /deno[^/]*$/.test(execPath) ? [execPath, "eval", script] : [execPath, "-e", script],
  count: countDeno,
});
const says = (line: string) => `console.log(${JSON.stringify(line)});`;
const PASSED = says("ok | 3 passed | 0 failed | 2 ignored (1s)");
const EXIT = (code: number) => `(await import("node:process")).exit(${code});`;

async function run(...lanes: readonly (readonly TestRun[])[]): Promise<{ counts: Counts; lines: string[] }> {
  const lines: string[] = [];
  return { counts: sum(await runLanes(lanes, (line) => lines.push(line))), lines };
}

test("test runs: lanes are summed over all their runs, and each line says whose it is", async () => {
  const { counts, lines } = await run([runner("a", PASSED), runner("b", PASSED)], [runner("c", PASSED)]);
  assert.deepEqual(counts, { passed: 9, failed: 0, skipped: 6 });
  assert.deepEqual(
    lines.sort(),
    ["a", "b", "c"].map((name) => `${name}: ok | 3 passed | 0 failed | 2 ignored (1s)`),
  );
});

test("test runs: one lane alone prints what its runs print, to a last line without an end", async () => {
  const { lines } = await run([runner("a", PASSED + '(await import("node:process")).stdout.write("half");')]);
  assert.deepEqual(lines, ["ok | 3 passed | 0 failed | 2 ignored (1s)", "half"]);
});

test("test runs: one that fails, crashes, is killed, can't start, or comes to no tests fails all, and stops no other", async () => {
  const failing: Record<string, TestRun> = {
    "failed tests": runner("x", says("FAILED | 1 passed | 1 failed (1s)") + EXIT(1)),
    "a bad exit after all passed": runner("x", PASSED + EXIT(7)),
    "a crash before the closing line": runner("x", "throw new Error('crash')"),
    "killed": runner(
      "x",
      PASSED + '(await import("node:process")).kill((await import("node:process")).pid, "SIGKILL");',
    ),
    "ended by a test, with exit code 0": runner("x", EXIT(0)),
    "not there": { ...runner("x", ""), command: ["/nowhere/deno", "test"] },
  };
  for (const [what, bad] of Object.entries(failing)) {
    const { counts } = await run([bad, runner("behind", PASSED)], [runner("beside", PASSED)]);
    assert.equal(counts.failed, 1, what);
    assert.ok(counts.passed >= 6, what);
  }
});

test("test runs: runs of two lanes go on at the same time", async () => {
  const come: ServerResponse[] = [];
  const meeting = createServer((_, response) => {
    if (come.push(response) === 2) { for (const one of come) one.end(); }
  }).listen(0, "127.0.0.1");
  await once(meeting, "listening");
  const { port } = meeting.address() as { port: number };
  // Alone it is answered by nobody, and crashes.
  const asking = `await (await fetch("http://127.0.0.1:${port}/", { signal: AbortSignal.timeout(30_000) })).text();`;
  const { counts } = await run([runner("a", asking + PASSED)], [runner("b", asking + PASSED)]);
  meeting.closeAllConnections();
  meeting.close();
  await once(meeting, "close");
  assert.deepEqual(counts, { passed: 6, failed: 0, skipped: 4 });
});
