/** Decoders of EUC-JP (Encoding 12.1.1) and Shift_JIS (12.3.1). */

import { INDEX_JIS0208, INDEX_JIS0212 } from "./ids";
import { copyAscii, writeError, writeWord } from "./output";
import { JIS0208_POINTERS, tableOf } from "./tables";
import { writeCodePoint } from "../html/bytes";

/** Half-width katakana begin here. */
const KATAKANA: u32 = 0xff61;
/** Pointers of Shift_JIS that are private use: EUDC. */
const PRIVATE_FIRST: u32 = 8836;
const PRIVATE_LAST: u32 = 10715;

/** Decodes [from, end) to `out`; returns the bytes written. */
export function decodeEucJp(from: usize, end: usize, out: usize): usize {
  const table = tableOf(INDEX_JIS0208);
  const supplement = tableOf(INDEX_JIS0212);
  if (table == 0 || supplement == 0) return 0;
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
    // Nearly all of a page: a pair of JIS X 0208.
    if (lead - 0xa1 < 94 && p + 1 < end && <u32>load<u8>(p, 1) - 0xa1 < 94) {
      const common = load<u32>(table + (<usize>((lead - 0xa1) * 94 + <u32>load<u8>(p, 1) - 0xa1) << 2));
      p += 2;
      if (common != 0) to = writeWord(common, to);
      else to = writeError(to);
      continue;
    }
    p++;
    if ((lead != 0x8e && lead != 0x8f && lead - 0xa1 > 93) || p >= end) {
      to = writeError(to);
      continue;
    }
    const trail = <u32>load<u8>(p);
    if (lead == 0x8e && trail - 0xa1 < 63) {
      to += writeCodePoint(KATAKANA + trail - 0xa1, to);
      p++;
      continue;
    }
    if (lead == 0x8f && trail - 0xa1 < 94) {
      to = supplementAt(supplement, trail, ++p, end, to);
      if (p < end && load<u8>(p) >= 0x80) p++;
      continue;
    }
    to = writeError(to);
    if (trail >= 0x80) p++;
  }
  return to - out;
}

/** A character of JIS X 0212, whose second byte is `lead` and whose third is at p. */
function supplementAt(table: usize, lead: u32, p: usize, end: usize, to: usize): usize {
  const trail: u32 = p < end ? <u32>load<u8>(p) - 0xa1 : 94;
  const word = trail < 94 ? load<u32>(table + (<usize>((lead - 0xa1) * 94 + trail) << 2)) : 0;
  return word != 0 ? writeWord(word, to) : writeError(to);
}

/** Decodes [from, end) to `out`; returns the bytes written. */
export function decodeShiftJis(from: usize, end: usize, out: usize): usize {
  const table = tableOf(INDEX_JIS0208);
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
    p++;
    if (lead == 0x80 || lead - 0xa1 < 63) {
      to += writeCodePoint(lead == 0x80 ? 0x80 : KATAKANA + lead - 0xa1, to);
      continue;
    }
    if (lead == 0xa0 || lead > 0xfc || p >= end) {
      to = writeError(to);
      continue;
    }
    const trail = <u32>load<u8>(p++);
    const pointer = shiftJisPointer(lead, trail);
    const word = pointer < JIS0208_POINTERS ? load<u32>(table + (<usize>pointer << 2)) : 0;
    if (word != 0) {
      to = writeWord(word, to);
    } else if (pointer >= PRIVATE_FIRST && pointer <= PRIVATE_LAST) {
      to += writeCodePoint(0xe000 + pointer - PRIVATE_FIRST, to);
    } else {
      to = writeError(to);
      if (trail < 0x80) p--;
    }
  }
  return to - out;
}

/** Past all pointers when the bytes are no pair. */
// @ts-ignore: decorator
@inline
function shiftJisPointer(lead: u32, trail: u32): u32 {
  if (trail < 0x40 || trail == 0x7f || trail > 0xfc) return 0xffffffff;
  return (lead - (lead < 0xa0 ? 0x81 : 0xc1)) * 188 + trail - (trail < 0x7f ? 0x40 : 0x41);
}
