/**
 * Walks the gzip members of a file, one in memory at a time.
 * Invariant: the window grows only as far as one member needs, and never beyond the stated bound.
 */

import type { Files, Gunzip } from "../../runtime/ports.ts";

export interface Member {
  readonly offset: number;
  /** Compressed bytes. */
  readonly length: number;
  readonly data: Uint8Array;
}

/** Why the walk can't go on at `offset`. */
export interface WalkStop {
  readonly offset: number;
  readonly state: "torn" | "broken" | "too_large";
  readonly why: string;
}

export interface WalkParts {
  readonly files: Pick<Files, "readRange">;
  readonly gunzip: Gunzip;
  readonly path: string;
  /** Offset of a member's start. Default 0. */
  readonly from?: number | undefined;
}

const FIRST_WINDOW_BYTES = 256 * 1024;
const MAX_COMPRESSED_BYTES = 64 * 1024 * 1024;
const MAX_DATA_BYTES = 256 * 1024 * 1024;

/** Yields each whole member in order; ends at the end of the file, or after the first stop. */
export async function* walkMembers(parts: WalkParts): AsyncGenerator<Member | WalkStop> {
  let offset = parts.from ?? 0;
  let window = new Uint8Array(0);
  let wanted = FIRST_WINDOW_BYTES;
  for (;;) {
    if (window.length < wanted) {
      const more = await parts.files.readRange(parts.path, offset + window.length, wanted - window.length);
      const atEnd = (more?.length ?? 0) < wanted - window.length;
      window = joined(window, more ?? new Uint8Array(0));
      if (window.length === 0) return;
      if (atEnd) wanted = window.length;
    }
    const member = parts.gunzip.member(window, MAX_DATA_BYTES);
    if (member.state === "whole") {
      yield { offset, length: member.used, data: member.data };
      offset += member.used;
      window = window.slice(member.used);
      wanted = FIRST_WINDOW_BYTES;
    } else if (member.state === "broken") {
      yield { offset, state: "broken", why: member.why };
      return;
    } else if (wanted === window.length && await atFileEnd(parts, offset + window.length)) {
      yield { offset, state: "torn", why: "the file ends within a gzip member" };
      return;
    } else if (window.length >= MAX_COMPRESSED_BYTES) {
      yield { offset, state: "too_large", why: `a gzip member is longer than ${MAX_COMPRESSED_BYTES} bytes` };
      return;
    } else wanted = window.length * 4;
  }
}

async function atFileEnd(parts: WalkParts, offset: number): Promise<boolean> {
  return !((await parts.files.readRange(parts.path, offset, 1))?.length);
}

function joined(a: Uint8Array<ArrayBuffer>, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}

/** Offset behind the last whole member, walking from `from`. */
export async function wholeMembersEnd(parts: WalkParts): Promise<number> {
  let end = parts.from ?? 0;
  for await (const step of walkMembers(parts)) {
    if ("state" in step) break;
    end = step.offset + step.length;
  }
  return end;
}
