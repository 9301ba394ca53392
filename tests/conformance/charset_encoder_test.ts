/**
 * Encoders of legacy charsets, made from the platform's decoders, against the indexes of the Encoding Standard: every
 * code point of the BMP, and so the platform's decoders too.
 */

import assert from "node:assert/strict";
import { encoderOf, type EncoderTable } from "../../core-wasm/charset_encoder.ts";
import { CORPORA_ABSENT, corpusText } from "../support/corpora.ts";
import { test } from "../support/test.ts";

type Index = readonly (number | null)[];

/** How a charset's pointers become bytes, which of them are encoded, and what stands beside its index. */
interface Layout {
  readonly index: string;
  readonly bytes: (pointer: number) => number;
  readonly encodes?: (pointer: number) => boolean;
  readonly lastWins?: ReadonlySet<number>;
  readonly beside?: (table: EncoderTable) => void;
}

const pair = (lead: number, trail: number): number => (lead << 8) | trail;
const gb = (pointer: number): number => {
  const trail = pointer % 190;
  return pair(Math.floor(pointer / 190) + 0x81, trail + (trail < 0x3f ? 0x40 : 0x41));
};

/** Encoding 12.1.2, 12.3.2: both halves of JIS X 0201, and the minus sign by its wide twin. */
function besideJis(katakana: (offset: number) => number): (table: EncoderTable) => void {
  return (table) => {
    for (let offset = 0; offset <= 0x3e; offset++) table[0xff61 + offset] = katakana(offset);
    table[0xa5] = 0x5c;
    table[0x203e] = 0x7e;
    table[0x2212] = table[0xff0d]!;
  };
}

const DOUBLE_BYTE: Readonly<Record<string, Layout>> = {
  "gbk": { index: "gb18030", bytes: gb, beside: (table) => table[0x20ac] = 0x80 },
  "gb18030": { index: "gb18030", bytes: gb },
  "euc-kr": { index: "euc-kr", bytes: (pointer) => pair(Math.floor(pointer / 190) + 0x81, pointer % 190 + 0x41) },
  "euc-jp": {
    index: "jis0208",
    bytes: (pointer) => pair(Math.floor(pointer / 94) + 0xa1, pointer % 94 + 0xa1),
    encodes: (pointer) => pointer < 94 * 94,
    beside: besideJis((offset) => pair(0x8e, 0xa1 + offset)),
  },
  "shift_jis": {
    index: "jis0208",
    bytes: (pointer) => {
      const lead = Math.floor(pointer / 188);
      const trail = pointer % 188;
      return pair(lead + (lead < 0x1f ? 0x81 : 0xc1), trail + (trail < 0x3f ? 0x40 : 0x41));
    },
    encodes: (pointer) => pointer < 8272 || pointer > 8835,
    beside: (table) => {
      besideJis((offset) => 0xa1 + offset)(table);
      table[0x80] = 0x80;
    },
  },
  "big5": {
    index: "big5",
    bytes: (pointer) => {
      const trail = pointer % 157;
      return pair(Math.floor(pointer / 157) + 0x81, trail + (trail < 0x3f ? 0x40 : 0x62));
    },
    encodes: (pointer) => pointer >= (0xa1 - 0x81) * 157,
    lastWins: new Set([0x2550, 0x255e, 0x2561, 0x256a, 0x5341, 0x5345]),
  },
};

const SINGLE_BYTE: Layout = { index: "", bytes: (pointer) => pointer + 0x80 };

function expected(index: Index, { bytes, encodes, lastWins, beside }: Layout): EncoderTable {
  const table: EncoderTable = new Uint16Array(0x10000);
  for (let code = 1; code < 0x80; code++) table[code] = code;
  for (const [pointer, code] of index.entries()) {
    if (code === null || code > 0xffff || encodes?.(pointer) === false) continue;
    if (table[code] === 0 || lastWins?.has(code)) table[code] = bytes(pointer);
  }
  beside?.(table);
  return table;
}

test("charset: every encoder is the Encoding Standard's", () => {
  const indexes = JSON.parse(corpusText("5-html/encoding-indexes.json")) as Readonly<Record<string, Index>>;
  const singles = Object.keys(indexes).filter((name) => indexes[name]!.length === 128);
  assert.ok(singles.length >= 25, `only ${singles.length} single-byte indexes were found`);
  for (const charset of [...singles, ...Object.keys(DOUBLE_BYTE)]) {
    const layout = DOUBLE_BYTE[charset] ?? SINGLE_BYTE;
    const wanted = expected(indexes[layout.index || charset]!, layout);
    const found = encoderOf(charset);
    assert.ok(found !== undefined, charset);
    const wrong = [...wanted.keys()].filter((code) => found[code] !== wanted[code]).map((code) => code.toString(16));
    assert.deepEqual(wrong.slice(0, 20), [], charset);
  }
}, { skip: CORPORA_ABSENT });

test("charset: pages whose queries are in UTF-8 have no encoder", () => {
  for (const charset of ["utf-8", "utf-16le", "utf-16be", "replacement"]) assert.equal(encoderOf(charset), undefined);
});
