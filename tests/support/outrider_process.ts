/**
 * `outrider` as a process of its own, on the runtime of the test.
 * Invariant: `ended` resolves when the process has gone; its output is kept whole.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const DENO_JSON = new URL("../../deno.json", import.meta.url);

/** Arguments that run `outrider` on `runtime` as its users do: on Deno with the engine's flags of `deno task outrider`. */
export function outriderArguments(runtime: string): string[] {
  if (!/deno[^/]*$/.test(runtime)) return [MAIN];
  const { tasks } = JSON.parse(readFileSync(DENO_JSON, "utf8"));
  const [deno, ...args] = tasks.outrider.command.split(" ");
  if (deno !== "deno" || args.at(-1) !== "cli/main.ts") {
    throw new Error(`Reading the task outrider found ${tasks.outrider.command}; wanted deno … cli/main.ts.`);
  }
  return [...args.slice(0, -1), MAIN];
}

export interface Ended {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Outrider {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  kill(signal: "SIGINT" | "SIGTERM" | "SIGKILL"): void;
  /** The first line of stdout that matches; rejects when the process ends without one. */
  line(pattern: RegExp): Promise<string>;
}

export interface OutriderOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Executable that runs it. Default: what runs this process. */
  readonly runtime?: string;
}

export function spawnOutrider(args: readonly string[], options: OutriderOptions = {}): Outrider {
  const runtime = options.runtime ?? process.execPath;
  const child = spawn(runtime, [...outriderArguments(runtime), ...args], {
    stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", ...options.env },
  });
  if (options.stdin !== undefined) child.stdin!.end(options.stdin);
  const output = gather(child);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...output }));
  });
  return {
    pid: child.pid!,
    ended,
    kill: (signal) => void child.kill(signal),
    line: (pattern) => firstLine(child, output, pattern, ended),
  };
}

/** Runs to the end. */
export function runOutrider(args: readonly string[], options: OutriderOptions = {}): Promise<Ended> {
  return spawnOutrider(args, options).ended;
}

function gather(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]!.setEncoding("utf8");
    child[name]!.on("data", (text: string) => output[name] += text);
  }
  return output;
}

function firstLine(
  child: ChildProcess,
  output: { stdout: string; stderr: string },
  pattern: RegExp,
  ended: Promise<Ended>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = output.stdout.split("\n").slice(0, -1).find((line) => pattern.test(line));
      if (found === undefined) return;
      child.stdout!.off("data", look);
      resolve(found);
    };
    child.stdout!.on("data", look);
    look();
    ended.then(
      ({ code, stderr }) => reject(new Error(`outrider ended with ${code} before it printed ${pattern}: ${stderr}`)),
      reject,
    );
  });
}

/** The fields of the closing JSON line of a crawl with --json. */
export function summaryOf({ stdout, stderr, code }: Ended): Record<string, unknown> {
  const line = stdout.split("\n").findLast((text) => text.startsWith('{"type":"summary"'));
  if (line === undefined) throw new Error(`The crawl ended with ${code} and no summary: ${stderr || stdout}`);
  return JSON.parse(line);
}
