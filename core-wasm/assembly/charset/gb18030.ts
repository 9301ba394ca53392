/** gb18030's decoder, which is gbk's too (Encoding 10.2.1). */

import { INDEX_GB18030 } from "./ids";
import { RANGE_CODES, RANGE_POINTERS, RANGES } from "./indexes_data";
import { copyAscii, writeError, writeWord } from "./output";
import { tableOf } from "./tables";
import { writeCodePoint } from "../html/bytes";

/** Pointers of four bytes: the BMP's end, the first and the last of the other planes. */
const BMP_LAST: u32 = 39419;
const PLANES_FIRST: u32 = 189000;
const PLANES_LAST: u32 = 1237575;

/** Where the sequence that fourBytes read ends. */
let sequenceEnd: usize = 0;

/** Decodes [from, end) to `out`; returns the bytes written. */
export function decodeGb18030(from: usize, end: usize, out: usize): usize {
  const table = tableOf(INDEX_GB18030);
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
    if (lead == 0x80) {
      to += writeCodePoint(0x20ac, to);
      p++;
      continue;
    }
    if (lead == 0xff || p + 1 >= end) {
      to = writeError(to);
      p++;
      continue;
    }
    const trail = <u32>load<u8>(p, 1);
    if (trail - 0x30 < 10) {
      to = fourBytes(p, end, to);
      p = sequenceEnd;
      continue;
    }
    const word = trail < 0x40 || trail == 0x7f || trail == 0xff
      ? 0
      : load<u32>(table + (<usize>((lead - 0x81) * 190 + trail - (trail < 0x7f ? 0x40 : 0x41)) << 2));
    // A branch, not a choice between values: the next step needn't wait for the table.
    p += 2;
    if (word != 0) {
      to = writeWord(word, to);
      continue;
    }
    to = writeError(to);
    if (trail < 0x80) p--;
  }
  return to - out;
}

/** At p are a lead byte and a digit. What turns out not to be a sequence of four is read again after the first. */
function fourBytes(p: usize, end: usize, to: usize): usize {
  sequenceEnd = p + 1;
  if (p + 2 >= end) {
    sequenceEnd = end;
    return writeError(to);
  }
  const third = <u32>load<u8>(p, 2) - 0x81;
  if (third > 0xfe - 0x81) return writeError(to);
  if (p + 3 >= end) {
    sequenceEnd = end;
    return writeError(to);
  }
  const fourth = <u32>load<u8>(p, 3) - 0x30;
  if (fourth > 9) return writeError(to);
  sequenceEnd = p + 4;
  const pointer = (((<u32>load<u8>(p) - 0x81) * 10 + <u32>load<u8>(p, 1) - 0x30) * 126 + third) * 10 + fourth;
  if (pointer > PLANES_LAST || (pointer > BMP_LAST && pointer < PLANES_FIRST)) return writeError(to);
  return to + writeCodePoint(rangeCode(pointer), to);
}

/** "Index gb18030 ranges code point" (Encoding 6) of a pointer that has one. */
function rangeCode(pointer: u32): u32 {
  if (pointer == 7457) return 0xe7c7;
  const range = lastNotAbove(RANGE_POINTERS, pointer);
  return load<u32>(RANGE_CODES + range) + pointer - load<u32>(RANGE_POINTERS + range);
}

/** "Index gb18030 ranges pointer" (Encoding 6) of a code point from U+0080 on. */
export function rangePointer(code: u32): u32 {
  if (code == 0xe7c7) return 7457;
  const range = lastNotAbove(RANGE_CODES, code);
  return load<u32>(RANGE_POINTERS + range) + code - load<u32>(RANGE_CODES + range);
}

/** Offset of the last value that isn't above `wanted`; the first is below all that are asked for. */
function lastNotAbove(values: usize, wanted: u32): usize {
  let low: u32 = 0;
  let high: u32 = RANGES;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (load<u32>(values + (<usize>middle << 2)) <= wanted) low = middle;
    else high = middle;
  }
  return <usize>low << 2;
}
