/**
 * Text with its white space folded: each run of white space and no-break spaces is one space, none at either end.
 * Invariant: never writes beyond the room it was given; what doesn't fit is dropped, and `foldFull` says so.
 */

import { AMP, BLANK } from "../html/bytes";
import { reference, referenceBytes } from "../html/references";

let start: usize = 0;
let at: usize = 0;
let limit: usize = 0;
let pending: bool = false;
export let foldFull: bool = false;

const DECODED: usize = memory.data(16);

/** Folds into [out, out + room) from here on. */
export function beginFold(out: usize, room: usize): void {
  start = out;
  at = out;
  limit = out + room;
  pending = false;
  foldFull = false;
}

/** Bytes written. White space at the end is not among them. */
export function folded(): usize {
  return at - start;
}

/** The text that follows is another word. */
// @ts-ignore: decorator
@inline
export function foldBreak(): void {
  pending = true;
}

/** Adds [from, end); `&` is a character reference when `references`. NUL is dropped. */
export function fold(from: usize, end: usize, references: bool): void {
  let p = from;
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (byte > BLANK && byte != AMP && byte != 0xc2) {
      put(byte);
      p++;
    } else if (byte == AMP && references) {
      const taken = reference(p, end, DECODED, false);
      if (taken == 0) put(AMP);
      else fold(DECODED, DECODED + referenceBytes, false);
      p += taken == 0 ? 1 : taken;
    } else if (isBlank(byte)) {
      pending = true;
      p++;
    } else if (byte == 0xc2 && p + 1 < end && load<u8>(p, 1) == 0xa0) {
      pending = true;
      p += 2;
    } else {
      if (byte != 0) put(byte);
      p++;
    }
  }
}

// @ts-ignore: decorator
@inline
function isBlank(byte: u32): bool {
  return byte == BLANK || byte - 9 < 2 || byte - 12 < 2;
}

// @ts-ignore: decorator
@inline
function put(byte: u32): void {
  if (at + 2 > limit) {
    foldFull = true;
    return;
  }
  if (pending) {
    pending = false;
    if (at != start) store<u8>(at++, <u8>BLANK);
  }
  store<u8>(at++, <u8>byte);
}

/** Cuts what was written to at most `bytes` (fewer than were written), at a character's border. */
export function cutFold(bytes: usize): void {
  let end = start + bytes;
  while (end > start && (<u32>load<u8>(end) & 0xc0) == 0x80) end--;
  at = end;
}
