/**
 * Where the payload of an HTTP record's block begins, and the fields before it.
 * Invariant: total; a block without an empty line is all head and has an empty payload.
 */

import type { RecordHeader } from "./record_parser.ts";
import { fieldOf } from "./record_parser.ts";

export interface HttpBlock {
  readonly statusCode: number | undefined;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly payload: Uint8Array;
}

/** The block carries an HTTP message (ISO 28500 6.3.2). */
export function holdsHttp(header: RecordHeader): boolean {
  return /^application\/http\b/i.test(fieldOf(header, "Content-Type") ?? "");
}

/** Never fails; the octets above 127 (RFC 9110 5.5: opaque) come out as windows-1252. */
const decoder = new TextDecoder("latin1");

export function readHttpBlock(block: Uint8Array): HttpBlock {
  const end = headEnd(block);
  const lines = decoder.decode(block.subarray(0, end)).split(/\r?\n/);
  const status = /^HTTP\/\S+ +(\d{3})\b/.exec(lines[0] ?? "");
  const fields = lines.slice(1).flatMap((line) => {
    const colon = line.indexOf(":");
    return colon > 0 ? [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const] : [];
  });
  return { statusCode: status ? Number(status[1]) : undefined, fields, payload: block.subarray(end) };
}

function headEnd(block: Uint8Array): number {
  for (let at = block.indexOf(10); at >= 0; at = block.indexOf(10, at + 1)) {
    if (block[at + 1] === 10) return at + 2;
    if (block[at + 1] === 13 && block[at + 2] === 10) return at + 3;
  }
  return block.length;
}
