/**
 * Values of code points as sorted ranges, in columns of 16 bits: plane index, range starts, range values.
 * Invariant: the first range of each plane starts at its code point 0.
 */

export const CODE_POINTS = 0x110000;

export interface RangeColumns {
  readonly planes: number[];
  readonly starts: number[];
  readonly values: number[];
}

/** `startsRange(cp)` says that another value begins here; the first code point of a plane always does. */
export function rangeColumns(valueAt: (cp: number) => number, startsRange: (cp: number) => boolean): RangeColumns {
  const columns: RangeColumns = { planes: [], starts: [], values: [] };
  for (let cp = 0; cp < CODE_POINTS; cp++) {
    const isPlane = (cp & 0xffff) === 0;
    if (isPlane) columns.planes.push(columns.starts.length);
    if (!isPlane && !startsRange(cp)) continue;
    columns.starts.push(cp & 0xffff);
    columns.values.push(valueAt(cp));
  }
  columns.planes.push(columns.starts.length);
  return columns;
}
