/**
 * Puts a page into the core's memory as UTF-8: in place when it is UTF-8, decoded in the core when it is windows-1252 or
 * broken UTF-8, by the platform's TextDecoder for the other legacy charsets.
 */

import { BUFFER, put, reserve } from "./buffers.ts";
import { declaredCharset, lateCharset } from "./charset.ts";
import type { RawDoor } from "./instance.ts";

export interface PageText {
  /** Bytes of UTF-8 in the core's page buffer. */
  readonly length: number;
  /** WHATWG encoding name, lower case. */
  readonly charset: string;
  /** The page goes on beyond what was read. */
  readonly cut: boolean;
}

export interface PageSource {
  readonly contentType?: string | undefined;
  readonly maxBytes: number;
}

const encoder = new TextEncoder();

/** Decodes at most `maxBytes` of the page. Undeclared pages are UTF-8 where that is valid, windows-1252 otherwise. */
export function putPage(raw: RawDoor, html: Uint8Array, { contentType, maxBytes }: PageSource): PageText {
  const cut = html.length > maxBytes;
  const declared = declaredCharset(html, contentType);
  const bytes = html.subarray(declared?.bomBytes ?? 0, cut ? maxBytes : html.length);
  if (declared === undefined || declared.name === "utf-8") {
    put(raw, BUFFER.htmlPage, bytes);
    const length = raw.raw_utf8(bytes.length, cut ? 1 : 0);
    if (length >= 0) return { length, charset: "utf-8", cut };
  }
  const charset = declared?.name ?? lateCharset(bytes) ?? "windows-1252";
  const isCores = charset === "utf-8" || charset === "windows-1252";
  return { length: isCores ? decodeInCore(raw, bytes, charset) : decodeByPlatform(raw, bytes, charset), charset, cut };
}

function decodeInCore(raw: RawDoor, bytes: Uint8Array, charset: string): number {
  put(raw, BUFFER.htmlLegacy, bytes);
  return raw.raw_decode(bytes.length, charset === "windows-1252" ? 1 : 0);
}

/** "replacement" stands for encodings that must not be decoded: such a page is one U+FFFD (Encoding 14.1). */
function decodeByPlatform(raw: RawDoor, bytes: Uint8Array, charset: string): number {
  const text = charset === "replacement" ? "\ufffd" : new TextDecoder(charset, { ignoreBOM: true }).decode(bytes);
  const room = text.length * 3;
  const address = reserve(raw, BUFFER.htmlPage, room);
  return encoder.encodeInto(text, new Uint8Array(raw.memory.buffer, address, room)).written;
}
