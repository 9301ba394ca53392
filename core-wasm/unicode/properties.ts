/**
 * What validity criteria ask of a code point, in 16 bits: combining class (0-7), bidi class (8-11), joining type
 * (12-14), mark (15). The numbers of classes and types are those of assembly/idna/lookup.ts.
 * Invariant: code points that IDNA doesn't allow take the value before them: nobody asks for theirs.
 */

import { CODE_POINTS, rangeColumns } from "./ranges.ts";
import type { RangeColumns } from "./ranges.ts";

interface Ranged {
  readonly range: readonly [string, string?];
}

export interface UnicodeSource {
  readonly categories: readonly (Ranged & { readonly category: string })[];
  readonly bidiClasses: readonly (Ranged & { readonly class: string })[];
  readonly combiningClasses: readonly (Ranged & { readonly combiningClass: string })[];
  readonly joiningTypes: readonly (Ranged & { readonly type: string })[];
}

const BIDI_CLASSES = ["L", "R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"];
const OTHER_BIDI = 15;
const JOINING_TYPES = ["U", "L", "R", "D", "T"];

function paint(column: Uint8Array, { range: [from, to] }: Ranged, value: number): void {
  column.fill(value, parseInt(from, 16), parseInt(to ?? from, 16) + 1);
}

function numbered(names: readonly string[], name: string, other: number): number {
  const index = names.indexOf(name);
  return index < 0 ? other : index;
}

export function propertyColumns(source: UnicodeSource, isValid: (cp: number) => boolean): RangeColumns {
  const combining = new Uint8Array(CODE_POINTS);
  const bidi = new Uint8Array(CODE_POINTS);
  const joining = new Uint8Array(CODE_POINTS);
  const marks = new Uint8Array(CODE_POINTS);
  for (const entry of source.combiningClasses) paint(combining, entry, Number(entry.combiningClass));
  for (const entry of source.bidiClasses) paint(bidi, entry, numbered(BIDI_CLASSES, entry.class, OTHER_BIDI));
  for (const entry of source.joiningTypes) paint(joining, entry, numbered(JOINING_TYPES, entry.type, 0));
  for (const entry of source.categories) paint(marks, entry, entry.category.startsWith("M") ? 1 : 0);
  const values = new Uint16Array(CODE_POINTS);
  for (let cp = 0, last = 0; cp < CODE_POINTS; cp++) {
    if (isValid(cp)) last = combining[cp]! | bidi[cp]! << 8 | joining[cp]! << 12 | marks[cp]! << 15;
    values[cp] = last;
  }
  return rangeColumns((cp) => values[cp]!, (cp) => values[cp] !== values[cp - 1]);
}
