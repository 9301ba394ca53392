/**
 * Reads WARC record headers (ISO 28500 clause 4), leniently: odd lines are reported, not fatal.
 * Invariant: total; header names are compared without case; the first value of a repeated field counts.
 */

export interface RecordHeader {
  /** e.g. `WARC/1.1`. */
  readonly version: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Bytes of the header, its empty line included: the block begins there. */
  readonly headerBytes: number;
  /** What isn't as the standard says, one sentence each. */
  readonly oddities: readonly string[];
}

export type HeaderRead =
  | { readonly state: "whole"; readonly header: RecordHeader }
  /** No empty line in these bytes. */
  | { readonly state: "torn" }
  | { readonly state: "broken"; readonly why: string };

/** Longest header that is read. */
const MAX_HEADER_BYTES = 1024 * 1024;

const decoder = new TextDecoder();

/**
 * End of the header in `bytes`: behind the first empty line (CRLF, or LF alone in odd files). -1: a line that begins a
 * record comes before, so no header is looked through twice.
 */
function headerEnd(bytes: Uint8Array): number | undefined {
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (at >= MAX_HEADER_BYTES) return undefined;
    if (bytes[at + 1] === 10) return at + 2;
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3;
    if (beginsRecord(bytes, at + 1)) return -1;
  }
  return undefined;
}

/** "WARC/" stands at `at`: no field's name does. */
export function beginsRecord(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x57 && bytes[at + 1] === 0x41 && bytes[at + 2] === 0x52 && bytes[at + 3] === 0x43 &&
    bytes[at + 4] === 0x2f;
}

/** Reads the header at the start of `bytes`. */
export function readHeader(bytes: Uint8Array): HeaderRead {
  const start = decoder.decode(bytes.subarray(0, 5));
  if (!"WARC/".startsWith(start)) {
    return { state: "broken", why: `found ${JSON.stringify(start)}, wanted a line that begins with WARC/` };
  }
  const end = headerEnd(bytes);
  if (end === -1) return { state: "broken", why: "another record begins within the record's header" };
  if (end === undefined) {
    if (bytes.length < MAX_HEADER_BYTES) return { state: "torn" };
    return { state: "broken", why: `a record header is longer than ${MAX_HEADER_BYTES} bytes` };
  }
  const lines = decoder.decode(bytes.subarray(0, end)).split(/\r?\n/).slice(0, -2);
  const version = lines[0]!;
  const oddities: string[] = [];
  if (!/^WARC\/\d+\.\d+$/.test(version)) oddities.push(`the version line is ${JSON.stringify(version)}`);
  return {
    state: "whole",
    header: { version, fields: readFields(lines.slice(1), oddities), headerBytes: end, oddities },
  };
}

function readFields(lines: readonly string[], oddities: string[]): [string, string][] {
  const fields: [string, string][] = [];
  for (const line of lines) {
    const last = fields.at(-1);
    const colon = line.indexOf(":");
    // A line that begins with white space goes on with the field above (ISO 28500 clause 4: LWS).
    if (/^[ \t]/.test(line) && last) last[1] += ` ${line.trim()}`;
    else if (colon <= 0) oddities.push(`the header line ${JSON.stringify(line.slice(0, 80))} has no name`);
    else fields.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
  }
  return fields;
}

/** The value of `name` in `header`, or undefined. */
export function fieldOf(header: RecordHeader, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return header.fields.find(([field]) => field.toLowerCase() === wanted)?.[1];
}

/** Content-Length of the block, or undefined when it is missing or no whole number. */
export function blockLength(header: RecordHeader): number | undefined {
  const value = fieldOf(header, "Content-Length");
  if (value === undefined || !/^\d{1,15}$/.test(value)) return undefined;
  return Number(value);
}
