/** The shared UTF-16 decoder (Encoding 14.2.1). */

import { writeError } from "./output";
import { writeCodePoint } from "../html/bytes";

/** Decodes [from, end) to `out`; returns the bytes written. `isBig`: the high byte comes first. */
export function decodeUtf16(isBig: bool, from: usize, end: usize, out: usize): usize {
  let p = from;
  let to = out;
  while (p + 1 < end) {
    const unit = unitAt(p, isBig);
    p += 2;
    if (unit < 0x80) {
      store<u8>(to++, <u8>unit);
      continue;
    }
    if (unit - 0xd800 >= 0x800) {
      to += writeCodePoint(unit, to);
      continue;
    }
    if (unit < 0xdc00 && p + 1 >= end) {
      // A leading surrogate and an odd byte after it are one error.
      return writeError(to) - out;
    }
    const second: u32 = unit < 0xdc00 ? unitAt(p, isBig) - 0xdc00 : 0xffff;
    if (second < 0x400) {
      to += writeCodePoint(0x10000 + ((unit - 0xd800) << 10) + second, to);
      p += 2;
    } else to = writeError(to);
  }
  if (p < end) to = writeError(to);
  return to - out;
}

// @ts-ignore: decorator
@inline
function unitAt(p: usize, isBig: bool): u32 {
  const unit = <u32>load<u16>(p);
  return isBig ? ((unit & 0xff) << 8) | (unit >> 8) : unit;
}
