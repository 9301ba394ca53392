/**
 * One WARC/1.1 record (ISO 28500 clause 4): header, block, two line ends.
 * Invariant: Content-Length is the block's length; no field's value can add a line.
 */

const VERSION = "WARC/1.1";
const CRLF = "\r\n";
const encoder = new TextEncoder();
const RECORD_END = encoder.encode(CRLF + CRLF);

/** In the order in which they are written; undefined values are left out. */
export type WarcFields = readonly (readonly [name: string, value: string | undefined])[];

// deno-lint-ignore no-control-regex
const CONTROL = /[\0-\x1f\x7f]/;
// deno-lint-ignore no-control-regex
const CONTROLS = /[\0-\x1f\x7f]+/g;

/**
 * The record's parts, to be written (or compressed into one gzip member) one after the other; the block comes in parts
 * too, so that nobody has to join them. Content-Length is added as the last field.
 */
export function recordParts(fields: WarcFields, block: readonly Uint8Array[]): Uint8Array[] {
  let header = VERSION + CRLF;
  for (const [name, value] of fields) {
    if (value !== undefined) {
      header += `${name}: ${CONTROL.test(value) ? value.replaceAll(CONTROLS, " ") : value}${CRLF}`;
    }
  }
  let blockBytes = 0;
  for (const part of block) blockBytes += part.length;
  header += `Content-Length: ${blockBytes}${CRLF}${CRLF}`;
  return [encoder.encode(header), ...block, RECORD_END];
}
