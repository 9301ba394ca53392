/**
 * The core's decoders against the indexes of the Encoding Standard - every pair of bytes, every four-byte code - and
 * against a second reading of the standard's steps on random bytes. What the platform's TextDecoder makes of the same
 * bytes is compared too: in the versions that are built with it has no faults on them.
 */

import assert from "node:assert/strict";
import { CHARSETS, SINGLE_BYTE_CHARSETS } from "../../core-wasm/charset_ids.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT, corpusText } from "../support/corpora.ts";
import { type Indexes, ORACLE_CHARSETS, oracleDecode } from "../support/encoding_oracle.ts";
import { randomBytes } from "../support/random_bytes.ts";
import { test } from "../support/test.ts";

const core = await loadCore();
const indexes = CORPORA_ABSENT === undefined
  ? JSON.parse(corpusText("5-html/encoding-indexes.json")) as Indexes
  : undefined;

/** All pairs with a lead beyond ASCII, a line end after each so that an error can't eat into the next. */
function allPairs(): Uint8Array {
  const bytes: number[] = [];
  for (let lead = 0x80; lead <= 0xff; lead++) for (let trail = 0; trail <= 0xff; trail++) bytes.push(lead, trail, 0x0a);
  return Uint8Array.from(bytes);
}

function firstDifference(found: string, wanted: string): string {
  let at = 0;
  while (at < wanted.length && found[at] === wanted[at]) at++;
  return `at ${at}: found ${JSON.stringify(found.slice(at, at + 8))}, wanted ${
    JSON.stringify(wanted.slice(at, at + 8))
  }`;
}

function assertDecodes(charset: string, bytes: Uint8Array): void {
  const wanted = oracleDecode(indexes!, charset, bytes);
  const found = core.decode(bytes, charset);
  assert.ok(found === wanted, `${charset} ${firstDifference(found, wanted)}`);
}

test("decoders: every byte of every single-byte charset", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const charset of SINGLE_BYTE_CHARSETS) assertDecodes(charset, bytes);
  assert.equal(SINGLE_BYTE_CHARSETS.length, 27);
}, { skip: CORPORA_ABSENT });

test("decoders: every pair of bytes in every charset of more than one", () => {
  const bytes = allPairs();
  for (const charset of ORACLE_CHARSETS) assertDecodes(charset, bytes);
}, { skip: CORPORA_ABSENT });

test("decoders: JIS X 0212 in EUC-JP, and all pairs of ISO-2022-JP", () => {
  const triples: number[] = [];
  const pairs = [0x1b, 0x24, 0x42];
  for (let lead = 0x21; lead <= 0x7e; lead++) {
    for (let trail = 0x21; trail <= 0x7e; trail++) {
      triples.push(0x8f, lead | 0x80, trail | 0x80);
      pairs.push(lead, trail);
    }
  }
  assertDecodes("euc-jp", Uint8Array.from(triples));
  assertDecodes("iso-2022-jp", Uint8Array.from(pairs));
}, { skip: CORPORA_ABSENT });

test("decoders: four-byte codes of gb18030, all of the BMP and each range's ends beyond", () => {
  const bytes: number[] = [];
  const push = (pointer: number) => {
    bytes.push(0x81 + Math.floor(pointer / 12600), 0x30 + Math.floor(pointer / 1260) % 10);
    bytes.push(0x81 + Math.floor(pointer / 10) % 126, 0x30 + pointer % 10);
  };
  for (let pointer = 0; pointer < 39500; pointer++) push(pointer);
  for (const pointer of [188999, 189000, 189001, 500000, 1237574, 1237575, 1237576, 1587599]) push(pointer);
  assertDecodes("gb18030", Uint8Array.from(bytes));
}, { skip: CORPORA_ABSENT });

/** Bytes that mean something somewhere, so that random text meets every branch. */
const TELLING = [0x1b, 0x24, 0x28, 0x40, 0x42, 0x49, 0x4a, 0x0e, 0x30, 0x39, 0x7e, 0x7f, 0x80, 0x81, 0x8e, 0x8f, 0xa0];
const MORE = [0xa1, 0xd8, 0xdc, 0xdf, 0xe0, 0xfc, 0xfd, 0xfe, 0xff];

test("decoders: random bytes, as a second reading of the standard has them", () => {
  const random = randomBytes(20261130);
  for (const charset of [...ORACLE_CHARSETS, ...SINGLE_BYTE_CHARSETS]) {
    for (let round = 0; round < 60; round++) {
      const bytes = random(1 + round * 7);
      for (let i = 0; i < bytes.length; i++) {
        const telling = [...TELLING, ...MORE];
        if (round % 3 !== 0 && bytes[i]! % 3 !== 0) bytes[i] = telling[bytes[i]! % telling.length]!;
      }
      assertDecodes(charset, bytes);
    }
  }
}, { skip: CORPORA_ABSENT });

test("decoders: the platform's TextDecoder agrees", () => {
  const random = randomBytes(7);
  const inputs = [allPairs(), ...Array.from({ length: 40 }, (_, i) => random(50 + i * 11))];
  const differing = new Map<string, string>();
  for (const charset of CHARSETS) {
    // It refuses to decode "replacement".
    if (charset === "replacement") continue;
    for (const bytes of inputs) {
      const wanted = new TextDecoder(charset, { ignoreBOM: true }).decode(bytes);
      const found = core.decode(bytes, charset);
      if (found !== wanted) differing.set(charset, firstDifference(found, wanted));
    }
  }
  assert.deepEqual(Object.fromEntries(differing), {});
});
