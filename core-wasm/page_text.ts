/**
 * Puts a page into the core's memory as UTF-8, and says which charset it was in (README.md, Charsets): what is declared
 * counts (charset.ts), unless the bytes contradict it; else the core's detector decides.
 */

import { BUFFER, put } from "./buffers.ts";
import { declaredCharset, lateCharset } from "./charset.ts";
import { charsetId, CHARSETS } from "./charset_ids.ts";
import type { RawDoor } from "./instance.ts";

export interface PageText {
  /** Bytes of UTF-8 in the core's page buffer. */
  readonly length: number;
  /** WHATWG encoding name, lower case. */
  readonly charset: string;
  /** The page goes on beyond what was read. */
  readonly cut: boolean;
}

type Decoded = Omit<PageText, "cut">;

export interface PageSource {
  readonly contentType?: string | undefined;
  readonly maxBytes: number;
}

/** Declared as one of these, bytes can be wrong: not every sequence of them is a character. */
const CAN_BE_WRONG = new Set(["gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr"]);

/** Decodes at most `maxBytes` of the page. */
export function putPage(raw: RawDoor, html: Uint8Array, { contentType, maxBytes }: PageSource): PageText {
  const cut = html.length > maxBytes;
  const declared = declaredCharset(html, contentType);
  const bytes = html.subarray(declared?.bomBytes ?? 0, cut ? maxBytes : html.length);
  if (declared === undefined || declared.name === "utf-8") {
    put(raw, BUFFER.htmlPage, bytes);
    const length = raw.raw_utf8(bytes.length, cut ? 1 : 0);
    const other = length >= 0 && declared === undefined ? raw.raw_sevenBit(length) : 0;
    if (length >= 0 && other === 0) return { length, charset: "utf-8", cut };
  }
  put(raw, BUFFER.htmlLegacy, bytes);
  return { ...decoded(raw, bytes, declared?.name ?? lateCharset(bytes), declared?.bomBytes ?? 0), cut };
}

/** Decodes what lies in the core's buffer for legacy bytes. */
function decoded(raw: RawDoor, bytes: Uint8Array, declared: string | undefined, bomBytes: number): Decoded {
  if (declared === undefined) return decode(raw, bytes.length, detected(raw, bytes.length).charset);
  const text = decode(raw, bytes.length, declared);
  // A byte order mark is in the bytes themselves: nothing else can be meant.
  if (bomBytes > 0 || !isContradicted(raw, bytes.length, text)) return text;
  const meant = meantInstead(raw, bytes, declared);
  return decode(raw, bytes.length, meant ?? declared);
}

/** What a page is in that contradicts its header (or its `<meta>`): what its `<meta>` says, else what the detector finds. */
function meantInstead(raw: RawDoor, bytes: Uint8Array, declared: string): string | undefined {
  const inPage = lateCharset(bytes);
  if (inPage !== undefined && inPage !== declared) {
    if (!isContradicted(raw, bytes.length, decode(raw, bytes.length, inPage))) return inPage;
  }
  const found = detected(raw, bytes.length);
  return found.isGuess ? undefined : found.charset;
}

function decode(raw: RawDoor, length: number, charset: string): Decoded {
  return { length: raw.raw_decode(length, charsetId(charset)), charset };
}

function detected(raw: RawDoor, length: number): { charset: string; isGuess: boolean } {
  const answer = raw.raw_detect(length);
  return { charset: CHARSETS[answer & 0xff]!, isGuess: answer < 0 };
}

/**
 * Whether bytes can't be in the charset that raw_decode was just told: less of what is beyond ASCII is UTF-8 than not, or
 * a tenth of a legacy charset's characters, or more, are errors.
 */
function isContradicted(raw: RawDoor, length: number, text: Decoded): boolean {
  if (text.charset === "utf-8") return raw.raw_decodeErrors() !== 0 && raw.raw_mostlyUtf8(length) === 0;
  if (!CAN_BE_WRONG.has(text.charset)) return false;
  const errors = raw.raw_decodeErrors() >>> 0;
  return errors > 0 && errors * 10 >= raw.raw_beyondAscii(text.length);
}
