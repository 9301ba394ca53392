/** Reading WARC files: a few thousand made inputs; OUTRIDER_WARC_FUZZ=N for N of them, with the corpus' files as samples. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { CORPORA_ABSENT, corpusLines, corpusPath } from "../support/corpora.ts";
import { test } from "../support/test.ts";
import { fuzzWarc, ourSamples } from "./warc_fuzz.ts";
import { MOST_BYTES } from "./warc_inputs.ts";

const MANY = process.env.OUTRIDER_WARC_FUZZ;
const INPUTS = Number(MANY ?? 150);
const SEED = Number(process.env.OUTRIDER_WARC_SEED ?? 11);

function corpusSamples(): Uint8Array[] {
  if (CORPORA_ABSENT !== undefined) return [];
  return corpusLines<{ file: string }>("6-warc/files.jsonl")
    .map(({ file }) => new Uint8Array(readFileSync(corpusPath(`6-warc/${file}`))))
    .filter(({ length }) => length > 0 && length < MOST_BYTES);
}

test("fuzz warc: torn, lying, swollen and mixed files are read to their end; values, never a crash", async () => {
  const samples = [...await ourSamples(), ...corpusSamples()];
  const found = await fuzzWarc(SEED, INPUTS, samples);
  if (MANY !== undefined) console.log(JSON.stringify(found));
  assert.ok(found.records > INPUTS / 2 && found.faults > INPUTS / 4, JSON.stringify(found));
}, { timeoutMs: Math.max(60_000, INPUTS * 50) });
