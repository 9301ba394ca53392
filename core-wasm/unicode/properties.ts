/**
 * What validity criteria ask of a code point, in 16 bits: combining class (0-7), bidi class (8-11), joining type
 * (12-14), mark (15). The numbers of classes and types are those of assembly/idna/lookup.ts.
 * Invariant: code points that IDNA doesn't allow take the value before them: nobody asks for theirs.
 */

import { combiningClasses } from "./combining_classes.ts";
import { CODE_POINTS, rangeColumns } from "./ranges.ts";
import type { RangeColumns } from "./ranges.ts";

/** `end` is the first code point behind the range. */
interface CodePointRange {
  readonly begin: number;
  readonly end: number;
}

/** The ranges of a property's value, e.g. ("Bidi_Class", "Right_To_Left"). */
export type ReadRanges = (property: string, value: string) => Promise<readonly CodePointRange[]>;

const BIDI_CLASSES = [
  "Left_To_Right",
  "Right_To_Left",
  "Arabic_Letter",
  "Arabic_Number",
  "European_Number",
  "European_Separator",
  "Common_Separator",
  "European_Terminator",
  "Other_Neutral",
  "Boundary_Neutral",
  "Nonspacing_Mark",
];
const OTHER_BIDI = 15;
/** The first, "none", is for all others. */
const JOINING_TYPES = ["", "Left_Joining", "Right_Joining", "Dual_Joining", "Transparent"];

async function paint(
  read: ReadRanges,
  property: string,
  values: readonly string[],
  other: number,
): Promise<Uint8Array> {
  const column = new Uint8Array(CODE_POINTS).fill(other);
  for (const [number, value] of values.entries()) {
    if (value === "") continue;
    for (const { begin, end } of await read(property, value)) column.fill(number, begin, end);
  }
  return column;
}

export async function propertyColumns(read: ReadRanges, isValid: (cp: number) => boolean): Promise<RangeColumns> {
  const bidi = await paint(read, "Bidi_Class", BIDI_CLASSES, OTHER_BIDI);
  const joining = await paint(read, "Joining_Type", JOINING_TYPES, 0);
  const marks = await paint(read, "General_Category", ["", "Mark"], 0);
  const combining = combiningClasses(marks);
  const values = new Uint16Array(CODE_POINTS);
  for (let cp = 0, last = 0; cp < CODE_POINTS; cp++) {
    if (isValid(cp)) last = combining[cp]! | bidi[cp]! << 8 | joining[cp]! << 12 | marks[cp]! << 15;
    values[cp] = last;
  }
  return rangeColumns((cp) => values[cp]!, (cp) => values[cp] !== values[cp - 1]);
}
