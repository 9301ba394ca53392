/**
 * Times candidates of one task against each other: every round runs each of them, in turning order, and the median of
 * the rounds counts. CPU time is taken, not wall time, as a machine may be shared. Invariant: candidates are called with rising counters, so that inputs rotate and no branch
 * predictor learns one page by heart; ratios are to the best candidate whose name starts with "JS".
 */

import process from "node:process";
import type { CoreRow } from "./report/core_row.ts";

export interface Task {
  readonly name: string;
  /** Operations (URLs, keys, pages) that one call does. */
  readonly opsPerCall: number;
  /** `turn` rises by one with every call. What is returned is kept, so that no work is optimised away. */
  readonly candidates: Readonly<Record<string, (turn: number) => number>>;
}

const ROUNDS = 11;
const ROUND_MS = 25;

/** CPU time of this process, all threads: the collector's and the compiler's work counts. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What calls returned; read by nobody, but the engine doesn't know. */
let kept = 0;

function callsFor(call: (turn: number) => number): number {
  let calls = 0;
  const startedAt = cpuMs();
  while (cpuMs() - startedAt < ROUND_MS * 2) kept ^= call(calls++);
  return Math.max(1, Math.ceil(calls / 2));
}

/** The median, and the distance of the quartiles in percent of it. */
function summary(values: readonly number[]): { nsPerOp: number; spread: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]!;
  return { nsPerOp: at(0.5), spread: (at(0.75) - at(0.25)) / at(0.5) * 100 };
}

/** The rows of one task. */
export function measure({ name, opsPerCall, candidates }: Task): CoreRow[] {
  const entries = Object.entries(candidates).map(([candidate, call]) => ({
    candidate,
    call,
    calls: callsFor(call),
    nsPerOp: [] as number[],
  }));
  let turn = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < entries.length; i++) {
      const { call, calls, nsPerOp } = entries[(i + round) % entries.length]!;
      const startedAt = cpuMs();
      for (let n = 0; n < calls; n++) kept ^= call(turn++);
      nsPerOp.push((cpuMs() - startedAt) * 1e6 / (calls * opsPerCall));
    }
  }
  const medians = entries.map((entry) => ({ candidate: entry.candidate, ...summary(entry.nsPerOp) }));
  const best = Math.min(...medians.filter((row) => row.candidate.startsWith("JS")).map((row) => row.nsPerOp));
  return medians.map((row) => ({ name, ...row, ratio: row.nsPerOp / best }));
}
