/**
 * `deno task test`: the tests on Deno and on Bun, one after the other, and one closing line over both.
 * `--only=deno|bun` runs one of them; other arguments are passed on as paths. Bun is the one on PATH when its version is the pinned one, else it comes from npm.
 */

import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { countBun, countDeno, type Counts, sum } from "./test_counts.ts";

interface Manifest {
  readonly engines: { readonly bun: string };
}

function bunCommand(): string[] {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  const { stdout } = spawnSync("bun", ["--version"], { encoding: "utf8" });
  return stdout?.trim() === engines.bun ? ["bun"] : ["npx", "-y", `bun@${engines.bun}`];
}

/** Runs a command, shows what it prints, and resolves to that with its exit code. */
function show(command: readonly string[]): Promise<{ text: string; code: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command[0]!, command.slice(1), {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1" },
    });
    let text = "";
    const take = (out: NodeJS.WriteStream) => (chunk: Uint8Array) => {
      out.write(chunk);
      text += new TextDecoder().decode(chunk);
    };
    child.stdout.on("data", take(process.stdout));
    child.stderr.on("data", take(process.stderr));
    child.on("error", reject);
    child.on("close", (code) => resolve({ text, code: code ?? 1 }));
  });
}

/** A runner that failed without saying how many tests did (a crash, no tests at all) counts as one failure. */
function judged(counts: Counts, code: number): Counts {
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);
const paths = process.argv.slice(2).filter((argument) => !argument.startsWith("--only="));
const runs: Counts[] = [];
if (only !== "bun") {
  const { text, code } = await show([process.execPath, "test", "--allow-all", "--no-check", ...paths]);
  runs.push(judged(countDeno(text), code));
}
if (only !== "deno") {
  const { text, code } = await show([...bunCommand(), "test", ...paths]);
  runs.push(judged(countBun(text), code));
}
const total = sum(runs);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
