/**
 * `deno task test`: the tests on Deno and on Bun, and one closing line over both. In two lanes, so that two cores have
 * work: the tests that wait most of the time (real processes, real gaps) beside those that compute, never two of one kind.
 * `--only=deno|bun` takes one runtime alone; other arguments are paths, and are run one runtime after the other.
 * Bun is the one on PATH when its version is the pinned one, else it comes from npm.
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { countBun, countDeno, sum } from "./test_counts.ts";
import { runLanes, type TestRun } from "./test_runs.ts";

interface Manifest {
  readonly engines: { readonly bun: string };
}

/** The folder whose tests wait: for gaps between requests, for leases to end, for children to start. */
const WAITING = "tests/integration";

/**
 * Bun gives its first few wasm memories the fast kind, and in a run of many files those are soon given away: with more of
 * them the others take a third of the CPU. Only where no process of ours is tested: users have what Bun has by default.
 */
const MANY_FAST_MEMORIES = { BUN_JSC_maxNumWasmFastMemories: "1000" };

function bunCommand(): string[] {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  const { stdout } = spawnSync("bun", ["--version"], { encoding: "utf8" });
  return stdout?.trim() === engines.bun ? ["bun"] : ["npx", "-y", `bun@${engines.bun}`];
}

const deno = (part: string, args: readonly string[]): TestRun => ({
  name: `deno ${part}`,
  command: [process.execPath, "test", "--allow-all", "--no-check", ...args],
  count: countDeno,
});
const bun = (part: string, args: readonly string[], env = {}): TestRun => ({
  name: `bun ${part}`,
  command: [...bunCommand(), "test", ...args],
  env,
  count: countBun,
});

function lanesOf(paths: readonly string[]): TestRun[][] {
  if (paths.length > 0) return [[deno("tests", paths), bun("tests", paths)]];
  return [
    [deno("integration", [WAITING]), bun("integration", [WAITING])],
    [
      bun("others", [`--path-ignore-patterns=${WAITING}/**`], MANY_FAST_MEMORIES),
      deno("others", [`--ignore=${WAITING}`]),
    ],
  ];
}

const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);
const paths = process.argv.slice(2).filter((argument) => !argument.startsWith("--only="));
const lanes = lanesOf(paths).map((lane) => lane.filter(({ name }) => only === undefined || name.startsWith(only)));
const total = sum(await runLanes(lanes, (line) => console.log(line)));
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
