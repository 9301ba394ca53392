/**
 * The canonical ABI's side of the typed door: how the host hands lists over and takes results back.
 * Invariant: an argument list belongs to the callee and is released by it; a result lives until the next call.
 */

import { SLACK } from "./memory/buffers";

/**
 * The host asks for room for its arguments, and gets what may be read behind a buffer on top. A list without bytes has no
 * address: its alignment stands for it.
 */
export function cabi_realloc(old: usize, oldBytes: usize, align: usize, bytes: usize): usize {
  if (bytes == 0) return align;
  if (oldBytes == 0) return heap.alloc(bytes + SLACK);
  return heap.realloc(old, bytes + SLACK);
}

/** Where results of more than one word lie: calls aren't re-entrant, so one area is enough. */
export const RETURN_AREA: usize = memory.data(128, 16);

/** Releases an argument list of `bytes` bytes. */
export function release(ptr: usize, bytes: usize): void {
  if (bytes != 0) heap.free(ptr);
}

/** Writes `list<T>` (address, length in elements) to the return area at `offset`. */
export function returnList(offset: usize, ptr: usize, length: usize): void {
  store<u32>(RETURN_AREA + offset, <u32>ptr);
  store<u32>(RETURN_AREA + offset + 4, <u32>length);
}
