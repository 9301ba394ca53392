/**
 * The whole system under random trouble: 500 seeds here, 500 others on the other runtime, and 50 each with several
 * coordinators. A failing seed is named, and `OUTRIDER_SIMULATION_SEED=n` runs it alone and tells what happened.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { RUNTIME, test } from "../support/test.ts";
import { CLUSTER_SEEDS } from "./scenario.ts";
import { simulate } from "./simulation.ts";

const SEEDS_PER_TEST = 25;
const SEEDS = Number(process.env.OUTRIDER_SIMULATION_SEEDS ?? 500);
/** Of several coordinators; they have seven times the events. */
const SHARED_SEEDS = Math.ceil(SEEDS / 10);
const isFirst = RUNTIME === "deno";
const ONLY = process.env.OUTRIDER_SIMULATION_SEED;
/** Runs that are compared between the runtimes. */
const COMPARED = [{ from: 20_000, seeds: 10 }, { from: CLUSTER_SEEDS + 20_000, seeds: 3 }];
const MINUTES = 60_000;

/** Throws with the seed and what it broke; told with everything that happened where it runs alone. */
async function mustHold(seed: number, keepsLines = false): Promise<void> {
  const { broken, lines } = await simulate(seed, { keepsLines });
  if (broken === undefined) return;
  assert.fail([...lines, `OUTRIDER_SIMULATION_SEED=${seed}: ${broken}`].join("\n"));
}

function holdAll(first: number, seeds: number): void {
  for (let from = first; from < first + seeds; from += SEEDS_PER_TEST) {
    const end = Math.min(from + SEEDS_PER_TEST, first + seeds);
    test(`simulation, seeds ${from} to ${end - 1}: every promise holds`, async () => {
      for (let seed = from; seed < end; seed++) await mustHold(seed);
    }, { timeoutMs: 10 * MINUTES });
  }
}

async function traces({ from, seeds }: typeof COMPARED[number]): Promise<string> {
  const hashes: string[] = [];
  for (let seed = from; seed < from + seeds; seed++) hashes.push((await simulate(seed)).trace);
  return hashes.join(" ");
}

/** What they came to here the first time. */
const found = new Map<typeof COMPARED[number], string>();

async function tracesFound(seeds: typeof COMPARED[number]): Promise<string> {
  if (!found.has(seeds)) found.set(seeds, await traces(seeds));
  return found.get(seeds)!;
}

function otherRuntime(): readonly string[] | undefined {
  const command = RUNTIME === "deno" ? ["bun"] : ["deno", "run", "--allow-all", "--no-check"];
  return spawnSync(command[0]!, ["--version"]).status === 0 ? command : undefined;
}

if (ONLY !== undefined) test(`simulation, seed ${ONLY} alone`, () => mustHold(Number(ONLY), true));
else {
  holdAll(isFirst ? 1 : 1 + SEEDS, SEEDS);
  holdAll(CLUSTER_SEEDS + (isFirst ? 1 : 1 + SHARED_SEEDS), SHARED_SEEDS);

  test("simulation: a seed is the same run each time", async () => {
    for (const seeds of COMPARED) assert.equal(await traces(seeds), await tracesFound(seeds));
  }, { timeoutMs: 5 * MINUTES });

  const other = otherRuntime();
  test("simulation: a seed is the same run on both runtimes", async () => {
    const [program, ...args] = other!;
    for (const compared of COMPARED) {
      const flags = [`--from=${compared.from}`, `--seeds=${compared.seeds}`, "--hashes"];
      const { stdout, stderr } = spawnSync(program!, [...args, "tests/simulation/main.ts", ...flags], {
        encoding: "utf8",
      });
      assert.equal(stdout.trim(), await tracesFound(compared), stderr);
    }
  }, { timeoutMs: 5 * MINUTES, skip: other === undefined ? "the other runtime isn't on PATH" : undefined });
}
