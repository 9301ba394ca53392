/**
 * Encoders of every legacy charset (Encoding 9 to 14), but for ISO-2022-JP's states (iso_2022_jp_encoder.ts).
 * Invariant: one charset's table is held at a time; it is made when that charset is first asked for.
 */

import {
  BIG5,
  EUC_JP,
  EUC_KR,
  GB18030,
  GBK,
  INDEX_BIG5,
  INDEX_EUC_KR,
  INDEX_GB18030,
  INDEX_JIS0208,
  ISO_2022_JP,
  LAST_SINGLE,
  SHIFT_JIS,
  X_USER_DEFINED,
} from "./ids";
import { rangePointer } from "./gb18030";
import { entryCode, entryPointer, nextEntry, openIndex } from "./unpack";
import { CHARSET_0, reserve } from "../memory/buffers";

/** Two bytes a code point: the BMP, then plane 2 for Big5. */
const TABLE: i32 = CHARSET_0 + 6;
const PLANE: usize = 0x20000;

let table: usize = 0;
/** The charset that `table` is of; 0 = none. */
let held: u32 = 0;

/** Opens `charset`, which has an encoder of its own; false without memory. */
export function openEncoder(charset: u32): bool {
  if (charset == held || charset == X_USER_DEFINED) {
    held = charset;
    return true;
  }
  held = 0;
  const bytes = charset == BIG5 ? PLANE << 1 : PLANE;
  table = reserve(TABLE, bytes);
  if (table == 0) return false;
  memory.fill(table, 0, bytes);
  openIndex(indexOf(charset));
  while (nextEntry()) {
    if (!isEncoded(charset, entryPointer)) continue;
    const slot = slotOf(entryCode);
    if (load<u16>(slot) == 0 || (charset == BIG5 && isLastWanted(entryCode))) {
      store<u16>(slot, <u16>bytesOf(charset, entryPointer));
    }
  }
  addExceptions(charset);
  held = charset;
  return true;
}

/**
 * The bytes of a character from U+0080 on, one to four, the first highest; 0 when the charset lacks it. Of ISO-2022-JP
 * it is the pair without its escape sequence.
 */
export function encodeCode(code: u32): u32 {
  if (held == X_USER_DEFINED) return code >= 0xf780 && code <= 0xf7ff ? code - 0xf700 : 0;
  if (code < 0x10000 || (held == BIG5 && code >> 16 == 2)) {
    const bytes = <u32>load<u16>(slotOf(code));
    if (bytes != 0 || held != GB18030) return bytes;
  }
  return held == GB18030 && code != 0xe5e5 ? fourBytes(rangePointer(code)) : 0;
}

// @ts-ignore: decorator
@inline
function slotOf(code: u32): usize {
  return table + (<usize>(code < 0x10000 ? code : code - 0x10000) << 1);
}

function fourBytes(pointer: u32): u32 {
  const first = pointer / 12600 + 0x81;
  const second = (pointer / 1260) % 10 + 0x30;
  const third = (pointer / 10) % 126 + 0x81;
  return (first << 24) | (second << 16) | (third << 8) | (pointer % 10 + 0x30);
}

function indexOf(charset: u32): u32 {
  if (charset <= LAST_SINGLE) return charset - 1;
  if (charset == GBK || charset == GB18030) return INDEX_GB18030;
  if (charset == BIG5) return INDEX_BIG5;
  return charset == EUC_KR ? INDEX_EUC_KR : INDEX_JIS0208;
}

/** Hong Kong's supplement and what IBM has twice are decoded, never encoded (Encoding 6). */
function isEncoded(charset: u32, pointer: u32): bool {
  if (charset == BIG5) return pointer >= (0xa1 - 0x81) * 157;
  if (charset == SHIFT_JIS) return pointer < 8272 || pointer > 8835;
  return (charset != EUC_JP && charset != ISO_2022_JP) || pointer < 94 * 94;
}

/** What Big5 has twice: here the last pointer counts (Encoding 6). */
function isLastWanted(code: u32): bool {
  return code == 0x2550 || code == 0x255e || code == 0x2561 || code == 0x256a || code == 0x5341 || code == 0x5345;
}

function bytesOf(charset: u32, pointer: u32): u32 {
  if (charset <= LAST_SINGLE) return pointer + 0x80;
  if (charset == EUC_JP) return pair(pointer, 94, 0xa1, 0xa1);
  if (charset == ISO_2022_JP) return pair(pointer, 94, 0x21, 0x21);
  if (charset == EUC_KR) return pair(pointer, 190, 0x81, 0x41);
  if (charset == BIG5) return pair(pointer, 157, 0x81, pointer % 157 < 0x3f ? 0x40 : 0x62);
  if (charset == SHIFT_JIS) return pair(pointer, 188, pointer / 188 < 0x1f ? 0x81 : 0xc1, pointer % 188 < 0x3f ? 0x40 : 0x41);
  return pair(pointer, 190, 0x81, pointer % 190 < 0x3f ? 0x40 : 0x41);
}

function pair(pointer: u32, row: u32, lead: u32, trail: u32): u32 {
  return ((pointer / row + lead) << 8) | (pointer % row + trail);
}

/** Private use that GB18030-2005 had, where the index has what came after it (Encoding 10.2.2). */
const PRIVATE_USE: usize = memory.data<u16>([
  0xe78d, 0xa6d9, 0xe78e, 0xa6da, 0xe78f, 0xa6db, 0xe790, 0xa6dc, 0xe791, 0xa6dd, 0xe792, 0xa6de, 0xe793, 0xa6df,
  0xe794, 0xa6ec, 0xe795, 0xa6ed, 0xe796, 0xa6f3, 0xe81e, 0xfe59, 0xe826, 0xfe61, 0xe82b, 0xfe66, 0xe82c, 0xfe67,
  0xe832, 0xfe6d, 0xe843, 0xfe7e, 0xe854, 0xfe90, 0xe864, 0xfea0,
]);
const PRIVATE_USES: usize = 18;

function addExceptions(charset: u32): void {
  if (charset == GBK || charset == GB18030) {
    for (let i: usize = 0; i < PRIVATE_USES; i++) {
      const row = PRIVATE_USE + (i << 2);
      store<u16>(slotOf(load<u16>(row)), load<u16>(row, 2));
    }
    store<u16>(slotOf(0xe5e5), 0);
    if (charset == GBK) store<u16>(slotOf(0x20ac), 0x80);
  }
  if (charset != SHIFT_JIS && charset != EUC_JP && charset != ISO_2022_JP) return;
  // The minus sign is written by its wide twin.
  store<u16>(slotOf(0x2212), load<u16>(slotOf(0xff0d)));
  if (charset == ISO_2022_JP) return;
  store<u16>(slotOf(0xa5), 0x5c);
  store<u16>(slotOf(0x203e), 0x7e);
  for (let code: u32 = 0xff61; code <= 0xff9f; code++) {
    const byte = code - 0xff61 + 0xa1;
    store<u16>(slotOf(code), <u16>(charset == EUC_JP ? 0x8e00 | byte : byte));
  }
  if (charset == SHIFT_JIS) store<u16>(slotOf(0x80), 0x80);
}
