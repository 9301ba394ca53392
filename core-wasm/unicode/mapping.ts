/**
 * The mapping table of UTS 46 (section 5) in few bytes. Values: 0 valid, 1 disallowed, 2 ignored, 3 alternating (every
 * second code point, from the range's first, stands for the next one), 0x4000 + i: code points stand for those
 * MAPPING_DELTAS[i] away, 0x8000 + i: stands for the text at MAPPING_TEXTS[i].
 * Invariant: deviation characters are valid (nontransitional processing, as the URL Standard asks).
 */

import { CODE_POINTS, rangeColumns } from "./ranges.ts";
import type { RangeColumns } from "./ranges.ts";

/** tr46: code point or range, status, replacement. */
export type MappingRow = readonly [number | readonly [number, number], number, string?];

const STATUS = { mapped: 1, valid: 2, disallowed: 3, deviation: 6, ignored: 7 };
const VALID = 0;
const DISALLOWED = 1;
const IGNORED = 2;
const ALTERNATING = 3;
const DELTA = 0x4000;
const TEXT = 0x8000;

export interface MappingColumns extends RangeColumns {
  readonly deltas: number[];
  readonly texts: number[];
  readonly isValid: (cp: number) => boolean;
}

/** Per code point: VALID, DISALLOWED, IGNORED, or the replacement. */
function expand(rows: readonly MappingRow[]): (number | string)[] {
  const all = new Array<number | string>(CODE_POINTS).fill(DISALLOWED);
  for (const [range, status, text] of rows) {
    const [first, last] = typeof range === "number" ? [range, range] : range;
    const value = status === STATUS.mapped
      ? text!
      : status === STATUS.ignored
      ? IGNORED
      : status === STATUS.disallowed
      ? DISALLOWED
      : VALID;
    for (let cp = first; cp <= last; cp++) all[cp] = value;
  }
  return all;
}

/** The distance to a replacement of one code point; undefined for texts and for what isn't mapped. */
function deltaOf(value: number | string | undefined, cp: number): number | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  const to = value.codePointAt(0)!;
  return String.fromCodePoint(to) === value ? to - cp : undefined;
}

/** Marks runs "mapped to the next, valid, mapped to the next, valid" as alternating. */
function findAlternating(all: readonly (number | string)[]): Set<number> {
  const alternating = new Set<number>();
  for (let cp = 0; cp < CODE_POINTS; cp++) {
    let end = cp;
    while (deltaOf(all[end], end) === 1 && all[end + 1] === VALID) end += 2;
    if (end - cp >= 4) {
      for (; cp < end; cp++) alternating.add(cp);
      cp--;
    }
  }
  return alternating;
}

class Pool {
  readonly units: number[] = [];
  readonly #known = new Map<string, number>();

  at(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const at = this.units.length;
    this.#known.set(text, at);
    this.units.push(text.length, ...Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)));
    return at;
  }
}

export function mappingColumns(rows: readonly MappingRow[]): MappingColumns {
  const all = expand(rows);
  const alternating = findAlternating(all);
  const deltas: number[] = [];
  const deltaIndex = new Map<number, number>();
  const pool = new Pool();
  const valueAt = (cp: number): number => {
    const value = all[cp]!;
    if (alternating.has(cp)) return ALTERNATING;
    if (typeof value === "number") return value;
    const delta = deltaOf(value, cp);
    if (delta === undefined) return TEXT + pool.at(value);
    const known = deltaIndex.get(delta);
    if (known !== undefined) return DELTA + known;
    deltaIndex.set(delta, deltas.length);
    return DELTA + deltas.push(delta >>> 0) - 1;
  };
  const startsRange = (cp: number): boolean => {
    if (alternating.has(cp) !== alternating.has(cp - 1)) return true;
    // Two alternating runs that touch must not swap their parity.
    if (alternating.has(cp)) return (typeof all[cp] === "string") === (typeof all[cp - 1] === "string");
    return valueAt(cp) !== valueAt(cp - 1) || valueAt(cp) >= TEXT;
  };
  const columns = rangeColumns(valueAt, startsRange);
  if (deltas.length >= DELTA || pool.units.length >= TEXT) {
    throw new Error("The mapping no longer fits its 16-bit values.");
  }
  return { ...columns, deltas, texts: pool.units, isValid: (cp) => all[cp] === VALID };
}
