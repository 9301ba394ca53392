/**
 * What decoders write: UTF-8, and U+FFFD for each error, which they count.
 * Invariant: at most three bytes for each that was read, and three beyond.
 */

import { ERROR_WORD } from "./tables";

/** Errors of the last decode. */
export let errors: u32 = 0;

export function resetErrors(): void {
  errors = 0;
}

/** Writes U+FFFD; returns where the next character is written. */
export function writeError(to: usize): usize {
  errors++;
  store<u32>(to, ERROR_WORD);
  return to + 3;
}

/** Writes a word of tables.ts, which isn't 0. */
// @ts-ignore: decorator
@inline
export function writeWord(word: u32, to: usize): usize {
  if (word < 0x04000000) {
    store<u32>(to, word);
    return to + <usize>(word >> 24);
  }
  store<u8>(to, 0xf0);
  store<u32>(to, word, 1);
  return to + 4;
}

/** Copies sixteen bytes at a time as long as they are ASCII; returns how many. `to` has as much room as the source. */
// @ts-ignore: decorator
@inline
export function copyAscii(from: usize, end: usize, to: usize): usize {
  let p = from;
  while (p + 16 <= end) {
    const block = v128.load(p);
    if (v128.any_true(v128.and(block, i8x16.splat(-128)))) break;
    v128.store(to + (p - from), block);
    p += 16;
  }
  return p - from;
}
