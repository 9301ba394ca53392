/**
 * One WARC file that is being written.
 * Invariant: `wholeBytes` ends a record and is on stable storage; whatever fails, the file is cut back to it.
 */

import type { AppendFile, Files, StoredMember } from "../../runtime/ports.ts";

export interface OpenFile {
  readonly name: string;
  readonly path: string;
  handle: AppendFile;
  readonly buffer: WriteBuffer;
  wholeBytes: number;
  /** A failed write couldn't be cut off: until `mend` has done it, nothing more is written. */
  spoilt: boolean;
}

/** What is appended: bytes, or what writes its bytes itself. */
export type Piece = Uint8Array | StoredMember;

/** Up to here the array that a write goes through is kept for the next: most writes are far smaller. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** An array to write through, used again and again. One write at a time. */
export class WriteBuffer {
  #kept: Uint8Array = new Uint8Array(0);

  /** `pieces`, `total` bytes together, one after the other; valid until the next call. */
  fill(pieces: readonly Piece[], total: number): Uint8Array {
    const room = this.#room(total);
    let at = 0;
    for (const piece of pieces) {
      if (piece instanceof Uint8Array) room.set(piece, at);
      else piece.writeTo(room, at);
      at += piece.length;
    }
    return room;
  }

  #room(bytes: number): Uint8Array {
    if (bytes > KEPT_BYTES) return new Uint8Array(bytes);
    if (this.#kept.length < bytes) this.#kept = new Uint8Array(Math.min(KEPT_BYTES, 2 * bytes));
    return this.#kept.subarray(0, bytes);
  }
}

/** Appends `pieces` in order with one write and syncs; resolves to the offset of each. On failure cuts back and throws. */
export async function appendDurably(files: Files, file: OpenFile, pieces: readonly Piece[]): Promise<number[]> {
  const offsets: number[] = [];
  let at = file.wholeBytes;
  for (const piece of pieces) {
    offsets.push(at);
    at += piece.length;
  }
  const bytes = file.buffer.fill(pieces, at - file.wholeBytes);
  try {
    await file.handle.append(bytes);
    await file.handle.sync();
  } catch (error) {
    await cutBack(files, file);
    throw error;
  }
  file.wholeBytes = at;
  return offsets;
}

/**
 * Drops what lies behind the last whole record. The handle is opened anew: after a failed sync the old one may hold
 * pages that the kernel counts as clean though they never reached the disk.
 */
async function cutBack(files: Files, file: OpenFile): Promise<unknown> {
  try {
    await file.handle.close().catch(() => {});
    await files.truncate(file.path, file.wholeBytes);
    file.handle = await files.openAppend(file.path);
    file.spoilt = file.handle.size !== file.wholeBytes;
    return undefined;
  } catch (error) {
    file.spoilt = true;
    return error;
  }
}

/**
 * Cuts off what a failed write left. Throws as long as that can't be done: a later file mustn't be begun before, as the
 * repair looks at the newest only. A file that is gone needs no mending, and stays spoilt.
 */
export async function mend(files: Files, file: OpenFile): Promise<void> {
  if (!file.spoilt || await files.size(file.path) === undefined) return;
  const error = await cutBack(files, file);
  if (file.spoilt) throw error ?? new Error(`${file.path} couldn't be cut back to ${file.wholeBytes} bytes`);
}
