/**
 * How often each feature of a text was met: a table of 64-bit hashes with small counts, open addressing.
 * Invariant: a function of the features in their order; a step is bounded, whatever the hashes are. Features that find
 * no place within MOST_PROBES are not counted: only texts that are made for it have such, or of millions of words.
 */

import { reserve, TEXT_FEATURES } from "../memory/buffers";

/** Low bits of an entry: the count, up to 63, and whether the feature is a word. */
const COUNT_BITS: u64 = 63;
const WORD_BIT: u64 = 64;
const TAG: u64 = ~127;
const MOST_PROBES: usize = 16;
const SMALLEST_SHIFT: u32 = 8;
/** A million entries: 8 MB, and 4 MB for the list of the repeated. */
const LARGEST_SHIFT: u32 = 20;

let entries: usize = 0;
let mask: usize = 0;
let shift: u64 = 0;
/** Addresses of entries that were met more than once. */
let repeated: usize = 0;
export let repeatedCount: usize = 0;

/** Empties the table for a text of `bytes`; false without memory. */
export function openCounts(bytes: usize): bool {
  let bits = SMALLEST_SHIFT;
  while (bits < LARGEST_SHIFT && (<usize>1 << bits) < bytes >> 2) bits++;
  const size: usize = 1 << bits;
  entries = reserve(TEXT_FEATURES, size * 12 + 4);
  if (entries == 0) return false;
  memory.fill(entries, 0, size << 3);
  repeated = entries + (size << 3);
  repeatedCount = 0;
  mask = size - 1;
  shift = 64 - <u64>bits;
  return true;
}

// @ts-ignore: decorator
@inline
export function countPair(feature: u64): void {
  count(feature >> shift, feature & TAG);
}

// @ts-ignore: decorator
@inline
export function countWord(feature: u64): void {
  count(feature >> shift, (feature & TAG) | WORD_BIT);
}

/** Without a branch by what is found, new or known: it can't be predicted. */
// @ts-ignore: decorator
@inline
function count(home: u64, tag: u64): void {
  let slot = <usize>home;
  for (let probe: usize = 0; probe < MOST_PROBES; probe++) {
    const at = entries + (slot << 3);
    const entry = load<u64>(at);
    if ((<i32>(entry == 0) | <i32>((entry & ~COUNT_BITS) == tag)) != 0) {
      const times = entry & COUNT_BITS;
      store<u64>(at, tag | (times + <u64>(times != COUNT_BITS)));
      store<u32>(repeated + (repeatedCount << 2), <u32>at);
      repeatedCount += <usize>(times == 1);
      return;
    }
    slot = (slot + 1) & mask;
  }
}

/** The `index`-th feature that was met more than once. */
// @ts-ignore: decorator
@inline
export function repeatedFeature(index: usize): u64 {
  return load<u64>(<usize>load<u32>(repeated + (index << 2)));
}

/** Its hash without the count. */
// @ts-ignore: decorator
@inline
export function hashOfFeature(entry: u64): u64 {
  return entry & ~COUNT_BITS;
}

/** How often it counts: a pair from its second time on, a word from its third. */
// @ts-ignore: decorator
@inline
export function timesOfFeature(entry: u64): u64 {
  return (entry & COUNT_BITS) - ((entry & WORD_BIT) != 0 ? 2 : 1);
}
