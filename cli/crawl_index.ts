/**
 * The index that a crawl left, read line by line: in its data folder the log, in a shared store the sorted copy.
 * Invariant: whole lines only. A process that was killed, or that still runs, may leave the last one half written.
 */

import { LineReader } from "../edge/warc/line_reader.ts";
import type { Files } from "../runtime/ports.ts";
import { dataPaths } from "./data_folder.ts";

type Readable = Pick<Files, "readRange" | "size">;

export interface IndexLine {
  readonly line: string;
  readonly filename: string;
  readonly offset: number;
}

/** Path of the index in `folder`: the log, as it is never behind the sorted one. Undefined: the folder has neither. */
export async function crawlIndexPath(files: Pick<Files, "size">, folder: string): Promise<string | undefined> {
  const { index } = dataPaths(folder);
  for (const path of [`${index}.log`, index]) if (await files.size(path) !== undefined) return path;
  return undefined;
}

/** The whole lines of the index at `path`, in its order. */
export async function* crawlIndexLines(files: Readable, path: string): AsyncIterable<IndexLine> {
  for await (const line of linesOf(files, path)) {
    const fields = wholeJson(line.slice(line.indexOf("{"))) as { filename: string; offset: string } | undefined;
    if (fields !== undefined) yield { line, filename: fields.filename, offset: Number(fields.offset) };
  }
}

/** The whole lines of the pages.jsonl at `path`, its header too. */
export async function* pageLines(files: Readable, path: string): AsyncIterable<string> {
  for await (const line of linesOf(files, path)) if (wholeJson(line) !== undefined) yield line;
}

async function* linesOf(files: Readable, path: string): AsyncIterable<string> {
  const reader = new LineReader(files, path);
  for (let line = await reader.next(); line !== undefined; line = await reader.next()) yield line;
}

function wholeJson(text: string): unknown {
  if (!text.startsWith("{") || !text.endsWith("}")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
