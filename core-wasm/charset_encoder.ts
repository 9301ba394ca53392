/**
 * Encoders of legacy charsets, for the queries of links (URL Standard 4.4): tables made from the platform's decoders at
 * their first need. Charsets with states or four-byte codes (iso-2022-jp, gb18030's extension) have no such table.
 */

/** u16 per code point of the BMP: the bytes it is encoded by, the first of two in the high half; 0 = can't be. */
export type EncoderTable = Uint16Array;

const CODES = 0x10000;
const REPLACEMENT = 0xfffd;
const NEWLINE = 0x0a;

const DOUBLE_BYTE = new Set(["gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr"]);
/** UTF-16 pages and those that can't be decoded have their queries in UTF-8 (Encoding 4.3, "get an output encoding"). */
const NONE = new Set(["utf-8", "utf-16le", "utf-16be", "replacement", "iso-2022-jp", "x-user-defined"]);

/** Private use: what Shift_JIS decodes for vendors' characters, and never encodes (Encoding 12.3.1). */
const isPrivateUse = (code: number): boolean => code >= 0xe000 && code <= 0xf8ff;

/** Whether the encoder leaves this pair to another one (Encoding 11.1.1 Big5, 12.3.1 index Shift_JIS pointer). */
function isDecodeOnly(charset: string, lead: number, trail: number): boolean {
  // Hong Kong's supplement is decoded, never encoded.
  if (charset === "big5") return lead < 0xa1;
  if (charset !== "shift_jis") return false;
  const pointer = (lead - (lead < 0xa0 ? 0x81 : 0xc1)) * 188 + trail - (trail < 0x7f ? 0x40 : 0x41);
  return pointer >= 8272 && pointer <= 8835;
}

/** Box drawing and two ideographs that Big5 has twice: there the last pair counts. */
const BIG5_LAST = new Set([0x2550, 0x255e, 0x2561, 0x256a, 0x5341, 0x5345]);

function addSingleBytes(table: EncoderTable, decoder: TextDecoder): void {
  for (let byte = 0x80; byte <= 0xff; byte++) {
    const text = decoder.decode(new Uint8Array([byte]));
    const code = text.codePointAt(0) ?? REPLACEMENT;
    if (text.length === 1 && code !== REPLACEMENT && table[code] === 0) table[code] = byte;
  }
}

/** All pairs in one decode, a line each: a pair stands for a character when its line is one. */
function addDoubleBytes(table: EncoderTable, decoder: TextDecoder, charset: string): void {
  const pairs: number[] = [];
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) pairs.push(lead, trail, NEWLINE);
  }
  const lines = decoder.decode(new Uint8Array(pairs)).split("\n");
  for (const [index, line] of lines.entries()) {
    const code = line.charCodeAt(0);
    if (line.length !== 1 || code === REPLACEMENT || code < 0x80) continue;
    if (charset === "shift_jis" && isPrivateUse(code)) continue;
    const lead = pairs[index * 3]!;
    const trail = pairs[index * 3 + 1]!;
    if (isDecodeOnly(charset, lead, trail)) continue;
    if (table[code] === 0 || (charset === "big5" && BIG5_LAST.has(code))) table[code] = (lead << 8) | trail;
  }
}

function make(charset: string): EncoderTable {
  const table: EncoderTable = new Uint16Array(CODES);
  const decoder = new TextDecoder(charset, { ignoreBOM: true });
  for (let code = 1; code < 0x80; code++) table[code] = code;
  // gb18030 decodes 0x80 for gbk's sake, and has a pair for the euro sign (Encoding 10.2.2).
  if (charset !== "gb18030") addSingleBytes(table, decoder);
  if (DOUBLE_BYTE.has(charset)) addDoubleBytes(table, decoder, charset);
  // Encoding 12.3.2: the yen sign and the overline are ASCII's bytes; the minus sign is written by its wide twin.
  if (charset === "shift_jis" || charset === "euc-jp") {
    table[0xa5] = 0x5c;
    table[0x203e] = 0x7e;
    table[0x2212] = table[0xff0d]!;
  }
  return table;
}

const tables = new Map<string, EncoderTable>();

/** The encoder of a charset (WHATWG name, lower case); undefined when queries are in UTF-8 on its pages. */
export function encoderOf(charset: string): EncoderTable | undefined {
  if (NONE.has(charset)) return undefined;
  let table = tables.get(charset);
  if (table === undefined) {
    table = make(charset);
    tables.set(charset, table);
  }
  return table;
}

/** Text in a legacy charset; what it lacks is written as `&#NNNN;`, as forms do (Encoding 4.1, error mode "html"). */
export function encodeText(text: string, table: EncoderTable): Uint8Array {
  const bytes: number[] = [];
  for (const letter of text) {
    const code = letter.codePointAt(0)!;
    const encoded = code < 0x80 ? code : table[code] ?? 0;
    if (code >= 0x80 && encoded === 0) { for (const digit of `&#${code};`) bytes.push(digit.charCodeAt(0)); }
    else if (encoded > 0xff) bytes.push(encoded >> 8, encoded & 0xff);
    else bytes.push(encoded);
  }
  return Uint8Array.from(bytes);
}
