/**
 * The words of a text that count, as 64-bit hashes in blocks. A word is a run of ASCII letters and digits (case ignored)
 * and of other characters that aren't punctuation or spaces; in scripts that are written without spaces each character
 * is one. Short words (the, und, 12) are left out.
 * Invariant: equal words have equal hashes wherever they stand; nothing is read outside of the text.
 */

import { beyondAscii, lettersAt } from "./ascii_words";
import { isWordCharacter, standsAlone } from "./words";

export const BLOCK_WORDS: usize = 512;
/** The last block: u64 per word. */
export const WORD_BLOCK: usize = memory.data(512 * 8, 16);
/** Words in it. */
export let wordCount: usize = 0;
/** Set in the hash of a word that is long enough to count by itself, clear in others. */
export const LONG: u64 = 1;
/** Letters by which a word is long. A Hangul syllable counts as two. */
const LONG_LETTERS: u32 = 5;

const SEED: u64 = 0x9e3779b97f4a7c15;
const LOWER: u64 = 0x2020202020202020;

let at: usize = 0;
let textEnd: usize = 0;
let leastLetters: u32 = 0;

/** Words of fewer than `least` letters are left out. */
export function openWords(ptr: usize, len: usize, least: u32): void {
  at = ptr;
  textEnd = ptr + len;
  leastLetters = least;
}

// @ts-ignore: decorator
@inline
function marked(hash: u64, letters: u32): u64 {
  return (hash & ~LONG) | <u64>(letters >= LONG_LETTERS);
}

// @ts-ignore: decorator
@inline
function isAsciiLetter(byte: u32): bool {
  return (byte | 0x20) - 0x61 < 26 || byte - 0x30 < 10;
}

/** One step over up to eight bytes, lower-cased and padded with zeros. */
// @ts-ignore: decorator
@inline
function mix(hash: u64, bytes: u64): u64 {
  const product = (hash ^ bytes) * 0x9fb21c651e98df25;
  return product ^ (product >> 32);
}

/** Fills the block with the next words; false when there are none. */
export function readWords(): bool {
  let p = at;
  const end = textEnd;
  let count: usize = 0;
  while (p < end && count < BLOCK_WORDS) {
    const byte = <u32>load<u8>(p);
    if (byte < 0x80 && p + ASCII_ROOM <= end) {
      count = asciiWords(p, count);
      if (asciiEnd != p) {
        p = asciiEnd;
        continue;
      }
    }
    if (byte < 0x80 && !isAsciiLetter(byte)) {
      p++;
      continue;
    }
    const length = byte < 0x80 ? asciiRun(p, end) : 0;
    if (byte < 0x80 && (p + length >= end || load<i8>(p + length) >= 0)) {
      // No branch: whether a word is long enough can't be predicted.
      store<u64>(WORD_BLOCK + (count << 3), marked(asciiHash(p, length, end), <u32>length));
      count += <usize>(<u32>length >= leastLetters);
      p += length;
    } else {
      p = otherWord(p, end);
      if (otherHash != 0) {
        store<u64>(WORD_BLOCK + (count << 3), otherHash);
        count++;
      }
    }
  }
  at = p;
  wordCount = count;
  return count != 0;
}

/** Sixty-four bytes, and what is read of a word that begins in them. */
const ASCII_ROOM: usize = 80;
/** Where asciiWords stopped. */
let asciiEnd: usize = 0;

/**
 * Adds the words of sixty-four bytes, or of those before the first beyond ASCII, as many as the block takes, and returns how many
 * the block has then. Stops before one that may go on behind them.
 */
function asciiWords(p: usize, first: usize): usize {
  let letters = lettersAt(p);
  const stop = ctz<u64>(beyondAscii);
  if (stop < 64) letters &= (<u64>1 << stop) - 1;
  let count = first;
  while (letters != 0) {
    const start = ctz<u64>(letters);
    const length = ctz<u64>(~(letters >> start));
    asciiEnd = p + <usize>start;
    if (start + length >= stop || count == BLOCK_WORDS) return count;
    const hash = length <= 16 ? shortHash(asciiEnd, <usize>length) : longHash(asciiEnd, <usize>length);
    store<u64>(WORD_BLOCK + (count << 3), marked(hash, <u32>length));
    count += <usize>(<u32>length >= leastLetters);
    letters &= ~<u64>0 << (start + length);
  }
  asciiEnd = p + <usize>stop;
  return count;
}

/** Length of the run of ASCII letters and digits at p. */
// @ts-ignore: decorator
@inline
function asciiRun(from: usize, end: usize): usize {
  let p = from;
  while (p + 16 <= end) {
    const block = v128.load(p);
    const letters = i8x16.lt_u(i8x16.sub(v128.or(block, i8x16.splat(0x20)), i8x16.splat(0x61)), i8x16.splat(26));
    const digits = i8x16.lt_u(i8x16.sub(block, i8x16.splat(0x30)), i8x16.splat(10));
    const others = ~<u32>i8x16.bitmask(v128.or(letters, digits)) & 0xffff;
    if (others != 0) return p + <usize>ctz<u32>(others) - from;
    p += 16;
  }
  while (p < end && isAsciiLetter(<u32>load<u8>(p))) p++;
  return p - from;
}

/** Hash of an ASCII word. Digits have the bit that lower case sets already. */
// @ts-ignore: decorator
@inline
function asciiHash(from: usize, length: usize, end: usize): u64 {
  return length <= 16 && from + 16 <= end ? shortHash(from, length) : longHash(from, length);
}

/** Of up to sixteen letters, without a branch by their number. Reads sixteen bytes. */
// @ts-ignore: decorator
@inline
function shortHash(from: usize, length: usize): u64 {
  const bits: u64 = <u64>length << 3;
  const head: u64 = ~<u64>0 >> (bits >= 64 ? 0 : 64 - bits);
  const tail: u64 = bits <= 64 ? 0 : ~<u64>0 >> (128 - bits);
  return mix(mix(SEED, (load<u64>(from) | LOWER) & head), (load<u64>(from, 8) | LOWER) & tail);
}

/** The same, sixteen letters after sixteen, for what is longer or ends the text. */
function longHash(from: usize, length: usize): u64 {
  let hash = SEED;
  for (let done: usize = 0; done < length; done += 16) {
    hash = mix(mix(hash, someBytes(from + done, length - done)), length - done <= 8 ? 0 : someBytes(from + done + 8, length - done - 8));
  }
  return hash;
}

/** Up to eight bytes, in lower case, padded with zeros. */
function someBytes(from: usize, length: usize): u64 {
  let bytes: u64 = 0;
  for (let i: usize = 0; i < min<usize>(length, 8); i++) bytes |= <u64>(load<u8>(from + i) | 0x20) << (<u64>i << 3);
  return bytes;
}

/** Hash of the word that otherWord read; 0 when there was none, or it was too short. */
let otherHash: u64 = 0;

/** Reads the word at p that has a character beyond ASCII, or one character that is no word. Returns where it ends. */
function otherWord(from: usize, end: usize): usize {
  let p = from;
  let hash = SEED;
  let letters: u32 = 0;
  otherHash = 0;
  while (p < end) {
    const code = codeAt(p, end);
    if (code < 0x80 ? !isAsciiLetter(code) : !isWordCharacter(code)) break;
    if (standsAlone(code)) {
      if (p != from) break;
      otherHash = marked(mix(SEED, <u64>code), 1);
      return p + codeBytes;
    }
    letters += isHangul(code) ? 2 : 1;
    hash = mix(hash, <u64>(code < 0x80 ? code | 0x20 : code));
    p += codeBytes;
  }
  if (p == from) return p + codeBytes;
  if (letters >= leastLetters) otherHash = marked(hash, letters);
  return p;
}

// @ts-ignore: decorator
@inline
function isHangul(code: u32): bool {
  return code - 0xac00 < 11172;
}

let codeBytes: usize = 1;

/** The code point at p and its length in codeBytes. What isn't UTF-8 counts as the byte. */
// @ts-ignore: decorator
@inline
function codeAt(p: usize, end: usize): u32 {
  const byte = <u32>load<u8>(p);
  codeBytes = 1;
  if (byte < 0xc0) return byte;
  if (byte < 0xe0 && p + 1 < end) {
    codeBytes = 2;
    return ((byte & 31) << 6) | (<u32>load<u8>(p, 1) & 63);
  }
  if (byte >= 0xe0 && byte < 0xf0 && p + 2 < end) {
    codeBytes = 3;
    return ((byte & 15) << 12) | ((<u32>load<u8>(p, 1) & 63) << 6) | (<u32>load<u8>(p, 2) & 63);
  }
  if (byte >= 0xf0 && p + 3 < end) {
    codeBytes = 4;
    return ((byte & 7) << 18) | ((<u32>load<u8>(p, 1) & 63) << 12) | ((<u32>load<u8>(p, 2) & 63) << 6) |
      (<u32>load<u8>(p, 3) & 63);
  }
  return byte;
}
