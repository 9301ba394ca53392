/**
 * The part of the raw door that filters need: buffers, hash, one split-block filter. filter.wasm is compiled from this file
 * alone: an instance of it costs its filter, an instance of the whole core some megabytes of tables beside it.
 * Invariant: as door_raw.ts.
 */

import { brokenGuards, reserve } from "./memory/buffers";
import { xxh64 } from "./hash/xxh64";
import { addFromInput, filterBlocks, filterFresh, filterPtr, hasFromInput, openFilter, restoreFilter } from "./bloom/split_block";

/** Room for `bytes` in a buffer (memory/buffers.ts); 0 = over the bound. */
export function raw_reserve(buffer: i32, bytes: usize): usize {
  return reserve(buffer, bytes);
}

/** Buffers that were written beside; always 0 but in a build with asserts. */
export function raw_guards(): i32 {
  return brokenGuards();
}

export function raw_xxh64(ptr: usize, len: usize): u64 {
  return xxh64(ptr, len);
}

export function raw_filterOpen(blocks: u32): i32 {
  return openFilter(blocks) ? 1 : 0;
}

export function raw_filterAdd(count: usize): usize {
  return addFromInput(count);
}

export function raw_filterHas(count: usize): usize {
  return hasFromInput(count);
}

export function raw_filterFresh(): u64 {
  return filterFresh();
}

export function raw_filterPtr(): usize {
  return filterPtr();
}

export function raw_filterBlocks(): u32 {
  return filterBlocks();
}

export function raw_filterRestore(fresh: u64): void {
  restoreFilter(fresh);
}
