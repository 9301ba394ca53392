/**
 * Canonical compositions (UAX 15) of the code points that IDNA allows, without Hangul, which is computed.
 * Invariant: ascending by what is composed; exclusions and singletons aren't in it.
 */

import { readFileSync } from "node:fs";

export interface Composition {
  readonly composed: number;
  readonly first: number;
  readonly second: number;
}

interface CodePointRow {
  readonly codepoint: string;
  readonly characterDecompositionMapping?: string;
  readonly canonicalCombiningClass: string;
}

export function compositions(folder: string, isValid: (cp: number) => boolean): Composition[] {
  const read = <T>(name: string) =>
    (JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8")) as Record<string, T>)[name]!;
  const excluded = new Set(read<string[]>("CompositionExclusions").map((cp) => parseInt(cp, 16)));
  const rows = read<CodePointRow[]>("UnicodeData");
  const nonStarters = new Set(
    rows.filter((row) => row.canonicalCombiningClass !== "0").map((row) => parseInt(row.codepoint, 16)),
  );
  return rows.flatMap(({ codepoint, characterDecompositionMapping: text }) => {
    const composed = parseInt(codepoint, 16);
    const parts = text?.split(" ") ?? [];
    if (parts.length !== 2 || !/^[0-9A-F]+$/.test(parts[0]!) || excluded.has(composed) || !isValid(composed)) return [];
    const [first, second] = parts.map((part) => parseInt(part, 16)) as [number, number];
    return nonStarters.has(composed) || nonStarters.has(first) ? [] : [{ composed, first, second }];
  });
}
