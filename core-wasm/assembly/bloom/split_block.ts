/**
 * A split-block Bloom filter: 256-bit blocks of eight 32-bit words, one bit per word (Putze, Sanders, Singler 2007;
 * salts and layout as in the Parquet format's BloomFilter.md). One filter to a wasm instance.
 * Invariant: no false negatives; a key touches exactly one block.
 */

import { INPUT, OUTPUT, reserve } from "../memory/buffers";

const PAGE_BYTES: u64 = 65536;
const BLOCK_BYTES: u64 = 32;
/** Stays below 2 GiB, so that addresses are positive for the host. */
const MAX_BLOCKS: u64 = (<u64>0x7000_0000) / BLOCK_BYTES;

let blocks: usize = 0;
let blockCount: u64 = 0;
let freshCount: u64 = 0;

/** Makes the instance's filter of `count` blocks, empty. False when there already is one, or there is no room. */
export function openFilter(count: u32): bool {
  if (blockCount != 0 || count == 0 || <u64>count > MAX_BLOCKS) return false;
  const pages = (<u64>count * BLOCK_BYTES + PAGE_BYTES - 1) / PAGE_BYTES;
  // Fresh pages are zero, and heap.alloc can't give more than 1 GiB: take address space directly.
  const before = memory.grow(<i32>pages);
  if (before < 0) return false;
  blocks = <usize>before << 16;
  blockCount = count;
  return true;
}

export function filterPtr(): usize {
  return blocks;
}

export function filterBlocks(): u32 {
  return <u32>blockCount;
}

/** Keys that were new when they were added. */
export function filterFresh(): u64 {
  return freshCount;
}

/** After the host wrote the blocks of a filter that had `fresh` new keys. */
export function restoreFilter(fresh: u64): void {
  freshCount = fresh;
}

/** splitmix64's finaliser: keys need not be hashes themselves. */
// @ts-ignore: decorator
@inline
function mix(key: u64): u64 {
  let z = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/** Eight salts, one for each word of a block. */
const SALTS: usize = memory.data<u32>([
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
], 16);
/**
 * What makes bits of a product: its highest byte four times over, 1 << n for n below 8, 7, the two highest bits, and what
 * these are in each byte of a word. They are read from memory into locals, as engines make constants anew at each use.
 */
const HIGHEST: usize = memory.data<u8>([3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15], 16);
const POWERS: usize = memory.data<u8>([1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0], 16);
const SEVEN: usize = memory.data<u32>([0x07070707, 0x07070707, 0x07070707, 0x07070707], 16);
const TOP_TWO: usize = memory.data<u32>([0xc0c0c0c0, 0xc0c0c0c0, 0xc0c0c0c0, 0xc0c0c0c0], 16);
const IN_BYTE: usize = memory.data<u32>([0xc0804000, 0xc0804000, 0xc0804000, 0xc0804000], 16);

/**
 * One bit in each of four words, by the five highest bits of a product: two choose the byte, three the bit in it. By
 * look-ups, as wasm has no shift by lane and a way by floats costs more.
 */
// @ts-ignore: decorator
@inline
function bits(product: v128, highest: v128, powers: v128, seven: v128, topTwo: v128, inByte: v128): v128 {
  const top = i8x16.swizzle(product, highest);
  const bit = i8x16.swizzle(powers, v128.and(i16x8.shr_u(top, 3), seven));
  return v128.and(bit, i8x16.eq(v128.and(top, topTwo), inByte));
}

// @ts-ignore: decorator
@inline
function blockOf(hash: u64): usize {
  return blocks + (<usize>(((hash >> 32) * blockCount) >> 32) << 5);
}

/** Keys that are made ready together: their blocks come from memory while others are waited for. */
const GROUP: usize = 64;
/** Of each key of a group the bits in the two halves of its block, and apart from them the block's address. */
const masks: usize = memory.data(64 * 32, 16);
const addresses: usize = memory.data(64 * 4, 16);
/** What touching found: kept, so that no touch is optimised away. */
let touched: u32 = 0;

/** Makes `count` keys ready, GROUP at most, and touches their blocks. */
function prepare(keys: usize, count: usize): void {
  const saltsA = v128.load(SALTS);
  const saltsB = v128.load(SALTS, 16);
  const highest = v128.load(HIGHEST);
  const powers = v128.load(POWERS);
  const seven = v128.load(SEVEN);
  const topTwo = v128.load(TOP_TWO);
  const inByte = v128.load(IN_BYTE);
  let found: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    const hash = mix(load<u64>(keys + (i << 3)));
    const at = blockOf(hash);
    found |= load<u32>(at);
    store<u32>(addresses + (i << 2), <u32>at);
    const low = i32x4.splat(<i32>hash);
    const mask = masks + (i << 5);
    v128.store(mask, bits(i32x4.mul(low, saltsA), highest, powers, seven, topTwo, inByte));
    v128.store(mask, bits(i32x4.mul(low, saltsB), highest, powers, seven, topTwo, inByte), 16);
  }
  touched = found;
}

/** Adds `count` keys; `out[i]` = 1 where key i was certainly new. */
export function addKeys(keys: usize, count: usize, out: usize): void {
  if (blockCount == 0) return memory.fill(out, 0, count);
  let fresh: u64 = 0;
  for (let from: usize = 0; from < count; from += GROUP) {
    const group = min<usize>(count - from, GROUP);
    prepare(keys + (from << 3), group);
    for (let i: usize = 0; i < group; i++) {
      const at: usize = load<u32>(addresses + (i << 2));
      const a = v128.load(masks + (i << 5));
      const b = v128.load(masks + (i << 5), 16);
      const hadA = v128.load(at);
      const hadB = v128.load(at, 16);
      v128.store(at, v128.or(hadA, a));
      v128.store(at, v128.or(hadB, b), 16);
      const isNew = <u8>v128.any_true(v128.or(v128.andnot(a, hadA), v128.andnot(b, hadB)));
      fresh += isNew;
      store<u8>(out + from + i, isNew);
    }
  }
  freshCount += fresh;
}

/** `out[i]` = 0 where key i is certainly absent. */
export function hasKeys(keys: usize, count: usize, out: usize): void {
  if (blockCount == 0) return memory.fill(out, 0, count);
  for (let from: usize = 0; from < count; from += GROUP) {
    const group = min<usize>(count - from, GROUP);
    prepare(keys + (from << 3), group);
    for (let i: usize = 0; i < group; i++) {
      const at: usize = load<u32>(addresses + (i << 2));
      const a = v128.andnot(v128.load(masks + (i << 5)), v128.load(at));
      const b = v128.andnot(v128.load(masks + (i << 5), 16), v128.load(at, 16));
      store<u8>(out + from + i, v128.any_true(v128.or(a, b)) ? 0 : 1);
    }
  }
}

/** Adds the `count` keys in INPUT; the answers lie in OUTPUT, whose address is returned. 0 = no room. */
export function addFromInput(count: usize): usize {
  const out = reserve(OUTPUT, count);
  if (out != 0) addKeys(reserve(INPUT, count << 3), count, out);
  return out;
}

export function hasFromInput(count: usize): usize {
  const out = reserve(OUTPUT, count);
  if (out != 0) hasKeys(reserve(INPUT, count << 3), count, out);
  return out;
}
