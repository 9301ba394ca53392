/**
 * Percent-escapes of a key: unreserved characters decoded, hexadecimal digits in upper case (RFC 3986 6.2.2.1, 6.2.2.2),
 * a percent sign that escapes nothing encoded.
 * Invariant: never decodes what an earlier pass encoded: "%25" stays "%25".
 */

import { bitsBefore, copyShort, findByte } from "../memory/bytes";
import { hexValue, isUnreserved, writeEscaped } from "./bytes";
import { DECODE_UNRESERVED, ENCODE_STRAY_PERCENT, UPPER_CASE_ESCAPES } from "./profile";

/** Writes [p, end) at `out`, at most three bytes for each; the end is returned. */
export function normalizeEscapes(p: usize, end: usize, out: usize, rules: u32): usize {
  const start = out;
  while (p < end) {
    const percent = findByte(p, end, 0x25);
    out = copyShort(out, p, percent - p);
    p = percent;
    if (p == end) break;
    const high = end - p > 2 ? hexValue(load<u8>(p, 1)) : 255;
    const low = end - p > 2 ? hexValue(load<u8>(p, 2)) : 255;
    if (high > 15 || low > 15) {
      if ((rules & ENCODE_STRAY_PERCENT) != 0) out = writeEscaped(out, 0x25);
      else store<u8>(out++, 0x25);
      p++;
      continue;
    }
    const value = (high << 4) | low;
    if ((rules & DECODE_UNRESERVED) != 0 && isUnreserved(value) && !completesEscape(start, out)) store<u8>(out++, <u8>value);
    else if ((rules & UPPER_CASE_ESCAPES) != 0) out = writeEscaped(out, value);
    else {
      store<u8>(out, 0x25);
      store<u16>(out, load<u16>(p, 1), 1);
      out += 3;
    }
    p += 3;
  }
  return out;
}

/** Whether every escape is as normalizeEscapes leaves it by all of its rules, and no "%" is stray. */
export function hasNormalEscapes(p: usize, end: usize): bool {
  const percent = i8x16.splat(0x25);
  for (; p < end; p += 16) {
    let bits = <u32>i8x16.bitmask(i8x16.eq(v128.load(p), percent)) & bitsBefore(p, end);
    for (; bits != 0; bits &= bits - 1) {
      const at = p + <usize>ctz<u32>(bits);
      if (end - at < 3) return false;
      const high = upperHexValue(load<u8>(at, 1));
      const low = upperHexValue(load<u8>(at, 2));
      if ((high | low) > 15 || isUnreserved((high << 4) | low)) return false;
    }
  }
  return true;
}

/** 0 to 15 for a digit or an upper-case letter, else more: of hexadecimal digits lower-case letters alone have both bits. */
// @ts-ignore: decorator
@inline
function upperHexValue(c: u32): u32 {
  return hexValue(c) | (c & 0x20 & (c >> 1));
}

/** A stray "%" that wasn't encoded, or one and a digit, stands before `out`: what is decoded could be its digit. */
function completesEscape(start: usize, out: usize): bool {
  if (out > start && load<u8>(out - 1) == 0x25) return true;
  if (out - start < 2 || load<u8>(out - 2) != 0x25) return false;
  return hexValue(load<u8>(out - 1)) < 16;
}
