/**
 * The raw door's charsets: bytes to UTF-8 and back, and which charset bytes are in. Charsets go by number (charset/ids.ts).
 * The host writes bytes to HTML_LEGACY, or UTF-8 to HTML_PAGE.
 */

import { decode } from "./charset/decode";
import { encode } from "./charset/encode";
import { errors } from "./charset/output";
import { detect, isMostlyUtf8 } from "./detect/detect";
import { sevenBitCharset } from "./detect/seven_bit";
import { HTML_LEGACY, HTML_PAGE } from "./html/buffers";
import { reserve, reserveKept } from "./memory/buffers";
import { isCutOff, validPrefix } from "./text/utf8";

/**
 * Length of HTML_PAGE as UTF-8, -1 when it isn't. `cut`: the page goes on beyond these bytes, so that a last sequence
 * without its end is no fault; it is left out.
 */
export function raw_utf8(pageLen: usize, cut: bool): i32 {
  const page = reserveKept(HTML_PAGE, pageLen);
  const valid = validPrefix(page, pageLen);
  return valid == pageLen || (cut && isCutOff(page + valid, pageLen - valid)) ? <i32>valid : -1;
}

/** The charset of HTML_PAGE, which is valid UTF-8, when it is another one in truth (detect/seven_bit.ts); else 0. */
export function raw_sevenBit(pageLen: usize): u32 {
  return sevenBitCharset(reserveKept(HTML_PAGE, pageLen), pageLen);
}

/** Whether more of what is beyond ASCII in HTML_LEGACY (len bytes) is UTF-8 than not. */
export function raw_mostlyUtf8(len: usize): bool {
  return isMostlyUtf8(reserveKept(HTML_LEGACY, len), len);
}

/** Decodes HTML_LEGACY (len bytes) into HTML_PAGE; returns the bytes there, 0 without memory. */
export function raw_decode(len: usize, charset: u32): usize {
  const from = reserveKept(HTML_LEGACY, len);
  const page = reserve(HTML_PAGE, len * 3 + 16);
  return from == 0 || page == 0 ? 0 : decode(charset, from, len, page);
}

/** Errors of the last raw_decode: each became a U+FFFD. Not counted for single-byte charsets. */
export function raw_decodeErrors(): u32 {
  return errors;
}

/** Encodes HTML_PAGE (len bytes) into HTML_LEGACY; returns the bytes there, 0 without memory. */
export function raw_encode(len: usize, charset: u32): usize {
  const page = reserveKept(HTML_PAGE, len);
  const to = reserve(HTML_LEGACY, len * 8 + 16);
  return page == 0 || to == 0 ? 0 : encode(charset, page, len, to);
}

/** The charset that HTML_LEGACY (len bytes) is most likely in. The highest bit is set when it is a mere guess. */
export function raw_detect(len: usize): u32 {
  const from = reserveKept(HTML_LEGACY, len);
  return from == 0 ? 0 : detect(from, len);
}

/** Characters of HTML_PAGE beyond ASCII. */
export function raw_beyondAscii(pageLen: usize): u32 {
  const page = reserveKept(HTML_PAGE, pageLen);
  let count: u32 = 0;
  for (let p = page; p < page + pageLen; p++) if (load<u8>(p) >= 0xc0) count++;
  return count;
}
