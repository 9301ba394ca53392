/**
 * A program of tests/support that prints a line after each durable step, killed some moment after so many of them.
 * Invariant: what is answered are whole lines; a child that ends by itself is an error.
 */

import { spawn } from "node:child_process";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../runtime/node.ts";
import { runArguments } from "./web_server.ts";

/** After its last line it lives for less than this, by chance, ms. */
const MOMENT_MS = 10;

/** Starts a program of this folder on the runtime of the test. */
export function spawnChild(name: string, args: readonly string[]) {
  const path = fileURLToPath(new URL(name, import.meta.url));
  return spawn(execPath, [...runArguments(execPath, path), ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Runs the program and kills it (-9) after its `lines`-th line. The lines that it wrote whole. */
export function linesUntilKilled(name: string, args: readonly string[], lines: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawnChild(name, args);
    let out = "";
    let armed = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      if (armed || out.split("\n").length <= lines) return;
      armed = true;
      systemClock.sleep(Math.random() * MOMENT_MS).then(() => child.kill("SIGKILL"));
    });
    child.on("error", reject);
    child.on("close", (_code, signal) => {
      if (signal === "SIGKILL") resolve(out.split("\n").slice(0, -1));
      else reject(new Error(`${name} ended by itself after ${JSON.stringify(out.slice(-500))}; it was to be killed.`));
    });
  });
}
