/**
 * What Unicode says of a code point, read from tables.ts: UTS 46 mapping, combining class, bidi class, joining type.
 * Invariant: defined for every u32; beyond U+10FFFF nothing is allowed.
 */

import {
  MAPPING_DELTAS,
  MAPPING_PLANES,
  MAPPING_STARTS,
  MAPPING_TEXTS,
  MAPPING_VALUES,
  PROPERTY_PLANES,
  PROPERTY_STARTS,
  PROPERTY_VALUES,
} from "./tables";

/** Values of ../../unicode/mapping.ts. */
const VALID: u32 = 0;
const IGNORED: u32 = 2;
const ALTERNATING: u32 = 3;
const DELTA: u32 = 0x4000;
const TEXT: u32 = 0x8000;

export const BIDI_L: u32 = 0;
export const BIDI_R: u32 = 1;
export const BIDI_AL: u32 = 2;
export const BIDI_AN: u32 = 3;
export const BIDI_EN: u32 = 4;
export const BIDI_ES: u32 = 5;
export const BIDI_CS: u32 = 6;
export const BIDI_ET: u32 = 7;
export const BIDI_ON: u32 = 8;
export const BIDI_BN: u32 = 9;
export const BIDI_NSM: u32 = 10;

export const JOINING_L: u32 = 1;
export const JOINING_R: u32 = 2;
export const JOINING_D: u32 = 3;
export const JOINING_T: u32 = 4;

// @ts-ignore: decorator
@inline
function word(table: usize, index: usize): u32 {
  return load<u16>(table + (index << 1));
}

/** The index of the range that `cp` lies in: the last that doesn't start behind it. */
function rangeOf(planes: usize, starts: usize, cp: u32): usize {
  const plane = <usize>(cp >> 16);
  const low = cp & 0xffff;
  let first: usize = word(planes, plane);
  let end: usize = word(planes, plane + 1);
  while (end - first > 1) {
    const middle = (first + end) >> 1;
    if (word(starts, middle) <= low) first = middle;
    else end = middle;
  }
  return first;
}

/** Writes what stands for `cp` at `out` (u32 each, at most 18): how many, or -1 when it is disallowed. */
export function mapInto(cp: u32, out: usize): i32 {
  if (cp > 0x10ffff) return -1;
  const range = rangeOf(MAPPING_PLANES, MAPPING_STARTS, cp);
  const value = word(MAPPING_VALUES, range);
  if (value >= TEXT) return textInto(MAPPING_TEXTS + (<usize>(value - TEXT) << 1), out);
  let to = cp;
  if (value >= DELTA) to += load<u32>(MAPPING_DELTAS + (<usize>(value - DELTA) << 2));
  else if (value == ALTERNATING) to += ((cp & 0xffff) - word(MAPPING_STARTS, range)) & 1 ^ 1;
  else if (value == IGNORED) return 0;
  else if (value != VALID) return -1;
  store<u32>(out, to);
  return 1;
}

function textInto(text: usize, out: usize): i32 {
  const units: usize = load<u16>(text);
  let count = 0;
  for (let i: usize = 1; i <= units; i++) {
    let cp = word(text, i);
    if (cp - 0xd800 < 0x400) cp = 0x10000 + ((cp - 0xd800) << 10) + word(text, ++i) - 0xdc00;
    store<u32>(out + (<usize>count << 2), cp);
    count++;
  }
  return count;
}

/** UTS 46 status "valid", nontransitional, without STD3 rules. */
export function isValid(cp: u32): bool {
  if (cp > 0x10ffff) return false;
  const range = rangeOf(MAPPING_PLANES, MAPPING_STARTS, cp);
  const value = word(MAPPING_VALUES, range);
  return value == VALID || (value == ALTERNATING && (((cp & 0xffff) - word(MAPPING_STARTS, range)) & 1) == 1);
}

function properties(cp: u32): u32 {
  return word(PROPERTY_VALUES, rangeOf(PROPERTY_PLANES, PROPERTY_STARTS, cp));
}

/** Canonical_Combining_Class. */
export function combiningClass(cp: u32): u32 {
  return cp < 0x300 ? 0 : properties(cp) & 255;
}

export function bidiClass(cp: u32): u32 {
  return (properties(cp) >> 8) & 15;
}

export function joiningType(cp: u32): u32 {
  return (properties(cp) >> 12) & 7;
}

/** General_Category Mark. */
export function isMark(cp: u32): bool {
  return cp >= 0x300 && properties(cp) >> 15 != 0;
}
