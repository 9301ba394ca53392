/**
 * Walks the gzip members of a file, one in memory at a time, and goes on behind broken ones.
 * Invariant: memory is bounded by one member; every byte of the file lies in a yielded member or behind a fault.
 */

import type { Files, Gunzip } from "../../runtime/ports.ts";
import { ByteWindow } from "./byte_window.ts";

export interface Member {
  readonly offset: number;
  /** Compressed bytes. */
  readonly length: number;
  readonly data: Uint8Array;
}

/** What is wrong at `offset`. `torn`: the file ends within a member. */
export interface MemberFault {
  readonly offset: number;
  readonly fault: "torn" | "broken" | "too_large";
  /** Half a sentence. */
  readonly why: string;
}

export interface WalkParts {
  readonly files: Pick<Files, "readRange">;
  readonly gunzip: Gunzip;
  readonly path: string;
  /** Offset of a member's start. Default 0. */
  readonly from?: number | undefined;
}

/** A record may hold a body of 100 MB (`--max-body-mb`) that can't be compressed. */
const MAX_COMPRESSED_BYTES = 128 * 1024 * 1024;
const MAX_DATA_BYTES = 128 * 1024 * 1024;

/** Bytes that may be given to gunzip in vain: a file that needs more is made to be slow, not damaged. */
const MAX_VAIN_BYTES = 1024 * 1024 * 1024;

/** Yields each whole member in order, and a fault where there is none. A torn or too large member is the last. */
export async function* walkMembers(parts: WalkParts): AsyncGenerator<Member | MemberFault> {
  const window = new ByteWindow(parts.files, parts.path, parts.from);
  const search: Search = { gunzip: parts.gunzip, vainBytes: 0 };
  for (;;) {
    if (window.bytes.length === 0) {
      await window.extend();
      if (window.bytes.length === 0) return;
    }
    const { offset } = window;
    const member = parts.gunzip.member(window.bytes, MAX_DATA_BYTES);
    if (member.state === "whole") {
      window.advance(member.used);
      yield { offset, length: member.used, data: member.data };
    } else if (member.state === "broken") {
      yield { offset, fault: "broken", why: `a gzip member can't be read: ${member.why}` };
      const next = await seekMember(window, search);
      if (next === undefined) return;
      if ("fault" in next) return yield next;
      yield next;
    } else if (window.ended) {
      yield { offset, fault: "torn", why: "the file ends within a gzip member" };
      return;
    } else if (window.bytes.length >= MAX_COMPRESSED_BYTES) {
      yield { offset, fault: "too_large", why: `a gzip member is longer than ${MAX_COMPRESSED_BYTES} bytes` };
      return;
    } else await window.extend();
  }
}

interface Search {
  readonly gunzip: Gunzip;
  /** Over the whole file. */
  vainBytes: number;
}

/** Moves the window behind the next member that holds a WARC record, and gives it. Undefined: there is none. */
async function seekMember(window: ByteWindow, search: Search): Promise<Member | MemberFault | undefined> {
  const { gunzip } = search;
  window.advance(1);
  for (;;) {
    const start = magicIn(window.bytes);
    window.advance(start ?? Math.max(0, window.bytes.length - 2));
    if (start === undefined) {
      if (window.ended) return undefined;
      await window.extend();
      continue;
    }
    const { offset } = window;
    const member = gunzip.mayBegin(window.bytes, RECORD) ? gunzip.member(window.bytes, MAX_DATA_BYTES) : NOTHING;
    if (member.state === "whole" && startsRecord(member.data)) {
      window.advance(member.used);
      return { offset, length: member.used, data: member.data };
    }
    if (member !== NOTHING) search.vainBytes += window.bytes.length;
    if (search.vainBytes > MAX_VAIN_BYTES) {
      return { offset, fault: "too_large", why: "too many gzip members of it can't be read: the rest was left" };
    }
    const undecided = member.state === "torn" && !window.ended && window.bytes.length < MAX_COMPRESSED_BYTES;
    if (undecided) await window.extend();
    else window.advance(1);
  }
}

const RECORD = "WARC/";
const NOTHING = { state: "broken", why: "it holds no record" } as const;

function magicIn(bytes: Uint8Array): number | undefined {
  for (let at = bytes.indexOf(0x1f); at >= 0; at = bytes.indexOf(0x1f, at + 1)) {
    if (bytes[at + 1] === 0x8b && bytes[at + 2] === 8) return at;
  }
  return undefined;
}

function startsRecord(data: Uint8Array): boolean {
  return new TextDecoder().decode(data.subarray(0, 5)) === RECORD;
}

export interface WholeEnd {
  /** Offset behind the last whole member. */
  readonly end: number;
  /** A fault lies before that member: not a torn tail but damage. */
  readonly damaged: boolean;
}

/** Where the last whole member ends, walking from `from`. */
export async function wholeMembersEnd(parts: WalkParts): Promise<WholeEnd> {
  let end = parts.from ?? 0;
  let faulty = false;
  let damaged = false;
  for await (const step of walkMembers(parts)) {
    if ("fault" in step) {
      faulty = true;
      if (step.fault === "too_large") damaged = true;
    } else {
      end = step.offset + step.length;
      damaged ||= faulty;
    }
  }
  return { end, damaged };
}
