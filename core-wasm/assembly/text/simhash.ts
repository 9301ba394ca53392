/**
 * SimHash (Charikar 2002) of a text, 64 bits, over shingles of three words, for near-duplicates.
 * Words are found by word_hashes.ts, which hands over their hashes in blocks.
 * Invariant: a function of the bytes only; a change of its answers is a change of keyVersion.
 */

import { openWords, readWords, wordCount, WORD_BLOCK } from "./word_hashes";

/** Bit-sliced counters: plane n holds bit n of the 64 counts, so that adding a shingle is a carry along the planes. */
const PLANES: usize = memory.data(32 * 8, 16);

let shingles: u32 = 0;
/** The two words before the block. */
let last: u64 = 0;
let beforeLast: u64 = 0;

/** SimHash of UTF-8 text; 0 without words. Bytes that aren't UTF-8 only change the answer. */
export function simhash(ptr: usize, len: usize): u64 {
  memory.fill(PLANES, 0, 256);
  shingles = 0;
  last = 0;
  beforeLast = 0;
  let words: usize = 0;
  openWords(ptr, len);
  while (readWords()) {
    // The first two words of a text complete no shingle.
    addBlock(words >= 2 ? 0 : 2 - words, wordCount);
    words += wordCount;
  }
  // A text of one or two words has one shingle: what there is.
  if (words != 0 && shingles == 0) addShingle(shingle(beforeLast, 0, last));
  return majority();
}

// @ts-ignore: decorator
@inline
function shingle(first: u64, second: u64, third: u64): u64 {
  let mixed = rotl<u64>(first, 42) ^ rotl<u64>(second, 21) ^ third;
  mixed = (mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9;
  return mixed ^ (mixed >> 32);
}

/** Adds the shingles that end with the block's words from number `from` on. The busiest planes are in locals. */
function addBlock(from: usize, count: usize): void {
  let first = beforeLast;
  let second = last;
  let plane0 = load<u64>(PLANES);
  let plane1 = load<u64>(PLANES, 8);
  let plane2 = load<u64>(PLANES, 16);
  let plane3 = load<u64>(PLANES, 24);
  for (let i: usize = 0; i < count; i++) {
    const third = load<u64>(WORD_BLOCK + (i << 3));
    if (i >= from) {
      let carry = shingle(first, second, third);
      const was0 = plane0;
      plane0 ^= carry;
      carry &= was0;
      const was1 = plane1;
      plane1 ^= carry;
      carry &= was1;
      const was2 = plane2;
      plane2 ^= carry;
      carry &= was2;
      const was3 = plane3;
      plane3 ^= carry;
      carry &= was3;
      if (carry != 0) carryOn(carry);
      shingles++;
    }
    first = second;
    second = third;
  }
  store<u64>(PLANES, plane0);
  store<u64>(PLANES, plane1, 8);
  store<u64>(PLANES, plane2, 16);
  store<u64>(PLANES, plane3, 24);
  beforeLast = first;
  last = second;
}

// @ts-ignore: decorator
@inline
function carryInto(offset: usize, carry: u64): u64 {
  const plane = load<u64>(PLANES + offset);
  store<u64>(PLANES + offset, plane ^ carry);
  return plane & carry;
}

/** From plane 4 on; four planes without branches, as how far a carry goes can't be predicted; the rest is rare. */
// @ts-ignore: decorator
@inline
function carryOn(from: u64): void {
  let carry = carryInto(32, from);
  carry = carryInto(40, carry);
  carry = carryInto(48, carry);
  carry = carryInto(56, carry);
  for (let offset: usize = 64; carry != 0 && offset < 256; offset += 8) carry = carryInto(offset, carry);
}

function addShingle(hash: u64): void {
  let carry = hash;
  for (let offset: usize = 0; carry != 0 && offset < 256; offset += 8) carry = carryInto(offset, carry);
  shingles++;
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
