/**
 * Text to bytes and back in any charset of the Encoding Standard, by the core.
 * Invariant: the same bytes on every runtime; nothing is asked of the platform but UTF-8.
 */

import { BUFFER, BUFFER_BYTES, put, reserve } from "./buffers.ts";
import { charsetOf } from "./charset.ts";
import { charsetId, CHARSETS } from "./charset_ids.ts";
import type { CoreSlot } from "./instance.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** These have no encoder (Encoding 4.3, "get an output encoding"): UTF-8 stands for them. */
const WITHOUT_ENCODER = new Set(["utf-8", "utf-16le", "utf-16be", "replacement"]);

function known(label: string): string {
  const name = charsetOf(label);
  if (name === undefined) throw new Error(`Naming a charset found ${JSON.stringify(label)}; wanted a WHATWG label.`);
  return name;
}

/** What the core makes room for, at most, for each byte that is decoded or encoded (assembly/door_charset.ts). */
const DECODED_FACTOR = 3;
const ENCODED_FACTOR = 8;
/** Room beyond that. */
const SPARE_BYTES = 16;

/** Refuses what the core has no buffer for: it would answer with no bytes, as for an empty text. */
function checkRoom(what: string, bytes: number, factor: number): void {
  const most = Math.floor((BUFFER_BYTES - SPARE_BYTES) / factor);
  if (bytes > most) throw new RangeError(`${what} ${bytes} bytes at once failed: at most ${most} are wanted.`);
}

/** See Core.decode. */
export function decodeText(slot: CoreSlot, bytes: Uint8Array, label: string): string {
  const id = charsetId(known(label));
  checkRoom("Decoding", bytes.length, DECODED_FACTOR);
  return slot.run(({ raw }) => {
    put(raw, BUFFER.htmlLegacy, bytes);
    const length = raw.raw_decode(bytes.length, id);
    return decoder.decode(new Uint8Array(raw.memory.buffer, reserve(raw, BUFFER.htmlPage, length), length));
  });
}

/** See Core.encode. */
export function encodeText(slot: CoreSlot, text: string, label: string): Uint8Array {
  const name = known(label);
  const utf8 = encoder.encode(text);
  if (WITHOUT_ENCODER.has(name)) return utf8;
  checkRoom("Encoding", utf8.length, ENCODED_FACTOR);
  return slot.run(({ raw }) => {
    put(raw, BUFFER.htmlPage, utf8);
    const length = raw.raw_encode(utf8.length, charsetId(name));
    return new Uint8Array(raw.memory.buffer, reserve(raw, BUFFER.htmlLegacy, length), length).slice();
  });
}

/** See Core.detect. */
export function detectCharset(slot: CoreSlot, bytes: Uint8Array): string {
  return slot.run(({ raw }) => {
    put(raw, BUFFER.htmlLegacy, bytes);
    return CHARSETS[raw.raw_detect(bytes.length) & 0xff]!;
  });
}
