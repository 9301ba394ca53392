/**
 * bloomfilter.wasm: a Bloom filter in memory that threads share. All bits of a key lie in one 64-bit word, set by one
 * atomic operation, so that of all threads that add a key at once exactly one is told that it was new.
 * Invariant: no false negatives; a key is fresh once. No state but the shared memory: all is handed over.
 */

/** Bits of a key; some may coincide. */
const BITS = 5;

/** splitmix64's finaliser: keys need not be hashes themselves. */
// @ts-ignore: decorator
@inline
function mix(key: u64): u64 {
  let z = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/** The word by the hash's upper half, the bits by its lower: five times six bits of 32. */
// @ts-ignore: decorator
@inline
function bitsOf(hash: u64): u64 {
  let bits: u64 = 0;
  for (let i = 0; i < BITS; i++) bits |= <u64>1 << ((hash >> <u64>(i * 6)) & 63);
  return bits;
}

// @ts-ignore: decorator
@inline
function wordOf(hash: u64, words: usize, count: u32): usize {
  return words + (<usize>(((hash >> 32) * <u64>count) >> 32) << 3);
}

/** Adds `keys` (u64 each) to the `count` words at `words`; `out[i]` = 1 where key i was new. Returns how many were. */
export function add(words: usize, count: u32, keys: usize, length: usize, out: usize): u32 {
  let fresh: u32 = 0;
  for (let i: usize = 0; i < length; i++) {
    const hash = mix(load<u64>(keys + (i << 3)));
    const bits = bitsOf(hash);
    const at = wordOf(hash, words, count);
    // Most keys are known already: a word that is only read stays in every core's cache.
    let isNew = (atomic.load<u64>(at) & bits) != bits;
    if (isNew) isNew = (atomic.or<u64>(at, bits) & bits) != bits;
    store<u8>(out + i, isNew ? 1 : 0);
    fresh += <u32>isNew;
  }
  return fresh;
}

/** `out[i]` = 0 where key i is certainly absent. */
export function has(words: usize, count: u32, keys: usize, length: usize, out: usize): void {
  for (let i: usize = 0; i < length; i++) {
    const hash = mix(load<u64>(keys + (i << 3)));
    const bits = bitsOf(hash);
    store<u8>(out + i, (atomic.load<u64>(wordOf(hash, words, count)) & bits) == bits ? 1 : 0);
  }
}
