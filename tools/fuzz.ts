/**
 * `deno task fuzz`: fuzzes the core with one seed after the other on Deno and on Bun, and in the build with asserts, one process at a time, and
 * fails where two of them answer differently. `--inputs=N` for each target (default 1,000,000), `--debug-inputs=N` for the
 * build with asserts (default a tenth), `--seed=N`, `--target=NAME`.
 */

import { spawnSync } from "node:child_process";
import process from "node:process";

interface Result {
  readonly runtime: string;
  readonly build: string;
  readonly target: string;
  readonly inputs: number;
  readonly bytes: number;
  readonly hash: string;
  readonly seconds: number;
  readonly worstNsPerByte: number;
}

/** Slower than this over thousands of calls is a hang in the making: some 30 times what the slowest target takes on a busy machine. */
const MOST_NS_PER_BYTE = 200_000;

function option(name: string): string | undefined {
  return process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
}

function run(command: readonly string[], flags: readonly string[]): Result[] {
  const [program, ...args] = command;
  const { stdout, status } = spawnSync(program!, [...args, "tests/fuzz/main.ts", ...flags], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`Fuzzing by ${program} ended with ${status}; the reason stands above.`);
  const results = stdout.trim().split("\n").map((line) => JSON.parse(line) as Result);
  for (const result of results) process.stdout.write(`${JSON.stringify(result)}\n`);
  return results;
}

function problems(results: readonly Result[]): string[] {
  const slow = results.filter(({ worstNsPerByte }) => worstNsPerByte > MOST_NS_PER_BYTE)
    .map(({ target, runtime, worstNsPerByte }) =>
      `${target} on ${runtime} took ${Math.round(worstNsPerByte)} ns a byte`
    );
  const different = results.flatMap((one) =>
    results.filter((other) => other.target === one.target && other.inputs === one.inputs && other.hash !== one.hash)
      .map((other) =>
        `${one.target}: ${one.runtime} ${one.build} found ${one.hash}, ${other.runtime} ${other.build} ${other.hash}`
      )
  );
  return [...slow, ...different];
}

const inputs = Number(option("inputs") ?? 1_000_000);
const debugInputs = Number(option("debug-inputs") ?? Math.ceil(inputs / 10));
const shared = [`--seed=${option("seed") ?? 1}`, ...(option("target") ? [`--target=${option("target")}`] : [])];
const built = spawnSync("deno", ["run", "-A", "core-wasm/build.ts", "--debug"], { stdio: "inherit" });
if (built.status !== 0) throw new Error("Building the core with asserts failed; the reason stands above.");
const deno = ["deno", "run", "-A", "--no-check"];
const found = problems([
  ...run(deno, [`--inputs=${inputs}`, ...shared]),
  ...run(["bun"], [`--inputs=${inputs}`, ...shared]),
  ...run(deno, [`--inputs=${debugInputs}`, ...shared]),
  ...run(deno, [`--inputs=${debugInputs}`, "--debug", ...shared]),
]);
for (const problem of found) process.stdout.write(`${problem}\n`);
process.exitCode = found.length === 0 ? 0 : 1;
