/**
 * Decodes bytes of any charset of the Encoding Standard to UTF-8.
 * Invariant: total; linear; writes at most three bytes for each it reads, and three beyond.
 */

import { decodeDoubleByte } from "./double_byte";
import { decodeGb18030 } from "./gb18030";
import {
  BIG5,
  EUC_JP,
  EUC_KR,
  GB18030,
  GBK,
  ISO_2022_JP,
  LAST_SINGLE,
  REPLACEMENT,
  SHIFT_JIS,
  UTF_16BE,
  UTF_16LE,
  UTF_8,
} from "./ids";
import { decodeIso2022Jp } from "./iso_2022_jp";
import { decodeEucJp, decodeShiftJis } from "./japanese";
import { resetErrors, writeError } from "./output";
import { decodeSingleByte, decodeUserDefined } from "./single_byte";
import { decodeUtf16 } from "./utf16";
import { repair } from "../text/utf8";

/** Decodes [from, from + len) to `out`, which has room for 3 * len + 16; returns the bytes written. */
export function decode(charset: u32, from: usize, len: usize, out: usize): usize {
  resetErrors();
  const end = from + len;
  if (charset == UTF_8) return repair(from, len, out);
  if (charset <= LAST_SINGLE) return decodeSingleByte(charset - 1, from, end, out);
  if (charset == GBK || charset == GB18030) return decodeGb18030(from, end, out);
  if (charset == BIG5 || charset == EUC_KR) return decodeDoubleByte(charset, from, end, out);
  if (charset == EUC_JP) return decodeEucJp(from, end, out);
  if (charset == SHIFT_JIS) return decodeShiftJis(from, end, out);
  if (charset == ISO_2022_JP) return decodeIso2022Jp(from, end, out);
  if (charset == UTF_16LE || charset == UTF_16BE) return decodeUtf16(charset == UTF_16BE, from, end, out);
  // Encoding 14.1: such bytes must not be decoded; they are one error.
  if (charset == REPLACEMENT) return len == 0 ? 0 : writeError(out) - out;
  return decodeUserDefined(from, end, out);
}
