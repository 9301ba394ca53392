/** ISO-2022-JP's decoder (Encoding 12.2.1): escape sequences say what the bytes after them are. */

import { INDEX_JIS0208 } from "./ids";
import { writeError, writeWord } from "./output";
import { tableOf } from "./tables";
import { writeCodePoint } from "../html/bytes";

const ASCII: u32 = 0;
const ROMAN: u32 = 1;
const KATAKANA: u32 = 2;
const PAIRS: u32 = 3;
const NO_STATE: u32 = 4;
const ESCAPE: u32 = 0x1b;

/** Decodes [from, end) to `out`; returns the bytes written. */
export function decodeIso2022Jp(from: usize, end: usize, out: usize): usize {
  const table = tableOf(INDEX_JIS0208);
  if (table == 0) return 0;
  let p = from;
  let to = out;
  let state = ASCII;
  // Whether nothing was written since the last escape sequence: two of them in a row are an error.
  let justSwitched = false;
  while (p < end) {
    const byte = <u32>load<u8>(p++);
    if (byte == ESCAPE) {
      const named = p + 1 < end ? stateNamed(<u32>load<u8>(p), <u32>load<u8>(p, 1)) : NO_STATE;
      if (named == NO_STATE) {
        to = writeError(to);
        justSwitched = false;
        continue;
      }
      state = named;
      p += 2;
      if (justSwitched) to = writeError(to);
      justSwitched = true;
      continue;
    }
    justSwitched = false;
    if (state == PAIRS && byte - 0x21 < 94) {
      if (p < end && <u32>load<u8>(p) == ESCAPE) {
        to = writeError(to);
        continue;
      }
      const trail: u32 = p < end ? <u32>load<u8>(p++) : 0;
      const word = trail - 0x21 < 94 ? load<u32>(table + (<usize>((byte - 0x21) * 94 + trail - 0x21) << 2)) : 0;
      to = word != 0 ? writeWord(word, to) : writeError(to);
    } else to = writeSingle(state, byte, to);
  }
  return to - out;
}

function writeSingle(state: u32, byte: u32, to: usize): usize {
  if (state == KATAKANA) return byte - 0x21 < 63 ? to + writeCodePoint(0xff61 - 0x21 + byte, to) : writeError(to);
  if (state == PAIRS || byte >= 0x80 || byte == 0x0e || byte == 0x0f) return writeError(to);
  if (state == ROMAN && byte == 0x5c) return to + writeCodePoint(0xa5, to);
  if (state == ROMAN && byte == 0x7e) return to + writeCodePoint(0x203e, to);
  store<u8>(to, <u8>byte);
  return to + 1;
}

/** The state that `ESC first second` switches to. */
function stateNamed(first: u32, second: u32): u32 {
  if (first == 0x24) return second == 0x40 || second == 0x42 ? PAIRS : NO_STATE;
  if (first != 0x28) return NO_STATE;
  if (second == 0x42) return ASCII;
  if (second == 0x4a) return ROMAN;
  return second == 0x49 ? KATAKANA : NO_STATE;
}
