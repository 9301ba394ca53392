/**
 * UTF-8 as the WHATWG Encoding Standard decodes it: where it stops being valid, and its repair with U+FFFD.
 * Invariant: linear; `repair` writes at most three bytes for each they read.
 */

import { writeError } from "../charset/output";

/** Bytes of [ptr, ptr + len) before the first that isn't valid UTF-8; a sequence cut off by the end isn't. */
export function validPrefix(ptr: usize, len: usize): usize {
  const end = ptr + len;
  let p = ptr;
  while (p < end) {
    p = asciiEnd(p, end);
    if (p >= end) break;
    const length = sequenceAt(p, end);
    if (length <= 0) return p - ptr;
    p += <usize>length;
  }
  return len;
}

/** The first byte beyond ASCII in [p, end), or `end`. */
// @ts-ignore: decorator
@inline
function asciiEnd(p: usize, end: usize): usize {
  while (p + 64 <= end) {
    const four = v128.or(
      v128.or(v128.load(p), v128.load(p, 16)),
      v128.or(v128.load(p, 32), v128.load(p, 48)),
    );
    if (i8x16.bitmask(four) != 0) break;
    p += 64;
  }
  while (p + 16 <= end) {
    const beyond = i8x16.bitmask(v128.load(p));
    if (beyond != 0) return p + <usize>ctz<i32>(beyond);
    p += 16;
  }
  while (p < end && load<i8>(p) >= 0) p++;
  return p;
}

/** Whether the bytes from `ptr` are a sequence that only lacks its end. */
export function isCutOff(ptr: usize, len: usize): bool {
  return len != 0 && len < 4 && sequenceAt(ptr, ptr + len) == -<i32>len;
}

/**
 * Length of the sequence at p, whose first byte is >= 0x80; else minus the length of its maximal valid part (at least
 * one byte), which becomes one U+FFFD (Encoding 8.1.1).
 */
export function sequenceAt(p: usize, end: usize): i32 {
  const lead = <u32>load<u8>(p);
  if (lead < 0xc2 || lead > 0xf4) return -1;
  const wanted: usize = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte's range excludes overlong forms, surrogates and what is beyond U+10FFFF.
  let low: u32 = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  let high: u32 = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (let i: usize = 1; i < wanted; i++) {
    if (p + i >= end) return -<i32>i;
    const byte = <u32>load<u8>(p + i);
    if (byte < low || byte > high) return -<i32>i;
    low = 0x80;
    high = 0xbf;
  }
  return <i32>wanted;
}

/** Copies [ptr, ptr + len) to `out`, what isn't UTF-8 replaced by U+FFFD; returns the bytes written. */
export function repair(ptr: usize, len: usize, out: usize): usize {
  const end = ptr + len;
  let p = ptr;
  let to = out;
  while (p < end) {
    const good = validPrefix(p, end - p);
    memory.copy(to, p, good);
    p += good;
    to += good;
    if (p >= end) break;
    p += <usize>-sequenceAt(p, end);
    to = writeError(to);
  }
  return to - out;
}
