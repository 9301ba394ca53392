/**
 * Queries of links on a page in a legacy charset: their characters beyond ASCII are encoded in that charset (URL Standard
 * 4.4, "percent-encode after encoding"). The rest of a URL is always UTF-8.
 * Invariant: written to its own buffer, at most 14 bytes for each of the source.
 */

import { reserve } from "../memory/buffers";
import { HTML_ENCODED } from "./buffers";

/** u16 per code point of the BMP: the one or two bytes it is encoded by (two: the first in the high half); 0 = none. */
let table: usize = 0;

/** What the last encodeQuery wrote. */
export let encodedPtr: usize = 0;
export let encodedLen: usize = 0;

/** The charset of the next pages' queries; 0 = UTF-8. */
export function setQueryTable(ptr: usize): void {
  table = ptr;
}

/** Whether a link of this page has a query that UTF-8 would get wrong. */
export function needsEncoding(ptr: usize, len: usize): bool {
  if (table == 0) return false;
  const end = ptr + len;
  for (let p = queryOf(ptr, end); p < end && load<u8>(p) != 0x23; p++) if (load<i8>(p) < 0) return true;
  return false;
}

/** The byte after the `?` that begins the query, or `end`. */
function queryOf(ptr: usize, end: usize): usize {
  for (let p = ptr; p < end; p++) {
    const byte = load<u8>(p);
    if (byte == 0x3f) return p + 1;
    if (byte == 0x23) return end;
  }
  return end;
}

/** Copies the link with its query encoded; false without memory. Only after needsEncoding said yes. */
export function encodeQuery(ptr: usize, len: usize): bool {
  const out = reserve(HTML_ENCODED, len * 14 + 16);
  if (out == 0) return false;
  const end = ptr + len;
  let p = queryOf(ptr, end);
  memory.copy(out, ptr, p - ptr);
  let to = out + (p - ptr);
  while (p < end && load<u8>(p) != 0x23) {
    const lead = <u32>load<u8>(p);
    if (lead < 0x80) {
      store<u8>(to++, <u8>lead);
      p++;
      continue;
    }
    const length: usize = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    let code = lead & (0xff >> <u32>(length + 1));
    for (let i: usize = 1; i < length && p + i < end; i++) code = (code << 6) | (<u32>load<u8>(p + i) & 63);
    p += length;
    to = writeCode(code, to);
  }
  if (p > end) p = end;
  memory.copy(to, p, end - p);
  encodedPtr = out;
  encodedLen = to + (end - p) - out;
  return true;
}

function writeCode(code: u32, out: usize): usize {
  const bytes: u32 = code < 0x10000 ? <u32>load<u16>(table + (<usize>code << 1)) : 0;
  if (bytes == 0) return writeReference(code, out);
  let to = out;
  if (bytes > 0xff) to = writeByte(bytes >> 8, to);
  return writeByte(bytes & 0xff, to);
}

/** ASCII is left to the URL parser, which knows what a query may hold. */
function writeByte(byte: u32, out: usize): usize {
  if (byte < 0x80) {
    store<u8>(out, <u8>byte);
    return out + 1;
  }
  store<u8>(out, 0x25);
  store<u8>(out, hex(byte >> 4), 1);
  store<u8>(out, hex(byte & 15), 2);
  return out + 3;
}

function hex(digit: u32): u8 {
  return <u8>(digit + (digit < 10 ? 0x30 : 0x37));
}

/** What the charset lacks: `&#NNNN;`, percent-encoded where a query must be. */
function writeReference(code: u32, out: usize): usize {
  // "%26%23", little-endian.
  store<u32>(out, 0x25363225);
  store<u16>(out, 0x3332, 4);
  let divisor: u32 = 1;
  while (code / divisor >= 10) divisor *= 10;
  let to = out + 6;
  for (; divisor != 0; divisor /= 10) store<u8>(to++, <u8>(0x30 + (code / divisor) % 10));
  store<u16>(to, 0x3325);
  store<u8>(to, 0x42, 2);
  return to + 3;
}
