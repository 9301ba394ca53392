/**
 * The raw door: words in, words out, no copies. The host writes to a buffer, calls, and reads where it is told.
 * Invariant: every address that is returned stays valid until the next call that reserves the same buffer.
 */

import { normalizeInput, textBytes, textPtr, urlRows } from "./url/batch";
import { unitEndsToBytes } from "./url/unit_ends";
import { surtsOfInput, surtTextPtr } from "./url/surt_batch";

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
