/**
 * One WARC file that is being written.
 * Invariant: `wholeBytes` ends a record and is on stable storage; whatever fails, the file is cut back to it.
 */

import type { AppendFile, Files } from "../../runtime/ports.ts";

export interface OpenFile {
  readonly name: string;
  readonly path: string;
  handle: AppendFile;
  wholeBytes: number;
  /** A failed write couldn't be cut off: the file is left to the repair, nothing more is written to it. */
  spoilt: boolean;
}

/** Appends `parts` in order with one write and syncs; resolves to the offset of each. On failure cuts back and throws. */
export async function appendDurably(files: Files, file: OpenFile, parts: readonly Uint8Array[]): Promise<number[]> {
  const offsets: number[] = [];
  let at = file.wholeBytes;
  for (const part of parts) {
    offsets.push(at);
    at += part.length;
  }
  const bytes = new Uint8Array(at - file.wholeBytes);
  parts.forEach((part, i) => bytes.set(part, offsets[i]! - file.wholeBytes));
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
async function cutBack(files: Files, file: OpenFile): Promise<void> {
  try {
    await file.handle.close().catch(() => {});
    await files.truncate(file.path, file.wholeBytes);
    file.handle = await files.openAppend(file.path);
    file.spoilt = file.handle.size !== file.wholeBytes;
  } catch {
    file.spoilt = true;
  }
}
