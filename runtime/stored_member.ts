/**
 * Gzip members whose data stands in them as it is: for bytes that deflate would hardly make smaller.
 * Invariant: every reader of RFC 1952 reads them; a member is at most 5 bytes in 65,535, and 23 bytes, longer than its
 * data.
 */

import { crc32 } from "node:zlib";

/** RFC 1952 2.3: deflate, no flags, no time (the same data give the same member), "fastest", unknown system. */
const HEADER = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);
const TRAILER_BYTES = 8;
/** RFC 1951 3.2.4: a stored block's length has 16 bits. */
const MAX_BLOCK_BYTES = 65_535;
const BLOCK_HEADER_BYTES = 5;

/** One gzip member of `parts`, one after the other, in stored blocks. */
export function storedMember(parts: readonly Uint8Array[]): Uint8Array {
  let dataBytes = 0;
  for (const part of parts) dataBytes += part.length;
  // No data still take one block, the last.
  const blocks = Math.max(1, Math.ceil(dataBytes / MAX_BLOCK_BYTES));
  const member = new Uint8Array(HEADER.length + blocks * BLOCK_HEADER_BYTES + dataBytes + TRAILER_BYTES);
  const view = new DataView(member.buffer);
  member.set(HEADER);
  const writer = new BlockWriter(member, view, dataBytes);
  for (const part of parts) writer.write(part);
  const end = member.length - TRAILER_BYTES;
  view.setUint32(end, writer.checksum(), true);
  // ISIZE is the length modulo 2^32 (RFC 1952 2.3.1).
  view.setUint32(end + 4, dataBytes, true);
  return member;
}

/** Lays data out in blocks behind the member's header; the last one is marked as such. */
class BlockWriter {
  readonly #member: Uint8Array;
  readonly #view: DataView;
  #at = HEADER.length;
  #dataLeft: number;
  #blockLeft = 0;
  #blockStart = 0;
  #crc = 0;

  constructor(member: Uint8Array, view: DataView, dataBytes: number) {
    this.#member = member;
    this.#view = view;
    this.#dataLeft = dataBytes;
    this.#open();
  }

  write(part: Uint8Array): void {
    for (let from = 0; from < part.length;) {
      if (this.#blockLeft === 0) this.#open();
      const count = Math.min(this.#blockLeft, part.length - from);
      this.#member.set(count === part.length ? part : part.subarray(from, from + count), this.#at);
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
    this.#member[this.#at] = this.#dataLeft === 0 ? 1 : 0;
    this.#view.setUint16(this.#at + 1, length, true);
    this.#view.setUint16(this.#at + 3, ~length, true);
    this.#at += BLOCK_HEADER_BYTES;
    this.#blockStart = this.#at;
    this.#blockLeft = length;
  }

  /** One call of the native CRC a block, however many parts it has. */
  #close(): void {
    if (this.#blockStart > 0) this.#crc = crc32(this.#member.subarray(this.#blockStart, this.#at), this.#crc);
  }
}
