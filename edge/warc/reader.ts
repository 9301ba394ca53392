/**
 * Reads WARC files record by record, compressed (one gzip member each) or plain.
 * Tolerant: a fault is yielded and, where a next record can be found, reading goes on.
 * Invariant: memory is bounded by one record; records are yielded in file order with their place in the file.
 */

import type { Files, Gunzip } from "../../runtime/ports.ts";
import { ByteWindow } from "./byte_window.ts";
import { walkMembers } from "./member_walk.ts";
import { beginsRecord, blockLength, readHeader, type RecordHeader } from "./record_parser.ts";

export interface WarcRecord {
  /** Place of the record's gzip member (or of the record, in a plain file). */
  readonly offset: number;
  readonly length: number;
  readonly header: RecordHeader;
  readonly block: Uint8Array;
}

export interface WarcFault {
  readonly offset: number;
  /** A sentence without its full stop. */
  readonly fault: string;
}

export interface ReadParts {
  readonly files: Pick<Files, "readRange">;
  readonly gunzip: Gunzip;
  readonly path: string;
}

/** Blocks of plain files up to here are read; the header of a longer one is a fault. */
const MAX_BLOCK_BYTES = 256 * 1024 * 1024;

/** Yields the records and faults of the file at `path`; throws a sentence when there is no such file. */
export async function* readWarc(parts: ReadParts): AsyncGenerator<WarcRecord | WarcFault> {
  const start = await parts.files.readRange(parts.path, 0, 2);
  if (!start) throw new Error(`Reading ${parts.path}: found no such file, wanted a WARC file.`);
  if (start[0] === 0x1f && start[1] === 0x8b) yield* readCompressed(parts);
  else yield* readPlain(parts);
}

async function* readCompressed(parts: ReadParts): AsyncGenerator<WarcRecord | WarcFault> {
  for await (const member of walkMembers(parts)) {
    if ("fault" in member) yield { offset: member.offset, fault: member.why };
    else yield* recordsOfMember(member.offset, member.length, member.data);
  }
}

/** One member should hold one record; whatever else it holds is a fault. */
function* recordsOfMember(offset: number, length: number, data: Uint8Array): Generator<WarcRecord | WarcFault> {
  const read = readHeader(data);
  if (read.state !== "whole") {
    yield { offset, fault: read.state === "torn" ? "the record's header has no end" : read.why };
    return;
  }
  const { header } = read;
  const wanted = blockLength(header);
  const rest = data.subarray(header.headerBytes);
  if (wanted === undefined) {
    yield { offset, fault: "the record has no Content-Length that is a whole number" };
  } else if (wanted > rest.length) {
    yield { offset, fault: `the record's block has ${rest.length} bytes, its Content-Length says ${wanted}` };
  } else {
    yield { offset, length, header, block: rest.subarray(0, wanted) };
    const trailing = rest.subarray(wanted);
    if (trailing.length > 4 && readHeader(trailing.subarray(4)).state === "whole") {
      yield { offset, fault: "more than one record lies in one gzip member: compress record by record" };
    } else if (!isRecordEnd(trailing)) {
      yield { offset, fault: `behind the block stand ${trailing.length} bytes that aren't the two line ends` };
    }
  }
}

const isRecordEnd = (bytes: Uint8Array) =>
  bytes.length === 4 && bytes[0] === 13 && bytes[1] === 10 && bytes[2] === 13 && bytes[3] === 10;

async function* readPlain(parts: ReadParts): AsyncGenerator<WarcRecord | WarcFault> {
  const window = new ByteWindow(parts.files, parts.path);
  for (;;) {
    while (window.bytes.length < 4 && !window.ended) await window.extend();
    if (window.bytes.length === 0) return;
    const { offset } = window;
    const read = readHeader(window.bytes);
    if (read.state === "torn" && !window.ended) await window.extend();
    else if (read.state !== "whole") {
      yield { offset, fault: read.state === "torn" ? "the file ends within a record's header" : read.why };
      if (!await seekRecord(window)) return;
    } else {
      for (const step of await plainRecord(window, read.header)) yield step;
      if (window.offset === offset && !await seekRecord(window)) return;
    }
  }
}

/**
 * The record whose header stands at the window's start, and what is wrong with it. The window is moved behind it where
 * it ends as it should. Where it doesn't, its block reaches no further than to the next record, so that no byte is of two.
 */
async function plainRecord(window: ByteWindow, header: RecordHeader): Promise<(WarcRecord | WarcFault)[]> {
  const { offset } = window;
  const wanted = blockLength(header);
  if (wanted === undefined) return [{ offset, fault: "the record has no Content-Length that is a whole number" }];
  if (wanted > MAX_BLOCK_BYTES) {
    return [{ offset, fault: `the record's block is longer than ${MAX_BLOCK_BYTES} bytes` }];
  }
  const end = header.headerBytes + wanted;
  while (window.bytes.length < end + 4 && !window.ended) await window.extend();
  const { bytes } = window;
  if (bytes.length < end) return [{ offset, fault: "the file ends within a record's block" }];
  if (isRecordEnd(bytes.subarray(end, end + 4))) {
    window.advance(end + 4);
    return [{ offset, length: end + 4, header, block: bytes.slice(header.headerBytes, end) }];
  }
  const next = recordStart(bytes.subarray(0, end), header.headerBytes - 1) ?? end;
  const block = bytes.slice(header.headerBytes, next);
  const fault = `behind the block don't stand two line ends: its Content-Length is wrong`;
  return [{ offset, length: Math.min(end + 4, bytes.length), header, block }, { offset, fault }];
}

/** Moves the window to the next line that begins a record. False: there is none. */
async function seekRecord(window: ByteWindow): Promise<boolean> {
  window.advance(Math.min(1, window.bytes.length));
  for (;;) {
    const at = recordStart(window.bytes, 0);
    if (at !== undefined) {
      window.advance(at);
      return true;
    }
    if (window.ended) return false;
    window.advance(Math.max(0, window.bytes.length - 6));
    await window.extend();
  }
}

/** Where the first line from `from` on stands that begins a record. */
function recordStart(bytes: Uint8Array, from: number): number | undefined {
  for (let at = bytes.indexOf(10, from); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (beginsRecord(bytes, at + 1)) return at + 1;
  }
  return undefined;
}
