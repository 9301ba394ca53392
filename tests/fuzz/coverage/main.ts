/**
 * `deno task fuzz:coverage`: which stretches of the core no fuzz target reaches. `--inputs=N` for each target (default 20,000),
 * `--seed=N`; `--all` lists the functions that are reached in part, too.
 * Invariant: a stretch counts as reached when any target ran it, on any instance.
 */

import { readFileSync } from "node:fs";
import process from "node:process";
import { compileAssembly } from "../../../core-wasm/compile.ts";
import type { RawDoor } from "../../../core-wasm/instance.ts";
import { loadArtefact } from "../../../core-wasm/load.ts";
import { fuzzCoreOf } from "../doors.ts";
import { instrument, markName } from "./instrument.ts";
import { fuzz } from "../run.ts";
import { TARGETS } from "../targets.ts";

function option(name: string, other: number): number {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? other : Number(given.slice(name.length + 3));
}

const home = new URL("../../../core-wasm/", import.meta.url);
const witSource = readFileSync(new URL("wit/core.wit", home), "utf8");
const plain = await compileAssembly({ home: decodeURIComponent(home.pathname), witSource }, true);
const { bytes, functions } = instrument(plain);
const reached = new Uint8Array(functions.length);

/** An instance is let go, or the run is over: its marks are added to those of the others. */
function collect(raw: RawDoor): void {
  const exported = raw as unknown as Record<string, WebAssembly.Global>;
  for (let i = 0; i < reached.length; i++) reached[i]! |= exported[markName(i)]!.value;
}

const { instantiate } = await loadArtefact();
const built = fuzzCoreOf({ bytes, module: await WebAssembly.compile(bytes), instantiate }, collect);
const inputs = option("inputs", 20_000);
for (const target of Object.keys(TARGETS)) {
  fuzz({ target, seed: option("seed", 1), inputs }, built, () => {});
  built.checkGuards();
  const count = reached.reduce((sum, one) => sum + one, 0);
  process.stdout.write(`after ${target}: ${count} of ${functions.length} stretches\n`);
}

const byFunction = Map.groupBy(functions.keys(), (index) => functions[index]!);
for (const [name, marks] of byFunction) {
  const missed = marks.filter((index) => reached[index] === 0).length;
  const isListed = missed === marks.length || (missed > 0 && process.argv.includes("--all"));
  if (isListed) process.stdout.write(`${name}: ${missed} of ${marks.length} not reached\n`);
}
