/**
 * What every `bun run` script does first: installs the packages that are missing and builds the core when its sources
 * changed. Depends on nothing that would have to be installed. (Deno's tasks do both by themselves.)
 */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

function installed(name: string): boolean {
  return existsSync(`node_modules/${name}/package.json`);
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  const found = error?.message ?? `exit code ${status}`;
  console.error(`Setting up failed: ${command} ${args.join(" ")} ended with ${found}; mend that and try again.`);
  process.exit(1);
}

const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const missing = Object.keys({ ...dependencies, ...devDependencies }).some((name) => !installed(name));
if (missing) run(process.execPath, ["install", "--frozen-lockfile"]);
run(process.execPath, ["core-wasm/build.ts"]);
