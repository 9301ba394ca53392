/**
 * Checks a whole WARC file: every record, its digests, and what holds between records.
 * Invariant: reads to the end whatever it finds; each problem is one line of text.
 */

import type { Digest } from "../../runtime/ports.ts";
import { recordProblems } from "./check_record.ts";
import { type ReadParts, readWarc } from "./reader.ts";
import { fieldOf } from "./record_parser.ts";

export interface CheckParts extends ReadParts {
  readonly digest: Digest;
}

/** Yields `path:offset: problem` lines; returns the number of records that were read. */
export async function* checkFile(parts: CheckParts): AsyncGenerator<string, number> {
  let records = 0;
  let faults = 0;
  for await (const step of readWarc(parts)) {
    const at = `${parts.path}:${step.offset}:`;
    if ("fault" in step) {
      faults++;
      yield `${at} ${step.fault}.`;
      continue;
    }
    const type = fieldOf(step.header, "WARC-Type");
    if (records === 0 && type !== "warcinfo") yield `${at} the first record is of type ${type}, wanted warcinfo.`;
    records++;
    for (const problem of recordProblems(step, parts.digest)) yield `${at} ${problem}.`;
  }
  if (records === 0 && faults === 0 && (await parts.files.readRange(parts.path, 0, 1))?.length === 0) {
    yield `${parts.path}:0: the file is empty, wanted at least warcinfo.`;
  } else if (records === 0) yield `${parts.path}:0: no record was found, wanted at least warcinfo.`;
  return records;
}
