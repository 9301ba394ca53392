/**
 * Normalization Form C of code points that IDNA allows (UAX 15; Hangul by arithmetic, Unicode 3.12).
 * Invariant: at most GROWTH code points come of one; linear but for runs of marks, which are short or bounded.
 */

import { combiningClass } from "./lookup";
import { BY_PAIR, COMPOSED, COMPOSED_FIRST, COMPOSED_SECOND, COMPOSITIONS } from "./tables";

/** Most code points that one decomposes to. */
export const GROWTH: usize = 4;

const HANGUL: u32 = 0xac00;
const HANGUL_COUNT: u32 = 11172;
const LEADING: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
const TRAILING: u32 = 0x11a7;

// @ts-ignore: decorator
@inline
function at(cps: usize, index: usize): u32 {
  return load<u32>(cps + (index << 2));
}

// @ts-ignore: decorator
@inline
function set(cps: usize, index: usize, cp: u32): void {
  store<u32>(cps + (index << 2), cp);
}

/** Normalises `count` code points at `cps` to `out` (room for GROWTH times as many): how many there are. */
export function nfcInto(cps: usize, count: usize, out: usize): usize {
  let length: usize = 0;
  for (let i: usize = 0; i < count; i++) length = decompose(at(cps, i), out, length);
  order(out, length);
  return compose(out, length);
}

function decompose(cp: u32, out: usize, length: usize): usize {
  const syllable = cp - HANGUL;
  if (syllable < HANGUL_COUNT) {
    set(out, length++, LEADING + syllable / 588);
    set(out, length++, VOWEL + (syllable % 588) / 28);
    if (syllable % 28 != 0) set(out, length++, TRAILING + syllable % 28);
    return length;
  }
  const index = cp < 0xc0 ? -1 : indexOfComposed(cp);
  if (index < 0) {
    set(out, length++, cp);
    return length;
  }
  length = decompose(at(COMPOSED_FIRST, index), out, length);
  set(out, length++, at(COMPOSED_SECOND, index));
  return length;
}

function indexOfComposed(cp: u32): i32 {
  let low = 0;
  let high = COMPOSITIONS;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = at(COMPOSED, middle);
    if (found == cp) return middle;
    if (found < cp) low = middle + 1;
    else high = middle;
  }
  return -1;
}

/** Canonical ordering: marks between starters by class, stable. */
function order(cps: usize, count: usize): void {
  for (let i: usize = 1; i < count; i++) {
    const cp = at(cps, i);
    const cls = combiningClass(cp);
    if (cls == 0) continue;
    let to = i;
    while (to > 0 && combiningClass(at(cps, to - 1)) > cls) {
      set(cps, to, at(cps, to - 1));
      to--;
    }
    set(cps, to, cp);
  }
}

/** In place: how many are left. */
function compose(cps: usize, count: usize): usize {
  let length: usize = 0;
  let starter: isize = -1;
  let lastClass: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    const cp = at(cps, i);
    const cls = combiningClass(cp);
    const isBlocked = starter < 0 || (<isize>length - 1 > starter && lastClass >= cls);
    const composed = isBlocked ? 0 : composition(at(cps, starter), cp);
    if (composed != 0) {
      set(cps, starter, composed);
      continue;
    }
    if (cls == 0) starter = length;
    lastClass = cls;
    set(cps, length++, cp);
  }
  return length;
}

/** What two code points compose to; 0 = nothing. */
function composition(first: u32, second: u32): u32 {
  if (first - LEADING < 19 && second - VOWEL < 21) return HANGUL + ((first - LEADING) * 21 + second - VOWEL) * 28;
  if (first - HANGUL < HANGUL_COUNT && (first - HANGUL) % 28 == 0 && second - TRAILING - 1 < 27) {
    return first + second - TRAILING;
  }
  let low = 0;
  let high = COMPOSITIONS;
  while (low < high) {
    const middle = (low + high) >> 1;
    const index = <usize>load<u16>(BY_PAIR + (<usize>middle << 1));
    const a = at(COMPOSED_FIRST, index);
    const b = at(COMPOSED_SECOND, index);
    if (a == first && b == second) return at(COMPOSED, index);
    if (a < first || (a == first && b < second)) low = middle + 1;
    else high = middle;
  }
  return 0;
}
