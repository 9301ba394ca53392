/**
 * Finds the corpora that lie beside the project. Their contents belong to others and are never copied into it.
 * Invariant: where the folder is absent a test that needs it is skipped and says so.
 */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../../shared/corpora/", import.meta.url);

/** Why tests over corpora can't run here; undefined when they can. */
export const CORPORA_ABSENT: string | undefined = existsSync(ROOT)
  ? undefined
  : "the folder ../shared/corpora isn't there";

/** File-system path of `path` within the corpora. */
export function corpusPath(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}

export function corpusBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(corpusPath(path)));
}

export function corpusText(path: string): string {
  return readFileSync(corpusPath(path), "utf8");
}

/** The objects of a .jsonl file, one a line. */
export function corpusLines<T>(path: string): T[] {
  return corpusText(path).split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}
