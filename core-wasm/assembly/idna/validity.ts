/**
 * Validity criteria of labels (UTS 46 section 4.1), with CheckJoiners and CheckBidi, without CheckHyphens and STD3.
 * Invariant: pure; a label is `count` code points, u32 each.
 */

import {
  BIDI_AL,
  BIDI_AN,
  BIDI_EN,
  BIDI_L,
  BIDI_NSM,
  BIDI_R,
  bidiClass,
  combiningClass,
  isMark,
  isValid,
  JOINING_D,
  JOINING_L,
  JOINING_R,
  JOINING_T,
  joiningType,
} from "./lookup";

const VIRAMA: u32 = 9;
const NON_JOINER: u32 = 0x200c;
const JOINER: u32 = 0x200d;
/** Classes that may stand in a label of each direction (RFC 5893 section 2, rules 2 and 5): ES, CS, ET, ON, BN, NSM, EN. */
const NEUTRAL: u32 = 0b111_1110_0000 | (1 << BIDI_EN);
const IN_RTL: u32 = NEUTRAL | (1 << BIDI_R) | (1 << BIDI_AL) | (1 << BIDI_AN);
const IN_LTR: u32 = NEUTRAL | (1 << BIDI_L);

// @ts-ignore: decorator
@inline
function at(cps: usize, index: usize): u32 {
  return load<u32>(cps + (index << 2));
}

/** All criteria but NFC and bidi. */
export function isLabelValid(cps: usize, count: usize): bool {
  if (count == 0) return true;
  if (isMark(at(cps, 0)) || hasPunycodePrefix(cps, count)) return false;
  for (let i: usize = 0; i < count; i++) {
    const cp = at(cps, i);
    if (cp == 0x2e || !isValid(cp)) return false;
    if ((cp == JOINER || cp == NON_JOINER) && !isJoinerValid(cps, count, i)) return false;
  }
  return true;
}

export function hasPunycodePrefix(cps: usize, count: usize): bool {
  return count >= 4 && at(cps, 0) == 0x78 && at(cps, 1) == 0x6e && at(cps, 2) == 0x2d && at(cps, 3) == 0x2d;
}

/** ContextJ (RFC 5892 appendix A.1, A.2). */
function isJoinerValid(cps: usize, count: usize, i: usize): bool {
  if (i > 0 && combiningClass(at(cps, i - 1)) == VIRAMA) return true;
  if (at(cps, i) == JOINER) return false;
  let before = i;
  while (before > 0 && joiningType(at(cps, before - 1)) == JOINING_T) before--;
  let after = i + 1;
  while (after < count && joiningType(at(cps, after)) == JOINING_T) after++;
  if (before == 0 || after == count) return false;
  const left = joiningType(at(cps, before - 1));
  const right = joiningType(at(cps, after));
  return (left == JOINING_L || left == JOINING_D) && (right == JOINING_R || right == JOINING_D);
}

/** The label makes its domain a bidi domain name (RFC 5893 1.4). */
export function isRightToLeft(cps: usize, count: usize): bool {
  for (let i: usize = 0; i < count; i++) {
    const cls = bidiClass(at(cps, i));
    if (cls == BIDI_R || cls == BIDI_AL || cls == BIDI_AN) return true;
  }
  return false;
}

/** The bidi rule (RFC 5893 section 2). */
export function obeysBidi(cps: usize, count: usize): bool {
  if (count == 0) return true;
  const first = bidiClass(at(cps, 0));
  const isRtl = first == BIDI_R || first == BIDI_AL;
  if (!isRtl && first != BIDI_L) return false;
  let seen: u32 = 0;
  let last: u32 = first;
  for (let i: usize = 0; i < count; i++) {
    const cls = bidiClass(at(cps, i));
    seen |= 1 << cls;
    if (cls != BIDI_NSM) last = cls;
  }
  if ((seen & ~(isRtl ? IN_RTL : IN_LTR)) != 0) return false;
  if (!isRtl) return last == BIDI_L || last == BIDI_EN;
  const hasBothNumbers = (seen & (1 << BIDI_EN)) != 0 && (seen & (1 << BIDI_AN)) != 0;
  return !hasBothNumbers && (last == BIDI_R || last == BIDI_AL || last == BIDI_EN || last == BIDI_AN);
}
