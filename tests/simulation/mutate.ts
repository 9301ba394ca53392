/**
 * Builds each mutation in a copy of the sources and lets the simulator look for it.
 * Invariant: the copy is made once and mended after each mutation; the working tree isn't touched. A mutation is caught
 * when a seed breaks a promise, not when its build fails in some other way.
 */

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import type { Mutation } from "./mutations.ts";

const COPIED = [
  "protocol",
  "runtime",
  "core-wasm",
  "coordinator",
  "edge",
  "tests/support",
  "tests/simulation",
  "deno.json",
  "deno.lock",
  "package.json",
  "bunfig.toml",
];

export interface Hunt {
  readonly mutation: Mutation;
  /** Seeds that were run until it was caught; undefined = it survived all of them. */
  readonly seeds: number | undefined;
  /** The promise that it broke, or how its build failed. */
  readonly found: string;
}

export interface HuntOptions {
  readonly from: number;
  readonly mostSeeds: number;
}

/** The text of the broken file. Throws a sentence when the mutation doesn't fit the sources any more. */
export function mutated(text: string, { name, file, find, replace }: Mutation): string {
  const parts = text.split(find);
  if (parts.length === 2) return parts.join(replace);
  throw new Error(
    `Making the mutation "${name}": found its place ${parts.length - 1} times in ${file}; wanted it once.`,
  );
}

/** Hunts the mutations one after the other; `onHunt` is told of each. */
export function hunt(mutations: readonly Mutation[], options: HuntOptions, onHunt: (hunt: Hunt) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "outrider-mutations-"));
  try {
    for (const path of COPIED) if (existsSync(path)) cpSync(path, join(folder, path), { recursive: true });
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    for (const mutation of mutations) {
      const path = join(folder, mutation.file);
      const text = readFileSync(path, "utf8");
      writeFileSync(path, mutated(text, mutation));
      onHunt({ mutation, ...simulateIn(folder, { ...options, from: mutation.from ?? options.from }) });
      writeFileSync(path, text);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function simulateIn(folder: string, { from, mostSeeds }: HuntOptions): Pick<Hunt, "seeds" | "found"> {
  const isDeno = "Deno" in globalThis;
  const program = ["tests/simulation/main.ts", `--from=${from}`, `--seeds=${mostSeeds}`];
  const args = isDeno ? ["run", "--allow-all", "--no-check", ...program] : program;
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  const broken = /^seed \d+ breaks a promise: (.*)$/m.exec(stdout)?.[1];
  const ran = /"seeds":(\d+)/.exec(stdout)?.[1];
  if (broken !== undefined) return { seeds: Number(ran), found: broken };
  return {
    seeds: undefined,
    found: ran === undefined ? `it can't run: ${stderr.slice(-500)}` : `${ran} seeds broke nothing`,
  };
}
