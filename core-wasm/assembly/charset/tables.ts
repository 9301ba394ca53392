/**
 * Decoding tables: a word per pointer, made of its index when a charset is first met and kept.
 * A word is the character's UTF-8: three bytes from the lowest, and their number (2, 3) in the highest. 4 stands for
 * plane 2: F0 first, then the word's three. 0: the pointer has none.
 */

import { INDEX_BIG5, INDEX_EUC_KR, INDEX_GB18030, INDEX_JIS0208, INDEX_JIS0212 } from "./ids";
import { entryCode, entryPointer, nextEntry, openIndex } from "./unpack";
import { CHARSET_0, reserve } from "../memory/buffers";

export const GB18030_POINTERS: u32 = 23940;
export const BIG5_POINTERS: u32 = 19782;
export const EUC_KR_POINTERS: u32 = 23940;
export const JIS0208_POINTERS: u32 = 11280;
export const JIS0212_POINTERS: u32 = 8836;

/** Addresses of the tables by index, 0 = not made yet. */
const made: usize = memory.data(8 * 4, 4);

/** CHARSET_0 + 0 to 4 hold the tables; these come after them. */
const SINGLE: i32 = CHARSET_0 + 5;
/** Index of the single-byte table that SINGLE holds, + 1. */
let single: u32 = 0;

export const ERROR_WORD: u32 = 0x03bdbfef;

function pointersOf(index: u32): u32 {
  if (index == INDEX_BIG5) return BIG5_POINTERS;
  if (index == INDEX_JIS0208) return JIS0208_POINTERS;
  return index == INDEX_JIS0212 ? JIS0212_POINTERS : GB18030_POINTERS;
}

/** The table of a multi-byte index; 0 without memory. */
export function tableOf(index: u32): usize {
  const slot = made + (<usize>(index - INDEX_GB18030) << 2);
  const known: usize = load<u32>(slot);
  if (known != 0) return known;
  const bytes = <usize>pointersOf(index) << 2;
  const table = reserve(CHARSET_0 + <i32>(index - INDEX_GB18030), bytes);
  if (table == 0) return 0;
  memory.fill(table, 0, bytes);
  openIndex(index);
  while (nextEntry()) store<u32>(table + (<usize>entryPointer << 2), wordOf(entryCode));
  store<u32>(slot, <u32>table);
  return table;
}

/** Of a single-byte index: a word per byte, bytes without a character have ERROR_WORD. 0 without memory. */
export function singleTable(index: u32): usize {
  const table = reserve(SINGLE, 256 << 2);
  if (table == 0 || single == index + 1) return table;
  for (let byte: u32 = 0; byte < 0x80; byte++) store<u32>(table + (<usize>byte << 2), 0x01000000 | byte);
  for (let byte: u32 = 0x80; byte < 0x100; byte++) store<u32>(table + (<usize>byte << 2), ERROR_WORD);
  openIndex(index);
  while (nextEntry()) store<u32>(table + (<usize>(entryPointer + 0x80) << 2), wordOf(entryCode));
  single = index + 1;
  return table;
}

/** The word of a character from U+0080 on, of the BMP or of plane 2. */
function wordOf(code: u32): u32 {
  const last = 0x80 | (code & 63);
  const third = 0x80 | ((code >> 6) & 63);
  if (code < 0x800) return 0x02000000 | (last << 8) | 0xc0 | (code >> 6);
  const second = 0x80 | ((code >> 12) & 63);
  if (code < 0x10000) return 0x03000000 | (last << 16) | (third << 8) | 0xe0 | (code >> 12);
  return 0x04000000 | (last << 16) | (third << 8) | second;
}
