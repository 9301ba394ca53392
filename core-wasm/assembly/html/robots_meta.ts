/**
 * `<meta name="robots">` and `<meta name="PRODUCT-TOKEN">`: noindex, nofollow, none, noarchive, nosnippet. What
 * several say adds up: the strictest stands.
 */

import { equalsIgnoringCase, is, lower, skipSpace, SPACE, trimEnd } from "./bytes";

export let noindex: bool = false;
export let nofollow: bool = false;
export let noarchive: bool = false;
export let nosnippet: bool = false;

let tokenPtr: usize = 0;
let tokenLen: usize = 0;

/** The product token that is listened to beside `robots`; none when its length is 0. */
export function setProductToken(ptr: usize, len: usize): void {
  tokenPtr = ptr;
  tokenLen = len;
}

export function resetRobots(): void {
  noindex = false;
  nofollow = false;
  noarchive = false;
  nosnippet = false;
}

/** Whether the name of a meta element addresses this crawler. */
export function namesRobots(ptr: usize, len: usize): bool {
  const start = skipSpace(ptr, ptr + len);
  const end = trimEnd(start, ptr + len);
  if (equalsIgnoringCase(start, end, "robots")) return true;
  if (tokenLen == 0 || end - start != tokenLen) return false;
  for (let i: usize = 0; i < tokenLen; i++) {
    if (lower(<u32>load<u8>(start + i)) != lower(<u32>load<u8>(tokenPtr + i))) return false;
  }
  return true;
}

/** Reads rules that commas, or white space alone, keep apart. */
export function applyRobots(ptr: usize, len: usize): void {
  const end = ptr + len;
  let p = ptr;
  while (p < end) {
    const start = p;
    while (p < end && !isSeparator(<u32>load<u8>(p))) p++;
    if (equalsIgnoringCase(start, p, "none")) {
      noindex = true;
      nofollow = true;
    } else if (equalsIgnoringCase(start, p, "noindex")) noindex = true;
    else if (equalsIgnoringCase(start, p, "nofollow")) nofollow = true;
    else if (equalsIgnoringCase(start, p, "noarchive")) noarchive = true;
    else if (equalsIgnoringCase(start, p, "nosnippet")) nosnippet = true;
    p++;
  }
}

function isSeparator(byte: u32): bool {
  return byte == 0x2c || is(byte, SPACE);
}
