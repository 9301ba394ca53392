/**
 * The synthetic web as a process of its own, so that its clock isn't slowed by what is tested.
 * Invariant: `stop` resolves when the process has gone; nothing of it stays open in this one. It ends with this process,
 * however that ends.
 */

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { webConfig } from "../../bench/web/mod.ts";
import type { RequestEntry, WebConfig, WebStats } from "../../bench/web/mod.ts";

const MAIN = fileURLToPath(new URL("../../bench/web/main.ts", import.meta.url));

export interface WebProcessOptions {
  /** Executable that runs the server: "bun", "deno" or a path. Default: what runs this process. */
  readonly runtime?: string;
  /** Render all pages before it is ready. */
  readonly warm?: boolean;
  /** Run on this core only (Linux, `taskset`). */
  readonly core?: number;
}

export interface WebProcess {
  readonly pid: number;
  readonly port: number;
  /** The configuration with the port that was found: what `groundTruth` wants. */
  readonly config: WebConfig;
  /** The home of host 0. */
  readonly seed: string;
  /** Every request since the start or the last reset. Throws a sentence when the log was full: no verdict is possible. */
  log(): Promise<RequestEntry[]>;
  stats(): Promise<WebStats>;
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Arguments that run a TypeScript file with all permissions on `runtime`. */
export function runArguments(runtime: string, file: string): string[] {
  return /deno[^/]*$/.test(runtime) ? ["run", "-A", file] : [file];
}

function flagsOf(config: WebConfig): string[] {
  const { features, gzip, ...rest } = config;
  const flags = Object.entries(rest).flatMap(([name, value]) => [
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    String(value),
  ]);
  return [...flags, "--features", features.length === 0 ? "none" : features.join(","), ...(gzip ? [] : ["--no-gzip"])];
}

/** Starts the server and waits until it is ready. Throws a sentence when it ends before that. */
export async function spawnWeb(changes: Partial<WebConfig>, options: WebProcessOptions = {}): Promise<WebProcess> {
  const config = webConfig(changes);
  const runtime = options.runtime ?? process.execPath;
  const command = [
    runtime,
    ...runArguments(runtime, MAIN),
    ...flagsOf(config),
    "--with-parent",
    ...(options.warm ? ["--warm"] : []),
  ];
  if (options.core !== undefined) command.unshift("taskset", "-c", String(options.core));
  const child = spawn(command[0]!, command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "close");
  const ready = await firstLine(child, exited);
  const control = `http://127.0.0.1:${ready.control_port}`;
  return {
    pid: child.pid!,
    port: ready.port,
    config: { ...config, port: ready.port },
    seed: ready.seeds[0]!,
    log: () => wholeLog(`${control}/__log`),
    stats: async () => JSON.parse(await textOf(`${control}/__stats`)),
    reset: async () => void (await textOf(`${control}/__reset`)),
    stop: async () => {
      child.stdin!.end();
      child.kill("SIGTERM");
      await exited;
    },
  };
}

interface Ready {
  readonly port: number;
  readonly control_port: number;
  readonly seeds: readonly string[];
}

async function firstLine(child: ChildProcess, exited: Promise<unknown[]>): Promise<Ready> {
  const lines = createInterface({ input: child.stdout! });
  const line = await Promise.race([once(lines, "line"), exited.then(() => undefined)]);
  lines.close();
  child.stdout!.resume();
  if (line === undefined) throw new Error("The synthetic web was started; its process ended before it was ready.");
  return JSON.parse(String(line[0]));
}

async function textOf(url: string): Promise<string> {
  const response = await fetch(url, { headers: { connection: "close" } });
  return await response.text();
}

async function wholeLog(url: string): Promise<RequestEntry[]> {
  const response = await fetch(url, { headers: { connection: "close" } });
  const entries = parseLog(await response.text());
  const leftOut = Number(response.headers.get("x-left-out"));
  if (leftOut === 0) return entries;
  throw new Error(
    `The log was asked for; ${leftOut} requests are missing from it, because it was full. Reset it earlier.`,
  );
}

/** Request entries from the control port's NDJSON. */
export function parseLog(ndjson: string): RequestEntry[] {
  return ndjson.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}
