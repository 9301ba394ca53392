/**
 * The block of a metadata record (ISO 28500 6.6): what the crawler knows of a capture that the server didn't say.
 * Invariant: `application/warc-fields`, one field a line; what isn't known has no line.
 */

import type { ArchiveEntry } from "../ports.ts";

const encoder = new TextEncoder();
// deno-lint-ignore no-control-regex
const CONTROLS = /[\0-\x1f\x7f]+/g;

/** Field names as other crawlers have them, where there are such. Times are whole milliseconds. */
export function metadataBlock({ exchange, facts, contentHash }: ArchiveEntry): Uint8Array {
  const { connectMs, firstByteMs, totalMs } = exchange.timings;
  let text = `fetchTimeMs: ${Math.round(totalMs)}\r\n`;
  if (firstByteMs !== undefined) text += `firstByteTimeMs: ${Math.round(firstByteMs)}\r\n`;
  if (connectMs !== undefined) text += `connectTimeMs: ${Math.round(connectMs)}\r\n`;
  if (contentHash !== undefined) {
    text += `contentHash: sha256:${contentHash}\r\ndecodedBytes: ${exchange.decoded.length}\r\n`;
  }
  if (exchange.decodeProblem !== undefined) {
    text += `decodeProblem: ${exchange.decodeProblem.replaceAll(CONTROLS, " ")}\r\n`;
  }
  if (facts === undefined) return encoder.encode(text);
  text += `charset-detected: ${facts.charset}\r\nsimhash: ${facts.simhash}\r\noutlinkCount: ${facts.outlinks}\r\n`;
  return encoder.encode(text);
}
