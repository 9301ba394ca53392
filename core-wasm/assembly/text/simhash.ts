/**
 * SimHash (Charikar 2002) of a text, 64 bits, over shingles of three words, for near-duplicates.
 * A word is a run of ASCII letters and digits (case ignored) and other characters that aren't punctuation or spaces;
 * in scripts that are written without spaces each character is a word.
 * Invariant: a function of the bytes only; a change of its answers is a change of keyVersion.
 */

import { isWordCharacter, standsAlone } from "./words";

/** Bit-sliced counters: plane n holds bit n of the 64 counts, so that adding a shingle is a carry along the planes. */
const PLANES: usize = memory.data(32 * 8, 16);
const SEED: u64 = 0x9e3779b97f4a7c15;

let shingles: u32 = 0;
let words: u32 = 0;
let last: u64 = 0;
let beforeLast: u64 = 0;

// deno-fmt-ignore
/** Bytes below 0x80: 0 = not of a word, else its lower case. */
const LETTERS: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 0, 0, 0, 0, 0, 0,
  0, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 0, 0, 0, 0, 0,
  0, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 0, 0, 0, 0, 0,
]);

// @ts-ignore: decorator
@inline
function mix(hash: u64, value: u64): u64 {
  return (hash ^ value) * 0x9fb21c651e98df25 + 0x632be59bd9b4e019;
}

/** SimHash of UTF-8 text; 0 without words. Bytes that aren't UTF-8 only change the answer. */
export function simhash(ptr: usize, len: usize): u64 {
  memory.fill(PLANES, 0, 256);
  shingles = 0;
  words = 0;
  last = 0;
  beforeLast = 0;
  const end = ptr + len;
  let p = ptr;
  let word: u64 = SEED;
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (byte < 0x80) {
      const letter = <u64>load<u8>(LETTERS + <usize>byte);
      if (letter != 0) word = mix(word, letter);
      else if (word != SEED) {
        endWord(word);
        word = SEED;
      }
      p++;
      continue;
    }
    const code = codeAt(p, end);
    p += codeBytes;
    const alone = standsAlone(code);
    if (word != SEED && (alone || !isWordCharacter(code))) {
      endWord(word);
      word = SEED;
    }
    if (alone) endWord(mix(SEED, <u64>code));
    else if (isWordCharacter(code)) word = mix(word, <u64>code);
  }
  if (word != SEED) endWord(word);
  // A text of one or two words has one shingle: what there is.
  if (words != 0 && shingles == 0) addShingle(beforeLast, 0, last);
  return majority();
}

function endWord(word: u64): void {
  const hash = (word ^ (word >> 32)) * 0x9e3779b97f4a7c15;
  words++;
  if (words >= 3) addShingle(beforeLast, last, hash);
  beforeLast = last;
  last = hash;
}

// @ts-ignore: decorator
@inline
function addShingle(first: u64, second: u64, third: u64): void {
  let mixed = rotl<u64>(first, 42) ^ rotl<u64>(second, 21) ^ third;
  mixed = (mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9;
  addToPlanes(mixed ^ (mixed >> 32));
  shingles++;
}

// @ts-ignore: decorator
@inline
function carryInto(offset: usize, carry: u64): u64 {
  const plane = load<u64>(PLANES + offset);
  store<u64>(PLANES + offset, plane ^ carry);
  return plane & carry;
}

/** The first eight planes without branches: how far a carry goes can't be predicted. The rest is rare. */
// @ts-ignore: decorator
@inline
function addToPlanes(hash: u64): void {
  let carry = carryInto(0, hash);
  carry = carryInto(8, carry);
  carry = carryInto(16, carry);
  carry = carryInto(24, carry);
  carry = carryInto(32, carry);
  carry = carryInto(40, carry);
  carry = carryInto(48, carry);
  carry = carryInto(56, carry);
  for (let offset: usize = 64; carry != 0 && offset < 256; offset += 8) carry = carryInto(offset, carry);
}

/** A bit is set when more than half of the shingles have it: the counts against half, all 64 at once. */
function majority(): u64 {
  const half = shingles >> 1;
  let more: u64 = 0;
  let equal: u64 = ~0;
  for (let bit = 31; bit >= 0; bit--) {
    const plane = load<u64>(PLANES + (<usize>bit << 3));
    const wanted: u64 = ((half >> bit) & 1) != 0 ? ~0 : 0;
    more |= equal & plane & ~wanted;
    equal &= ~(plane ^ wanted);
  }
  return more;
}

let codeBytes: usize = 1;

/** The code point at p and its length in codeBytes. What isn't UTF-8 counts as the byte. */
// @ts-ignore: decorator
@inline
function codeAt(p: usize, end: usize): u32 {
  const byte = <u32>load<u8>(p);
  if (byte >= 0xc0 && byte < 0xe0 && p + 1 < end) {
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
  codeBytes = 1;
  return byte;
}
