/**
 * Queries of links on a page in a legacy charset: their characters beyond ASCII are encoded in that charset (URL Standard
 * 4.4, "percent-encode after encoding"). The rest of a URL is always UTF-8.
 * Invariant: written to its own buffer, at most 18 bytes for each of the source.
 */

import { HTML_ENCODED } from "./buffers";
import { codeBytes, readCode, writeDecimal } from "../charset/encode";
import { encodeCode, openEncoder } from "../charset/encoder";
import { ISO_2022_JP, REPLACEMENT, UTF_16BE, UTF_16LE, UTF_8 } from "../charset/ids";
import { beginIso2022Jp, endIso2022Jp, missing, writeIso2022Jp } from "../charset/iso_2022_jp_encoder";
import { reserve } from "../memory/buffers";

let charset: u32 = UTF_8;

/** What the last encodeQuery wrote. */
export let encodedPtr: usize = 0;
export let encodedLen: usize = 0;

/** The charset of the next pages (charset/ids.ts). Some have their queries in UTF-8 (Encoding 4.3, "get an output encoding"). */
export function setQueryCharset(id: u32): void {
  charset = id == UTF_16LE || id == UTF_16BE || id == REPLACEMENT ? UTF_8 : id;
}

/** Whether a link of this page has a query that UTF-8 would get wrong. */
export function needsEncoding(ptr: usize, len: usize): bool {
  if (charset == UTF_8) return false;
  const end = ptr + len;
  for (let p = queryOf(ptr, end); p < end && load<u8>(p) != 0x23; p++) {
    // ISO-2022-JP has no bytes for ASCII's ESC, SO and SI.
    if (load<i8>(p) < 0 || (charset == ISO_2022_JP && isControl(<u32>load<u8>(p)))) return true;
  }
  return false;
}

function isControl(byte: u32): bool {
  return byte == 0x1b || byte == 0x0e || byte == 0x0f;
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
  const out = reserve(HTML_ENCODED, len * 18 + 32);
  if (out == 0 || !openEncoder(charset)) return false;
  const end = ptr + len;
  let p = queryOf(ptr, end);
  memory.copy(out, ptr, p - ptr);
  let to = out + (p - ptr);
  beginIso2022Jp();
  while (p < end && load<u8>(p) != 0x23) {
    const code = readCode(p, end);
    p += codeBytes;
    to = charset == ISO_2022_JP ? writeState(code, to) : code < 0x80 ? writeByte(code, to) : writeCode(code, to);
  }
  if (charset == ISO_2022_JP) to = escapeFrom(to, endIso2022Jp(to));
  memory.copy(to, p, end - p);
  encodedPtr = out;
  encodedLen = to + (end - p) - out;
  return true;
}

function writeCode(code: u32, out: usize): usize {
  const bytes = encodeCode(code);
  if (bytes == 0) return writeReference(code, out);
  let to = out;
  if (bytes > 0xffff) to = writeByte((bytes >> 16) & 0xff, writeByte(bytes >> 24, to));
  if (bytes > 0xff) to = writeByte((bytes >> 8) & 0xff, to);
  return writeByte(bytes & 0xff, to);
}

/** ISO-2022-JP. Tabs and line ends aren't part of a URL: the parser takes them out before it encodes. */
function writeState(code: u32, out: usize): usize {
  if (code == 0x09 || code == 0x0a || code == 0x0d) return out;
  const to = escapeFrom(out, writeIso2022Jp(code, out));
  return missing != 0 ? writeReference(missing, to) : to;
}

/** Percent-encodes what stands in [from, end) where it must be; returns where it ends then. At most eight bytes. */
function escapeFrom(from: usize, end: usize): usize {
  if (end == from) return end;
  const bytes = load<u64>(from);
  let to = from;
  for (let i: usize = 0; i < end - from; i++) to = writeByte(<u32>(bytes >> (<u64>i << 3)) & 0xff, to);
  return to;
}

/**
 * ASCII is left to the URL parser, which knows what a query may hold - but for `#`, which would end it (half of a pair of
 * ISO-2022-JP), and ESC.
 */
function writeByte(byte: u32, out: usize): usize {
  if (byte < 0x80 && byte != 0x23 && byte != 0x1b) {
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
  const to = writeDecimal(code, out + 6);
  store<u16>(to, 0x3325);
  store<u8>(to, 0x42, 2);
  return to + 3;
}
