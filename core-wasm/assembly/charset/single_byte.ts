/** Charsets of one byte a character (Encoding 9), and x-user-defined (Encoding 14.5). */

import { singleTable } from "./tables";
import { copyAscii } from "./output";
import { writeCodePoint } from "../html/bytes";

/** Decodes [from, end) to `out`; returns the bytes written. `index` is the charset's number - 1. */
export function decodeSingleByte(index: u32, from: usize, end: usize, out: usize): usize {
  const table = singleTable(index);
  if (table == 0) return 0;
  let p = from;
  let to = out;
  while (p < end) {
    const plain = copyAscii(p, end, to);
    p += plain;
    to += plain;
    // A block with a character beyond ASCII: byte by byte, then blocks are tried again.
    const stop = min<usize>(p + 16, end);
    while (p < stop) {
      const word = load<u32>(table + (<usize>load<u8>(p++) << 2));
      store<u32>(to, word);
      to += <usize>(word >> 24);
    }
  }
  return to - out;
}

export function decodeUserDefined(from: usize, end: usize, out: usize): usize {
  let to = out;
  for (let p = from; p < end; p++) {
    const byte = <u32>load<u8>(p);
    to += writeCodePoint(byte < 0x80 ? byte : 0xf700 + byte, to);
  }
  return to - out;
}
