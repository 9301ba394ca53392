/**
 * The raw door: words in, words out, no copies. The host writes to a buffer, calls, and reads where it is told.
 * Invariant: every address that is returned stays valid until the next call that reserves the same buffer.
 */

import { brokenGuards, reserve } from "./memory/buffers";
import { xxh64 } from "./hash/xxh64";
import { normalizeInput, textBytes, textPtr, urlRows } from "./url/batch";
import { unitEndsToBytes } from "./url/unit_ends";
import { surtsOfInput, surtTextPtr } from "./url/surt_batch";
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

/** Ends in INPUT_ENDS that a host counted in UTF-16 units become ends in bytes. */
export function raw_unitEnds(count: usize, bytes: usize): void {
  unitEndsToBytes(count, bytes);
}

/** url/batch.ts says what lies where. */
export function raw_urls(count: usize, maxBytes: usize, rules: u32): usize {
  return normalizeInput(count, maxBytes, rules);
}

export function raw_urlRows(): usize {
  return urlRows();
}

/** url/surt_batch.ts says what lies where. */
export function raw_surts(count: usize, maxBytes: usize, rules: u32): usize {
  return surtsOfInput(count, maxBytes, rules);
}

export function raw_surtText(): usize {
  return surtTextPtr();
}

export function raw_text(): usize {
  return textPtr();
}

export function raw_textBytes(): usize {
  return textBytes();
}
