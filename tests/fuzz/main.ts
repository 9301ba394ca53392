/**
 * Fuzzes the core on this runtime: `--inputs=N` for each target (default 100,000), `--seed=N`, `--target=NAME`, `--debug` for
 * the build with asserts. One line of JSON for each target; runs with the same seed must print the same hashes.
 */

import process from "node:process";
import { loadArtefact } from "../../core-wasm/load.ts";
import { loadDebugArtefact } from "./debug_core.ts";
import { fuzzCoreOf } from "./doors.ts";
import { fuzz } from "./run.ts";
import { TARGETS } from "./targets.ts";

const runtime = "Bun" in globalThis ? "bun" : "deno";

function option(name: string): string | undefined {
  return process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
}

const isDebug = process.argv.includes("--debug");
const built = fuzzCoreOf(isDebug ? await loadDebugArtefact() : await loadArtefact());
const inputs = Number(option("inputs") ?? 100_000);
const seed = Number(option("seed") ?? 1);
for (const target of Object.keys(TARGETS)) {
  if (![undefined, target].includes(option("target"))) continue;
  let next = 1_000_000;
  const result = fuzz({ target, seed, inputs }, built, (done) => {
    built.checkGuards();
    if (done < next) return;
    process.stderr.write(`${runtime} ${target}: ${done} inputs\n`);
    next += 1_000_000;
  });
  process.stdout.write(`${JSON.stringify({ runtime, build: isDebug ? "debug" : "release", ...result })}\n`);
}
