/** The rel attribute: its tokens in lower case, joined by one space, and what they mean to a crawler. */

import { keepRoom, REL, takeRoom, takeValue, valueLen, valuePtr } from "./attributes";
import { BLANK, is, lower, SPACE } from "./bytes";
import { keyOf, mixName } from "./name_table";

export const REL_NOFOLLOW: u32 = 1;
export const REL_EMBED: u32 = 2;
/** Names an origin, not a resource. */
export const REL_HINT: u32 = 4;
export const REL_CANONICAL: u32 = 8;

/** What the tokens of the last readRel say. */
export let relBits: u32 = 0;

/** Reads the tag's rel to relPtr and returns its length; 0 when there is none. */
export function readRel(): usize {
  relBits = 0;
  if (!takeValue(REL) || valueLen == 0) return 0;
  const out = takeRoom(valueLen);
  if (out == 0) return 0;
  const end = valuePtr + valueLen;
  let p = valuePtr;
  let to = out;
  while (true) {
    while (p < end && is(<u32>load<u8>(p), SPACE)) p++;
    if (p >= end) break;
    if (to != out) store<u8>(to++, <u8>BLANK);
    let key: u64 = 0;
    const start = p;
    while (p < end && !is(<u32>load<u8>(p), SPACE)) {
      const byte = lower(<u32>load<u8>(p));
      key = mixName(key, p - start, byte);
      store<u8>(to++, <u8>byte);
      p++;
    }
    relBits |= meaning(key);
  }
  relPtr = out;
  keepRoom(to);
  return to - out;
}

/** Where the text of the last readRel is. */
export let relPtr: usize = 0;

function meaning(key: u64): u32 {
  if (key == keyOf("nofollow")) return REL_NOFOLLOW;
  if (key == keyOf("canonical")) return REL_CANONICAL;
  if (key == keyOf("preconnect") || key == keyOf("dns-prefetch")) return REL_HINT;
  if (
    key == keyOf("stylesheet") || key == keyOf("icon") || key == keyOf("apple-touch-icon") ||
    key == keyOf("apple-touch-icon-precomposed") || key == keyOf("mask-icon") || key == keyOf("fluid-icon") ||
    key == keyOf("preload") || key == keyOf("modulepreload") || key == keyOf("prefetch") || key == keyOf("manifest") ||
    key == keyOf("apple-touch-startup-image")
  ) return REL_EMBED;
  return 0;
}
