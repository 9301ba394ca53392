/**
 * Encodes UTF-8 in a legacy charset; what it lacks becomes `&#NNNN;` (Encoding 4.1, error mode "html").
 * Invariant: linear; at most eight bytes for each that is read, and eight beyond.
 */

import { encodeCode, openEncoder } from "./encoder";
import { ISO_2022_JP } from "./ids";
import { beginIso2022Jp, endIso2022Jp, missing, writeIso2022Jp } from "./iso_2022_jp_encoder";

/** Length of the sequence that readCode read. */
export let codeBytes: usize = 1;

/** The code point at p of valid UTF-8; its length in codeBytes. A sequence without its end is read as if filled up. */
export function readCode(p: usize, end: usize): u32 {
  const lead = <u32>load<u8>(p);
  codeBytes = 1;
  if (lead < 0x80) return lead;
  const length: usize = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  let code = lead & (0xff >> <u32>(length + 1));
  for (let i: usize = 1; i < length; i++) {
    code = (code << 6) | (p + i < end ? <u32>load<u8>(p + i) & 63 : 0);
  }
  codeBytes = min<usize>(length, end - p);
  return code;
}

/** Encodes [from, from + len) to `out`, which has room for 8 * len + 8; returns the bytes written, 0 without memory. */
export function encode(charset: u32, from: usize, len: usize, out: usize): usize {
  if (!openEncoder(charset)) return 0;
  const end = from + len;
  let to = out;
  beginIso2022Jp();
  for (let p = from; p < end; p += codeBytes) {
    const code = readCode(p, end);
    if (charset == ISO_2022_JP) {
      to = writeIso2022Jp(code, to);
      if (missing != 0) to = writeReference(missing, to);
      continue;
    }
    const bytes = code < 0x80 ? code : encodeCode(code);
    to = bytes == 0 && code != 0 ? writeReference(code, to) : writeBytes(bytes, to);
  }
  return (charset == ISO_2022_JP ? endIso2022Jp(to) : to) - out;
}

/** The bytes of encodeCode, the first highest. */
function writeBytes(bytes: u32, to: usize): usize {
  let p = to;
  if (bytes > 0xffff) {
    store<u8>(p++, <u8>(bytes >> 24));
    store<u8>(p++, <u8>(bytes >> 16));
  }
  if (bytes > 0xff) store<u8>(p++, <u8>(bytes >> 8));
  store<u8>(p++, <u8>bytes);
  return p;
}

function writeReference(code: u32, to: usize): usize {
  store<u16>(to, 0x2326);
  const p = writeDecimal(code, to + 2);
  store<u8>(p, 0x3b);
  return p + 1;
}

/** Writes `value` in decimal; returns where it ends. */
export function writeDecimal(value: u32, to: usize): usize {
  let divisor: u32 = 1;
  while (value / divisor >= 10) divisor *= 10;
  let p = to;
  for (; divisor != 0; divisor /= 10) store<u8>(p++, <u8>(0x30 + (value / divisor) % 10));
  return p;
}
