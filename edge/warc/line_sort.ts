/**
 * Sorts the lines of a file bytewise into another, in bounded memory: sorted runs on disk, then one merge.
 * Lines must be ASCII (as CDXJ's are), so that string order is byte order. Equal lines are all kept.
 * Invariant: the target is replaced whole or not at all; the source isn't touched; no temporary file is left behind
 * by a sort that ends, and one that was killed is overwritten by the next.
 */

import type { AppendFile, Files } from "../../runtime/ports.ts";
import { LineReader } from "./line_reader.ts";

export interface SortJob {
  readonly files: Files;
  readonly from: string;
  readonly to: string;
  /** Bytes of lines that are held in memory at a time. */
  readonly chunkBytes: number;
}

const WRITE_BYTES = 1024 * 1024;
/** Runs that one merge reads at a time: each holds a window in memory. */
const MERGE_RUNS = 64;

const encoder = new TextEncoder();

class LineWriter {
  readonly #file: AppendFile;
  #pending: string[] = [];
  #pendingBytes = 0;

  constructor(file: AppendFile) {
    this.#file = file;
  }

  async line(line: string): Promise<void> {
    this.#pending.push(line + "\n");
    this.#pendingBytes += line.length + 1;
    if (this.#pendingBytes >= WRITE_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = encoder.encode(this.#pending.join(""));
    this.#pending = [];
    this.#pendingBytes = 0;
    if (bytes.length > 0) await this.#file.append(bytes);
  }
}

async function writeFresh(files: Files, path: string, fill: (writer: LineWriter) => Promise<void>): Promise<void> {
  await files.remove(path);
  const file = await files.openAppend(path);
  try {
    const writer = new LineWriter(file);
    await fill(writer);
    await writer.flush();
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Sorts `from` into `to`; a source that isn't there counts as empty. */
export async function sortLines(job: SortJob): Promise<void> {
  const { files, to } = job;
  let runs = await sortedRuns(job);
  for (let round = 0; runs.length > 1; round++) {
    const merged: string[] = [];
    for (let at = 0; at < runs.length; at += MERGE_RUNS) {
      const path = `${to}.merge-${round}-${merged.length}`;
      const group = runs.slice(at, at + MERGE_RUNS);
      await writeFresh(files, path, (writer) => merge(files, group, writer));
      for (const run of group) await files.remove(run);
      merged.push(path);
    }
    runs = merged;
  }
  if (runs.length === 0) await files.writeWhole(to, new Uint8Array(0));
  else await files.rename(runs[0]!, to);
}

async function sortedRuns({ files, from, to, chunkBytes }: SortJob): Promise<string[]> {
  const runs: string[] = [];
  const reader = new LineReader(files, from);
  for (let next = await reader.next(); next !== undefined;) {
    const chunk: string[] = [];
    for (let bytes = 0; next !== undefined && bytes < chunkBytes; next = await reader.next()) {
      chunk.push(next);
      bytes += next.length;
    }
    chunk.sort(byBytes);
    const path = `${to}.run-${runs.length}`;
    await writeFresh(files, path, async (writer) => {
      for (const line of chunk) await writer.line(line);
    });
    runs.push(path);
  }
  return runs;
}

const byBytes = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Takes the least of the runs' first lines until all are empty. */
async function merge(files: Files, runs: readonly string[], writer: LineWriter): Promise<void> {
  const heads: { line: string; reader: LineReader }[] = [];
  for (const run of runs) {
    const reader = new LineReader(files, run);
    const line = await reader.next();
    if (line !== undefined) heads.push({ line, reader });
  }
  heads.sort((a, b) => byBytes(a.line, b.line));
  while (heads.length > 0) {
    const least = heads.shift()!;
    await writer.line(least.line);
    const line = await least.reader.next();
    if (line !== undefined) insertSorted(heads, { line, reader: least.reader });
  }
}

function insertSorted<T extends { line: string }>(heads: T[], head: T): void {
  let low = 0;
  let high = heads.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (heads[middle]!.line < head.line) low = middle + 1;
    else high = middle;
  }
  heads.splice(low, 0, head);
}
