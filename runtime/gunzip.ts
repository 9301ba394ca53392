/**
 * The Gunzip port on node:zlib, for Deno and Bun alike: one gzip member at a time, and where it ends.
 * zlib's own gunzip runs on into the next member, so the header and trailer are read here (RFC 1952 2.3).
 * Invariant: a member is whole only when its CRC-32 and length are right; no input throws.
 */

import { constants, crc32, inflateRawSync } from "node:zlib";
import type { Gunzip, GzipMember } from "./ports.ts";

const FIXED_HEADER_BYTES = 10;
const TRAILER_BYTES = 8;

/** Flag bits of RFC 1952 2.3.1. */
const HAS_HEADER_CRC = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;

/** Length of the member's header; -1 = torn, -2 = not gzip. */
function headerLength(bytes: Uint8Array): number {
  if (bytes.length > 0 && bytes[0] !== 0x1f) return -2;
  if (bytes.length > 1 && bytes[1] !== 0x8b) return -2;
  if (bytes.length > 2 && bytes[2] !== 8) return -2;
  if (bytes.length < FIXED_HEADER_BYTES) return -1;
  const flags = bytes[3]!;
  let at = FIXED_HEADER_BYTES;
  if (flags & HAS_EXTRA) {
    if (at + 2 > bytes.length) return -1;
    at += 2 + bytes[at]! + bytes[at + 1]! * 256;
  }
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if (!(flags & flag)) continue;
    const end = at > bytes.length ? -1 : bytes.indexOf(0, at);
    if (end < 0) return -1;
    at = end + 1;
  }
  if (flags & HAS_HEADER_CRC) at += 2;
  return at > bytes.length ? -1 : at;
}

interface WithInfo {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

function inflate(bytes: Uint8Array, maxBytes: number): { data: Uint8Array; used: number } | GzipMember {
  try {
    const result = inflateRawSync(bytes, { info: true, maxOutputLength: maxBytes }) as unknown as WithInfo;
    return { data: new Uint8Array(result.buffer), used: result.engine.bytesWritten };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "Z_BUF_ERROR") return { state: "torn" };
    if (code === "ERR_BUFFER_TOO_LARGE") return { state: "broken", why: `it inflates to more than ${maxBytes} bytes` };
    return { state: "broken", why: message };
  }
}

function member(bytes: Uint8Array, maxBytes: number): GzipMember {
  const start = headerLength(bytes);
  if (start === -2) return { state: "broken", why: "it doesn't begin with a gzip header" };
  if (start === -1) return { state: "torn" };
  const inflated = inflate(bytes.subarray(start), maxBytes);
  if ("state" in inflated) return inflated;
  const end = start + inflated.used;
  if (end + TRAILER_BYTES > bytes.length) return { state: "torn" };
  const trailer = new DataView(bytes.buffer, bytes.byteOffset + end, TRAILER_BYTES);
  if (trailer.getUint32(0, true) !== crc32(inflated.data)) return { state: "broken", why: "its CRC-32 is wrong" };
  if (trailer.getUint32(4, true) !== inflated.data.length % 2 ** 32) {
    return { state: "broken", why: "its length field is wrong" };
  }
  return { state: "whole", data: inflated.data, used: end + TRAILER_BYTES };
}

/** Compressed bytes that are looked at: more than the longest Huffman tables take. */
const LOOK_BYTES = 1024;
/** Deflate makes one byte into 1,032 at most. */
const LOOK_DATA_BYTES = 1032 * LOOK_BYTES;

function mayBegin(bytes: Uint8Array, text: string): boolean {
  const start = headerLength(bytes);
  if (start < 0) return start === -1;
  const look = bytes.subarray(start, start + LOOK_BYTES);
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: LOOK_DATA_BYTES };
    const data = inflateRawSync(look, options).subarray(0, text.length);
    return text.startsWith(new TextDecoder().decode(data));
  } catch {
    return false;
  }
}

export const nativeGunzip: Gunzip = { member, mayBegin };
