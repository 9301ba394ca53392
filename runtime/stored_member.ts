/**
 * Gzip members whose data stands in them as it is: for bytes that deflate would hardly make smaller.
 * Invariant: every reader of RFC 1952 reads them; a member is at most 5 bytes in 65,535, and 23 bytes, longer than its
 * data.
 */

import { crc32 } from "node:zlib";
import type { StoredMember } from "./ports.ts";

/** RFC 1952 2.3: deflate, no flags, no time (the same data give the same member), "fastest", unknown system. */
const HEADER = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);
const TRAILER_BYTES = 8;
/** RFC 1951 3.2.4: a stored block's length has 16 bits. */
const MAX_BLOCK_BYTES = 65_535;
const BLOCK_HEADER_BYTES = 5;

/** One gzip member of `parts`, one after the other, in stored blocks. The parts are read when it is written. */
export function storedMember(parts: readonly Uint8Array[]): StoredMember {
  let dataBytes = 0;
  for (const part of parts) dataBytes += part.length;
  // No data still take one block, the last.
  const blocks = Math.max(1, Math.ceil(dataBytes / MAX_BLOCK_BYTES));
  const length = HEADER.length + blocks * BLOCK_HEADER_BYTES + dataBytes + TRAILER_BYTES;
  return {
    length,
    writeTo(target, at) {
      target.set(HEADER, at);
      const writer = new BlockWriter(target, at + HEADER.length, dataBytes);
      for (const part of parts) writer.write(part);
      const end = at + length - TRAILER_BYTES;
      putWord(target, end, writer.checksum());
      // ISIZE is the length modulo 2^32 (RFC 1952 2.3.1).
      putWord(target, end + 4, dataBytes);
    },
  };
}

/** Little-endian, as all numbers of gzip and deflate are; byte by byte, as a view costs more than it saves. */
function putHalf(target: Uint8Array, at: number, value: number): void {
  target[at] = value & 0xff;
  target[at + 1] = (value >>> 8) & 0xff;
}

function putWord(target: Uint8Array, at: number, value: number): void {
  putHalf(target, at, value);
  putHalf(target, at + 2, value >>> 16);
}

/** Lays data out in blocks from `at` on; the last one is marked as such. */
class BlockWriter {
  readonly #target: Uint8Array;
  #at: number;
  #dataLeft: number;
  #blockLeft = 0;
  #blockStart = 0;
  #crc = 0;

  constructor(target: Uint8Array, at: number, dataBytes: number) {
    this.#target = target;
    this.#at = at;
    this.#dataLeft = dataBytes;
    this.#open();
  }

  write(part: Uint8Array): void {
    for (let from = 0; from < part.length;) {
      if (this.#blockLeft === 0) this.#open();
      const count = Math.min(this.#blockLeft, part.length - from);
      this.#target.set(count === part.length ? part : part.subarray(from, from + count), this.#at);
      this.#at += count;
      this.#blockLeft -= count;
      from += count;
    }
  }

  /** The CRC-32 of all data. Call once, after the last write. */
  checksum(): number {
    this.#close();
    return this.#crc;
  }

  /** BFINAL and BTYPE 00 in the first byte, then the length and its complement. */
  #open(): void {
    this.#close();
    const length = Math.min(this.#dataLeft, MAX_BLOCK_BYTES);
    this.#dataLeft -= length;
    this.#target[this.#at] = this.#dataLeft === 0 ? 1 : 0;
    putHalf(this.#target, this.#at + 1, length);
    putHalf(this.#target, this.#at + 3, ~length);
    this.#at += BLOCK_HEADER_BYTES;
    this.#blockStart = this.#at;
    this.#blockLeft = length;
  }

  /** One call of the native CRC a block, however many parts it has. */
  #close(): void {
    if (this.#blockStart > 0) this.#crc = crc32(this.#target.subarray(this.#blockStart, this.#at), this.#crc);
  }
}
