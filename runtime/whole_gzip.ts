/**
 * The WholeGzip port: one gzip member that is the whole input, decoded at once by libdeflate where the runtime has it (Bun): about two
 * thirds of zlib's cost. Nothing is decoded where it hasn't; the callers have zlib.
 * Invariant: what is returned is exactly what zlib would give; whatever is in doubt is left to it. Never throws.
 */

import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import type { WholeGzip } from "./ports.ts";

interface BunGzip {
  gunzipSync?(bytes: Uint8Array, options: { library: "libdeflate" }): Uint8Array;
}

const { Bun } = globalThis as unknown as { Bun?: BunGzip };

const TRAILER_BYTES = 8;
/** Header and trailer (RFC 1952 2.2) around the shortest deflate stream. */
const LEAST_BYTES = 10 + 2 + TRAILER_BYTES;
/**
 * The size that a member states may be a lie, and libdeflate can't be told to stop. Deflate makes one byte into 1,032 at
 * most, so this bounds what a bomb can take to 33 MB.
 */
const MOST_BYTES = 32 * 1024;

/** See the port. Members with optional header fields are left to zlib too. */
export const wholeGzip: WholeGzip = (bytes, maxBytes) => {
  const { length } = bytes;
  if (Bun?.gunzipSync === undefined || length < LEAST_BYTES || length > MOST_BYTES) return undefined;
  // Flags (RFC 1952 2.3.1): libdeflate doesn't check a header's own CRC.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8 || bytes[3] !== 0) return undefined;
  const trailer = Buffer.from(bytes.buffer, bytes.byteOffset + length - TRAILER_BYTES, TRAILER_BYTES);
  const statedBytes = trailer.readUInt32LE(4);
  if (statedBytes > maxBytes) return undefined;
  try {
    const data = Bun.gunzipSync(bytes, { library: "libdeflate" });
    if (data.length !== statedBytes || crc32(data) !== trailer.readUInt32LE(0)) return undefined;
    return endsOnce(bytes, trailer) ? data : undefined;
  } catch {
    return undefined;
  }
};

/**
 * libdeflate stops behind the first member and has checked that member's trailer. The input's last bytes say the same;
 * only where they stand nowhere before can they be the first member's.
 */
function endsOnce(bytes: Uint8Array, trailer: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  return Buffer.from(buffer, byteOffset, length).indexOf(trailer) === length - TRAILER_BYTES;
}
