/**
 * The core's hot paths against JS. Each part is a file of its own, `core_<part>.ts`, that exports one function from a
 * core to rows.
 * Invariant: every row of one `name` did the same work; ratio = its time over that of the best JS candidate.
 */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Core } from "../core-wasm/core.ts";
import { loadCore } from "../core-wasm/mod.ts";
import type { Row } from "./report/table.ts";

/** One candidate at one task. */
export interface CoreRow {
  /** The task. */
  readonly name: string;
  readonly candidate: string;
  readonly nsPerOp: number;
  readonly ratio: number;
}

type CoreBench = (core: Core) => Promise<readonly CoreRow[]> | readonly CoreRow[];

const PARTS: readonly { readonly file: string; readonly entry: string }[] = [
  { file: "core_url.ts", entry: "benchUrl" },
  { file: "core_filter.ts", entry: "benchFilter" },
  { file: "core_scan.ts", entry: "benchScan" },
];

/** Rows of all parts that this checkout has; `note` is told of those that it hasn't. */
export async function coreRows(note: (sentence: string) => void): Promise<Row[]> {
  const core = await loadCore();
  const rows: Row[] = [];
  for (const { file, entry } of PARTS) {
    const url = new URL(file, import.meta.url);
    if (!existsSync(fileURLToPath(url))) {
      note(`bench/${file} isn't there; its hot path isn't measured.`);
      continue;
    }
    const module = await import(url.href) as Record<string, CoreBench>;
    for (const { name, candidate, nsPerOp, ratio } of await module[entry]!(core)) {
      rows.push({ task: name, candidate, "ns/op": nsPerOp, ratio });
    }
  }
  return rows;
}
