/**
 * Charsets whose bytes may all be ASCII: UTF-16 without a byte order mark, and ISO-2022-JP.
 * Invariant: linear; a text of ASCII letters is neither.
 */

import { ISO_2022_JP, UTF_16BE, UTF_16LE, UTF_8 } from "../charset/ids";
import { find } from "../html/bytes";

/** How much of a page is looked at for UTF-16. */
const HEAD: usize = 4096;
const ESCAPE: u32 = 0x1b;

/** One of UTF_16LE, UTF_16BE, ISO_2022_JP, or UTF_8 for none of them. */
export function sevenBitCharset(from: usize, len: usize): u32 {
  const wide = wideCharset(from, min<usize>(len, HEAD) >> 1);
  if (wide != UTF_8) return wide;
  return isIso2022Jp(from, from + len) ? ISO_2022_JP : UTF_8;
}

/** Markup is ASCII: in UTF-16 every other byte of it is zero. */
function wideCharset(from: usize, units: usize): u32 {
  let first: usize = 0;
  let second: usize = 0;
  for (let i: usize = 0; i < units; i++) {
    if (load<u8>(from + (i << 1)) == 0) first++;
    if (load<u8>(from + (i << 1), 1) == 0) second++;
  }
  if (second * 10 >= units * 3 && first * 20 <= units && second != 0) return UTF_16LE;
  return first * 10 >= units * 3 && second * 20 <= units && first != 0 ? UTF_16BE : UTF_8;
}

/** Runs between `ESC $ B` (or `@`) and the next escape are pairs of 0x21 to 0x7E, and there is at least one. */
function isIso2022Jp(from: usize, end: usize): bool {
  let runs: u32 = 0;
  let p = find(from, end, ESCAPE);
  while (p + 2 < end) {
    const first = <u32>load<u8>(p, 1);
    const second = <u32>load<u8>(p, 2);
    const isPairs = first == 0x24 && (second == 0x40 || second == 0x42);
    if (!isPairs && (first != 0x28 || (second != 0x42 && second != 0x4a && second != 0x49))) return false;
    const begin = p + 3;
    p = find(begin, end, ESCAPE);
    if (!isPairs) continue;
    for (let q = begin; q < p; q++) if (<u32>load<u8>(q) - 0x21 >= 94) return false;
    if (((p - begin) & 1) != 0) return false;
    if (p != begin) runs++;
  }
  return runs != 0;
}
