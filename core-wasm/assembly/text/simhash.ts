/**
 * SimHash (Charikar 2002) of a text, 64 bits, for near-duplicates: docs/SIMHASH.md says what it is made of and why.
 * Features are pairs of neighbouring words that count (word_hashes.ts), and long words by themselves. What a text repeats
 * weighs: each time but the first of a pair, and but the first two of a word, weighs REPEATED; each pair that is met weighs 1.
 * Invariant: a function of the bytes only; a change of its answers is a change of keyVersion.
 */

import { countPair, countWord, hashOfFeature, openCounts, repeatedCount, repeatedFeature, timesOfFeature } from "./feature_counts";
import { LONG, openWords, readWords, wordCount, WORD_BLOCK } from "./word_hashes";

/** Letters of the shortest word that counts, and words below which a text is too short to leave any out. */
const LEAST_LETTERS: u32 = 4;
const FEW_WORDS: usize = 8;
/**
 * Bits that are told, nine of each sixteen; the others are 0. The fewer there are, the fewer a change flips, and the more
 * pages that differ come near: thirty-six are where three bits part the two best (docs/SIMHASH.md).
 */
const TOLD: u64 = 0x01ff01ff01ff01ff;
/** Weight of a repetition, as a power of two: 64. */
const REPEATED_SHIFT: usize = 6;

/**
 * Bit-sliced counters: plane n holds bit n of the 64 sums, so that adding a feature is a carry along the planes.
 * 30 MB of text have 6 million words that count: sums stay below 2^31.
 */
const PLANES: usize = memory.data(32 * 8, 16);
const PLANES_END: usize = 256;
/** The pairs of a block of words, and room to fill up the last eight. */
const PAIRS: usize = memory.data(520 * 8, 16);

/** Sum of all weights. */
let total: u32 = 0;
/** The word before the block. */
let last: u64 = 0;

/** SimHash of UTF-8 text; 0 without words. Bytes that aren't UTF-8 only change the answer. */
export function simhash(ptr: usize, len: usize): u64 {
  if (!openCounts(len)) return 0;
  if (addWords(ptr, len, LEAST_LETTERS) < FEW_WORDS && len != 0) {
    openCounts(len);
    addWords(ptr, len, 1);
  }
  store<u64>(PLANES, ones);
  store<u64>(PLANES, twos, 8);
  store<u64>(PLANES, fours, 16);
  addRepeated();
  return majority() & TOLD;
}

/** Adds and counts all features of a text; returns the number of words. */
function addWords(ptr: usize, len: usize, least: u32): usize {
  memory.fill(PLANES, 0, PLANES_END);
  ones = 0;
  twos = 0;
  fours = 0;
  total = 0;
  last = 0;
  let words: usize = 0;
  openWords(ptr, len, least);
  while (readWords()) {
    addBlock(wordCount);
    words += wordCount;
  }
  return words;
}

// @ts-ignore: decorator
@inline
function mix(bits: u64): u64 {
  const mixed = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9;
  return mixed ^ (mixed >> 32);
}

/** Counts the block's pairs and long words, and adds the pairs with weight 1. */
function addBlock(words: usize): void {
  let before = last;
  let long: usize = 0;
  for (let i: usize = 0; i < words; i++) {
    const word = load<u64>(WORD_BLOCK + (i << 3));
    const pair = mix(rotl<u64>(before, 21) ^ word);
    before = word;
    store<u64>(PAIRS + (i << 3), pair);
    countPair(pair);
    // To the front of the block, where all before it were read; no branch, as it can't be predicted.
    store<u64>(WORD_BLOCK + (long << 3), word);
    long += <usize>(word & LONG);
  }
  last = before;
  for (let i: usize = 0; i < long; i++) countWord(load<u64>(WORD_BLOCK + (i << 3)) * 0x9fb21c651e98df25);
  // Nothing weighs nothing: the last eight are filled up.
  memory.fill(PAIRS + (words << 3), 0, 56);
  for (let i: usize = 0; i < words; i += 8) addEight(PAIRS + (i << 3));
  total += <u32>words;
}

let ones: u64 = 0;
let twos: u64 = 0;
let fours: u64 = 0;

// @ts-ignore: decorator
@inline
function majorityOf(a: u64, b: u64, c: u64): u64 {
  return (a & b) | ((a ^ b) & c);
}

/** Adds eight hashes by a tree of full adders: what overflows the three lowest planes goes on by carries. */
// @ts-ignore: decorator
@inline
function addEight(at: usize): void {
  const one = ones;
  const a = load<u64>(at);
  const b = load<u64>(at, 8);
  const c = load<u64>(at, 16);
  const d = load<u64>(at, 24);
  const e = load<u64>(at, 32);
  const f = load<u64>(at, 40);
  const g = load<u64>(at, 48);
  const h = load<u64>(at, 56);
  const s1 = one ^ a ^ b;
  const s2 = s1 ^ c ^ d;
  const s3 = s2 ^ e ^ f;
  const t1 = majorityOf(one, a, b);
  const t2 = majorityOf(s1, c, d);
  const t3 = majorityOf(s2, e, f);
  const t4 = majorityOf(s3, g, h);
  ones = s3 ^ g ^ h;
  const two = twos;
  const u1 = two ^ t1 ^ t2;
  const f1 = majorityOf(two, t1, t2);
  const f2 = majorityOf(u1, t3, t4);
  twos = u1 ^ t3 ^ t4;
  const four = fours;
  fours = four ^ f1 ^ f2;
  addAt(24, majorityOf(four, f1, f2));
}

/** Adds a bit to the counters from the plane at `offset` on. */
// @ts-ignore: decorator
@inline
function addAt(offset: usize, bits: u64): void {
  let carry = bits;
  for (let at = offset; carry != 0 && at < PLANES_END; at += 8) {
    const plane = load<u64>(PLANES + at);
    store<u64>(PLANES + at, plane ^ carry);
    carry &= plane;
  }
}

/** Adds what was met again, by how often: a weight is added bit by bit, each at its plane. */
function addRepeated(): void {
  for (let i: usize = 0; i < repeatedCount; i++) {
    const feature = repeatedFeature(i);
    const times = timesOfFeature(feature);
    const hash = mix(hashOfFeature(feature));
    for (let left = times, plane = REPEATED_SHIFT; left != 0; left >>= 1, plane++) {
      if ((left & 1) != 0) addAt(plane << 3, hash);
    }
    total += <u32>times << <u32>REPEATED_SHIFT;
  }
}

/** A bit is set when its sum is more than half of all weights: the sums against half, all 64 at once. */
function majority(): u64 {
  const half = total >> 1;
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
