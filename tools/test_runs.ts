/**
 * Runs of test runners as child processes, in lanes: lanes go on side by side, the runs of one lane one after the other.
 * Invariant: every run is counted. One that crashes, can't be started, or ends without saying how many tests it ran is a
 * failure, and stops no other.
 */

import { spawn } from "node:child_process";
import process from "node:process";
import type { Counts } from "./test_counts.ts";

export interface TestRun {
  /** Stands before each line that it prints, where several print at the same time. */
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly count: (text: string) => Counts;
}

/** Where whole lines go. */
export type Print = (line: string) => void;

/** All counts, in no order. */
export async function runLanes(lanes: readonly (readonly TestRun[])[], print: Print): Promise<Counts[]> {
  const counted = lanes.map(async (lane) => {
    const counts: Counts[] = [];
    for (const run of lane) {
      const named = (line: string) => print(lanes.length > 1 ? `${run.name}: ${line}` : line);
      counts.push(await runTests(run, named));
    }
    return counts;
  });
  return (await Promise.all(counted)).flat();
}

/** Runs it to its end, line by line shown as it prints them. */
function runTests({ command, count, env }: TestRun, print: Print): Promise<Counts> {
  return new Promise((resolve) => {
    const child = spawn(command[0]!, command.slice(1), {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", ...env },
    });
    const outputs = [child.stdout, child.stderr].map((stream) => gather(stream.setEncoding("utf8"), print));
    const end = (code: number, why: string) => {
      const counts = judged(count(outputs.map((text) => text()).join("\n")), code);
      if (why !== "") print(why);
      resolve(counts);
    };
    child.on("error", (error) => end(1, `${command.join(" ")} was to be run; ${error.message}.`));
    child.on("close", (code, signal) => {
      const found = signal ?? `exit code ${code}`;
      end(code ?? 1, code === 0 ? "" : `${command.join(" ")} ended with ${found}.`);
    });
  });
}

/** Prints each line once it is whole; all of the text so far is what the answer gives. */
function gather(stream: NodeJS.ReadableStream, print: Print): () => string {
  let text = "";
  let printed = 0;
  stream.on("data", (chunk: string) => {
    text += chunk;
    for (let end; (end = text.indexOf("\n", printed)) >= 0; printed = end + 1) print(text.slice(printed, end));
  });
  stream.on("end", () => {
    if (printed < text.length) print(text.slice(printed));
  });
  return () => text;
}

/** A runner that failed, or came to no tests, without telling of a failure (it crashed, or a test ended it) counts as one. */
function judged(counts: Counts, code: number): Counts {
  const ranNothing = counts.passed + counts.failed + counts.skipped === 0;
  return counts.failed === 0 && (code !== 0 || ranNothing) ? { ...counts, failed: 1 } : counts;
}
