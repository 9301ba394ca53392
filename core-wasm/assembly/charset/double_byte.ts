/** Decoders of Big5 (Encoding 11.1.1) and EUC-KR (13.1.1): a lead and a trail byte. */

import { BIG5, INDEX_BIG5, INDEX_EUC_KR } from "./ids";
import { copyAscii, writeError, writeWord } from "./output";
import { tableOf } from "./tables";

const NONE: u32 = 0xffffffff;

/** Big5's pointer of a pair whose lead is 0x81 to 0xFE. */
// @ts-ignore: decorator
@inline
function big5Pointer(lead: u32, trail: u32): u32 {
  if (trail - 0x40 < 0x3f) return (lead - 0x81) * 157 + trail - 0x40;
  return trail - 0xa1 < 94 ? (lead - 0x81) * 157 + trail - 0x62 : NONE;
}

// @ts-ignore: decorator
@inline
function eucKrPointer(lead: u32, trail: u32): u32 {
  return trail - 0x41 < 190 ? (lead - 0x81) * 190 + trail - 0x41 : NONE;
}

/** Decodes [from, end) to `out`; returns the bytes written. */
export function decodeDoubleByte(charset: u32, from: usize, end: usize, out: usize): usize {
  const isBig5 = charset == BIG5;
  const table = tableOf(isBig5 ? INDEX_BIG5 : INDEX_EUC_KR);
  if (table == 0) return 0;
  let p = from;
  let to = out;
  while (p < end) {
    const lead = <u32>load<u8>(p);
    if (lead < 0x80) {
      const plain = copyAscii(p, end, to);
      if (plain == 0) store<u8>(to, <u8>lead);
      p += max<usize>(plain, 1);
      to += max<usize>(plain, 1);
      continue;
    }
    if (lead == 0x80 || lead == 0xff || p + 1 >= end) {
      to = writeError(to);
      p++;
      continue;
    }
    const trail = <u32>load<u8>(p, 1);
    const pointer = isBig5 ? big5Pointer(lead, trail) : eucKrPointer(lead, trail);
    const word = pointer == NONE ? 0 : load<u32>(table + (<usize>pointer << 2));
    p += 2;
    if (word != 0) to = writeWord(word, to);
    else if (isBig5 && isTwoCodePoints(pointer)) to = writeTwoCodePoints(pointer, to);
    else {
      to = writeError(to);
      if (trail < 0x80) p--;
    }
  }
  return to - out;
}

/** Four pairs stand for a letter and a combining mark. */
function isTwoCodePoints(pointer: u32): bool {
  return pointer == 1133 || pointer == 1135 || pointer == 1164 || pointer == 1166;
}

/** U+00CA or U+00EA, then U+0304 or U+030C. */
function writeTwoCodePoints(pointer: u32, to: usize): usize {
  const letter: u32 = pointer < 1164 ? 0x8ac3 : 0xaac3;
  const mark: u32 = pointer == 1133 || pointer == 1164 ? 0x84cc : 0x8ccc;
  store<u32>(to, letter | (mark << 16));
  return to + 4;
}
