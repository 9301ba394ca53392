/**
 * Runs the simulator: `--from=SEED` (default 1), `--seeds=N` (default 100) or `--minutes=M`; `--trace` prints what
 * happened in a failing seed, `--keep-going` goes on after one, `--hashes` prints nothing but each run's trace.
 * `--mutations` (or `--mutations=WORD` for those whose name has it) runs deliberately broken builds instead, each over at
 * most `--seeds=N` (default 400) seeds, and fails when one of them survives.
 * OUTRIDER_SIMULATION_SEED=n runs that seed alone, with its trace. Exits with 1 when a seed failed.
 */

import process from "node:process";
import { simulate, type SimulationResult } from "./simulation.ts";

const given = (name: string) => process.argv.includes(`--${name}`);

function option(name: string): string | undefined {
  return process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
}

async function huntMutations(word: string): Promise<number> {
  const { hunt } = await import("./mutate.ts");
  const { MUTATIONS } = await import("./mutations.ts");
  const chosen = MUTATIONS.filter(({ name }) => name.includes(word));
  let survived = 0;
  const options = { from: Number(option("from") ?? 1), mostSeeds: Number(option("seeds") ?? 400) };
  hunt(chosen, options, ({ mutation, seeds, found }) => {
    if (seeds === undefined) survived++;
    process.stdout.write(`| ${mutation.name} | ${seeds ?? "survived"} | ${found} |\n`);
  });
  return survived;
}

const only = process.env.OUTRIDER_SIMULATION_SEED;
const from = Number(only ?? option("from") ?? 1);
const minutes = option("minutes");
const most = only !== undefined ? 1 : minutes === undefined ? Number(option("seeds") ?? 100) : Infinity;
const startedAt = performance.now();
const endAt = startedAt + Number(minutes ?? Infinity) * 60_000;
const sums = { seeds: 0, failed: 0, events: 0, virtualHours: 0, starts: 0, staleStarts: 0, faults: 0 };
const troubles: Record<string, number> = {};
const hashes: string[] = [];

function count(result: SimulationResult): void {
  sums.seeds++;
  sums.events += result.events;
  sums.virtualHours += result.virtualMs / 3_600_000;
  sums.starts += result.starts;
  sums.staleStarts += result.staleStarts;
  sums.faults += result.faults;
  for (const [name, times] of Object.entries(result.troubles)) troubles[name] = (troubles[name] ?? 0) + times;
  hashes.push(result.trace);
}

async function runSeeds(): Promise<number> {
  for (let seed = from; sums.seeds < most && performance.now() < endAt; seed++) {
    const result = await simulate(seed, { keepsLines: given("trace") || only !== undefined });
    count(result);
    if (result.broken === undefined) continue;
    sums.failed++;
    for (const line of result.lines) process.stdout.write(`${line}\n`);
    process.stdout.write(
      `seed ${seed} breaks a promise: ${result.broken}\n  again: OUTRIDER_SIMULATION_SEED=${seed}\n`,
    );
    if (!given("keep-going")) break;
  }
  if (given("hashes")) process.stdout.write(`${hashes.join(" ")}\n`);
  else {
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const virtualHours = Math.round(sums.virtualHours * 10) / 10;
    process.stdout.write(`${JSON.stringify({ ...sums, virtualHours, seconds, troubles })}\n`);
  }
  return sums.failed;
}

const word = given("mutations") ? "" : option("mutations");
process.exitCode = (word === undefined ? await runSeeds() : await huntMutations(word)) === 0 ? 0 : 1;
