/**
 * Encoders of legacy charsets against the indexes of the Encoding Standard: every code point.
 */

import assert from "node:assert/strict";
import { SINGLE_BYTE_CHARSETS } from "../../core-wasm/charset_ids.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusText } from "../support/corpora.ts";
import { test } from "../support/test.ts";

type Index = readonly (number | null)[];
/** The bytes of a code point, the first highest. */
type EncoderTable = Map<number, number>;

const core = await loadCore();

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
    for (let offset = 0; offset <= 0x3e; offset++) table.set(0xff61 + offset, katakana(offset));
    table.set(0xa5, 0x5c).set(0x203e, 0x7e).set(0x2212, table.get(0xff0d)!);
  };
}

/** Private use that GB18030-2005 had (Encoding 10.2.2): first code point, first bytes, how many in a row. */
const PRIVATE_USE = [
  [0xe78d, 0xa6d9, 7],
  [0xe794, 0xa6ec, 2],
  [0xe796, 0xa6f3, 1],
  [0xe81e, 0xfe59, 1],
  [0xe826, 0xfe61, 1],
  [0xe82b, 0xfe66, 2],
  [0xe832, 0xfe6d, 1],
  [0xe843, 0xfe7e, 1],
  [0xe854, 0xfe90, 1],
  [0xe864, 0xfea0, 1],
] as const;

function besideGb(table: EncoderTable): void {
  for (const [code, bytes, count] of PRIVATE_USE) for (let i = 0; i < count; i++) table.set(code + i, bytes + i);
}

const DOUBLE_BYTE: Readonly<Record<string, Layout>> = {
  "gbk": {
    index: "gb18030",
    bytes: gb,
    beside: (table) => {
      besideGb(table);
      table.set(0x20ac, 0x80);
    },
  },
  "gb18030": { index: "gb18030", bytes: gb, beside: besideGb },
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
      table.set(0x80, 0x80);
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
  const table: EncoderTable = new Map();
  for (const [pointer, code] of index.entries()) {
    if (code === null || encodes?.(pointer) === false) continue;
    if (!table.has(code) || lastWins?.has(code)) table.set(code, bytes(pointer));
  }
  beside?.(table);
  return table;
}

function bytesOf(packed: number): number[] {
  return packed > 0xff ? [packed >> 8, packed & 0xff] : [packed];
}

/** gb18030's four bytes (Encoding 6, "index gb18030 ranges pointer"). */
function fourBytes(ranges: readonly (readonly [number, number])[], code: number): number[] {
  const [first, offset] = ranges.findLast(([, from]) => from <= code)!;
  const pointer = code === 0xe7c7 ? 7457 : first + code - offset;
  const [b, c] = [Math.floor(pointer / 1260) % 10, Math.floor(pointer / 10) % 126];
  return [0x81 + Math.floor(pointer / 12600), 0x30 + b, 0x81 + c, 0x30 + pointer % 10];
}

/** The BMP from U+0080 on and what of the other planes is near a table's end, without surrogates. */
function* codePoints(): Generator<number> {
  for (let code = 0x80; code <= 0xffff; code++) if (code < 0xd800 || code > 0xdfff) yield code;
  for (let code = 0x20000; code < 0x30000; code++) yield code;
  yield* [0x10000, 0x1f600, 0x30000, 0x10ffff];
}

test("encoders: every code point, as the Encoding Standard has it", () => {
  const indexes = JSON.parse(corpusText("5-html/encoding-indexes.json")) as Readonly<Record<string, Index>>;
  const ranges = indexes["gb18030-ranges"] as unknown as readonly (readonly [number, number])[];
  const codes = [...codePoints()];
  const text = codes.map((code) => String.fromCodePoint(code)).join("\n");
  for (const charset of [...SINGLE_BYTE_CHARSETS, ...Object.keys(DOUBLE_BYTE)]) {
    const layout = DOUBLE_BYTE[charset] ?? SINGLE_BYTE;
    const table = expected(indexes[layout.index || charset]!, layout);
    const wanted: number[] = [];
    for (const [i, code] of codes.entries()) {
      if (i > 0) wanted.push(0x0a);
      const packed = charset.startsWith("gb") && code === 0xe5e5 ? undefined : table.get(code);
      if (packed !== undefined) wanted.push(...bytesOf(packed));
      else if (charset === "gb18030" && code !== 0xe5e5) wanted.push(...fourBytes(ranges, code));
      else for (const digit of `&#${code};`) wanted.push(digit.charCodeAt(0));
    }
    const found = core.encode(text, charset);
    const at = wanted.findIndex((byte, i) => found[i] !== byte);
    assert.equal(at < 0 ? "" : `${charset} differs at ${at}: ${found.slice(at - 4, at + 4)}`, "");
    assert.equal(found.length, wanted.length, charset);
  }
}, { skip: CORPORA_ABSENT });

test("encoders: what was encoded is decoded to the same text", () => {
  const text = "日本語、テスト。漢字かな ASCII";
  for (const charset of ["shift_jis", "euc-jp", "iso-2022-jp", "gbk", "gb18030", "big5", "euc-kr"]) {
    assert.equal(core.decode(core.encode(text, charset), charset), text, charset);
  }
});

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);

test("encoders: ISO-2022-JP switches as the standard says and ends in ASCII", () => {
  const encoded = (text: string) => latin1(core.encode(text, "iso-2022-jp"));
  assert.equal(encoded("a"), "a");
  assert.equal(encoded("\u00a5"), "\x1b(J\\\x1b(B");
  assert.equal(encoded("\u00a5a\\~"), "\x1b(J\\a\x1b(B\\~");
  assert.equal(encoded("亜a"), "\x1b$B0!\x1b(Ba");
  assert.equal(encoded("\uff71\u2212"), '\x1b$B%"!]\x1b(B');
  assert.equal(encoded("亜€"), "\x1b$B0!\x1b(B&#8364;");
  assert.equal(encoded("\x1b亜\x0e"), "&#65533;\x1b$B0!\x1b(B&#65533;");
});

test("encoders: x-user-defined's bytes, and UTF-8 for those that have none", () => {
  assert.deepEqual([...core.encode("a\uf780\uf7ffé", "x-user-defined")], [97, 0x80, 0xff, ...bytesOfText("&#233;")]);
  for (const charset of ["utf-8", "utf-16le", "utf-16be", "replacement", "iso-2022-kr"]) {
    assert.deepEqual([...core.encode("é", charset)], [0xc3, 0xa9]);
  }
  assert.throws(() => core.encode("é", "nonsense"), /wanted a WHATWG label/);
});

function bytesOfText(text: string): number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0));
}
