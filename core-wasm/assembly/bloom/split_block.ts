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

/**
 * One bit in each of four words, by the five highest bits of a product: two choose the byte, three the bit in it. By
 * look-ups, as wasm has no shift by lane and a way by floats costs more.
 */
// @ts-ignore: decorator
@inline
function bits(low: v128, salts: v128): v128 {
  const product = i32x4.mul(low, salts);
  const top = i8x16.shuffle(product, product, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
  const bit = i8x16.swizzle(
    i8x16(1, 2, 4, 8, 16, 32, 64, <i8>128, 0, 0, 0, 0, 0, 0, 0, 0),
    v128.and(i16x8.shr_u(top, 3), i8x16.splat(7)),
  );
  const inByte = i8x16.eq(
    v128.and(top, i8x16.splat(<i8>0xc0)),
    i32x4.splat(<i32>0xc0804000),
  );
  return v128.and(bit, inByte);
}

// @ts-ignore: decorator
@inline
function saltsLow(): v128 {
  return i32x4(0x47b6137b, 0x44974d91, <i32>0x8824ad5b, <i32>0xa2b7289d);
}

// @ts-ignore: decorator
@inline
function saltsHigh(): v128 {
  return i32x4(0x705495c7, 0x2df1424b, <i32>0x9efc4947, 0x5c6bfb31);
}

// @ts-ignore: decorator
@inline
function blockOf(hash: u64): usize {
  return blocks + (<usize>(((hash >> 32) * blockCount) >> 32) << 5);
}

/** Adds `count` keys; `out[i]` = 1 where key i was certainly new. */
export function addKeys(keys: usize, count: usize, out: usize): void {
  if (blockCount == 0) return memory.fill(out, 0, count);
  for (let i: usize = 0; i < count; i++) {
    const hash = mix(load<u64>(keys + (i << 3)));
    const at = blockOf(hash);
    const low = i32x4.splat(<i32>hash);
    const a = bits(low, saltsLow());
    const b = bits(low, saltsHigh());
    const hadA = v128.load(at);
    const hadB = v128.load(at, 16);
    v128.store(at, v128.or(hadA, a));
    v128.store(at, v128.or(hadB, b), 16);
    const fresh = <u8>v128.any_true(v128.or(v128.andnot(a, hadA), v128.andnot(b, hadB)));
    freshCount += fresh;
    store<u8>(out + i, fresh);
  }
}

/** `out[i]` = 0 where key i is certainly absent. */
export function hasKeys(keys: usize, count: usize, out: usize): void {
  if (blockCount == 0) return memory.fill(out, 0, count);
  for (let i: usize = 0; i < count; i++) {
    const hash = mix(load<u64>(keys + (i << 3)));
    const at = blockOf(hash);
    const low = i32x4.splat(<i32>hash);
    const a = v128.andnot(bits(low, saltsLow()), v128.load(at));
    const b = v128.andnot(bits(low, saltsHigh()), v128.load(at, 16));
    store<u8>(out + i, v128.any_true(v128.or(a, b)) ? 0 : 1);
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
