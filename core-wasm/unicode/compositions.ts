/**
 * Canonical compositions (UAX 15) of the code points that IDNA allows, from the runtime's normalisation, without
 * Hangul, which is computed.
 * Invariant: ascending by what is composed; what normalisation doesn't compose again (exclusions) isn't in it.
 */

import { CODE_POINTS } from "./ranges.ts";

export interface Composition {
  readonly composed: number;
  readonly first: number;
  readonly second: number;
}

function isHangul(cp: number): boolean {
  return cp >= 0xac00 && cp < 0xd7a4;
}

/** The two that `composed` is made of; undefined when it isn't composed. */
function partsOf(composed: string): readonly [string, string] | undefined {
  const marks = [...composed.normalize("NFD")];
  if (marks.length < 2 || composed.normalize("NFC") !== composed) return undefined;
  const second = marks.pop()!;
  const first = marks.join("").normalize("NFC");
  if ([...first].length !== 1 || (first + second).normalize("NFC") !== composed) {
    throw new Error(`U+${composed.codePointAt(0)!.toString(16)} isn't composed of one code point and one more.`);
  }
  return [first, second];
}

export function compositions(isValid: (cp: number) => boolean): Composition[] {
  const found: Composition[] = [];
  for (let composed = 0xc0; composed < CODE_POINTS; composed++) {
    if (!isValid(composed) || isHangul(composed)) continue;
    const parts = partsOf(String.fromCodePoint(composed));
    if (parts) found.push({ composed, first: parts[0].codePointAt(0)!, second: parts[1].codePointAt(0)! });
  }
  return found;
}
