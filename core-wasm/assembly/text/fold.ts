/**
 * Text with its white space folded: each run of white space and no-break spaces is one space, none at either end.
 * Invariant: a piece is written whole or not at all; what found no room is told by `foldFull`.
 */

import { AMP, BLANK } from "../html/bytes";
import { reference, referenceBytes } from "../html/references";

let start: usize = 0;
let at: usize = 0;
let limit: usize = 0;
/** White space was met since the last letter. */
let pending: bool = false;
export let foldFull: bool = false;

/** Room for one reference, and for a block that is written beyond its end. */
const SLACK: usize = 32;
const DECODED: usize = memory.data(16);

/** Room that folding `bytes` needs: references may grow by a fifth. */
export function foldRoom(bytes: usize): usize {
  return bytes + (bytes >> 2) + SLACK * 2;
}

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

/** Where the folded text ends so far. */
// @ts-ignore: decorator
@inline
export function foldEnd(): usize {
  return at;
}

/** The text that follows is another word. */
// @ts-ignore: decorator
@inline
export function foldBreak(): void {
  pending = true;
}

/** Adds [from, end); `&` is a character reference when `references`. NUL is dropped. */
export function fold(from: usize, end: usize, references: bool): void {
  const bytes = end - from;
  if (bytes + (bytes >> 2) + SLACK > limit - at) {
    foldFull = true;
    return;
  }
  let p = from;
  while (p < end) {
    p = foldBlocks(p, end);
    // A block that isn't plain, or less than one: byte by byte, then blocks again.
    const stop = min<usize>(end, p + 16);
    while (p < stop) {
      const byte = <u32>load<u8>(p);
      if (byte > BLANK && byte != AMP && byte != 0xc2) {
        put(byte);
        p++;
      } else p = foldOdd(p, end, references);
    }
  }
}

/** Copies blocks of sixteen bytes that hold nothing but letters with single spaces between them. */
// @ts-ignore: decorator
@inline
function foldBlocks(from: usize, end: usize): usize {
  let p = from;
  let to = at;
  let waiting = pending;
  while (p + 16 <= end) {
    const block = v128.load(p);
    const odd = v128.or(
      i8x16.lt_u(block, i8x16.splat(0x20)),
      v128.or(i8x16.eq(block, i8x16.splat(0x26)), i8x16.eq(block, i8x16.splat(<i8>0xc2))),
    );
    if (v128.any_true(odd)) break;
    const blanks = <u32>i8x16.bitmask(i8x16.eq(block, i8x16.splat(0x20)));
    if ((blanks & ((blanks << 1) | (waiting || to == start ? 1 : 0))) != 0) break;
    if (waiting && to != start) store<u8>(to++, <u8>BLANK);
    v128.store(to, block);
    waiting = (blanks & 0x8000) != 0;
    to += waiting ? 15 : 16;
    p += 16;
  }
  at = to;
  pending = waiting;
  return p;
}

/** What isn't a plain letter at p: returns where the text goes on. */
function foldOdd(p: usize, end: usize, references: bool): usize {
  const byte = <u32>load<u8>(p);
  if (byte == AMP) {
    const taken = references ? reference(p, end, DECODED, false) : 0;
    if (taken == 0) {
      put(AMP);
      return p + 1;
    }
    foldDecoded(DECODED + referenceBytes);
    return p + taken;
  }
  if (isBlank(byte)) {
    pending = true;
    return p + 1;
  }
  if (byte == 0xc2 && p + 1 < end && load<u8>(p, 1) == 0xa0) {
    pending = true;
    return p + 2;
  }
  if (byte != 0) put(byte);
  return p + 1;
}

/** The characters of a reference, which may be white space or `&` again, but no reference. */
function foldDecoded(end: usize): void {
  let p = DECODED;
  while (p < end) p = foldOdd(p, end, false);
}

// @ts-ignore: decorator
@inline
function isBlank(byte: u32): bool {
  return byte == BLANK || byte - 9 < 2 || byte - 12 < 2;
}

// @ts-ignore: decorator
@inline
function put(byte: u32): void {
  if (pending) {
    pending = false;
    if (at != start) store<u8>(at++, <u8>BLANK);
  }
  store<u8>(at++, <u8>byte);
}
