/**
 * Whether DNS could know a host (RFC 1035 2.3.4): labels of at most 63 bytes, names of at most 253 without the last dot.
 * Invariant: an IPv6 address in brackets passes; nothing else is said of a host here.
 */

import { findByte } from "../memory/bytes";

const LABEL_BYTES: usize = 63;
const NAME_BYTES: usize = 253;

/** No label is empty or too long, and the name isn't. */
export function isDnsName(p: usize, end: usize): bool {
  if (load<u8>(p) == 0x5b) return true;
  if (end > p && load<u8>(end - 1) == 0x2e) end--;
  if (end - p > NAME_BYTES) return false;
  for (let dot = p; p <= end; p = dot + 1) {
    dot = findByte(p, end, 0x2e);
    if (dot == p || dot - p > LABEL_BYTES) return false;
  }
  return true;
}
