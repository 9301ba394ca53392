/**
 * Any bytes, any charset: decoding, detection and encoding end, answer valid text, do the same on every runtime, and
 * take time in proportion to their input.
 */

import assert from "node:assert/strict";
import { CHARSETS } from "../../core-wasm/charset_ids.ts";
import { loadCore } from "../../core-wasm/mod.ts";
import { fingerprintToHex } from "../../protocol/ids.ts";
import { randomBytes } from "../support/random_bytes.ts";
import { test } from "../support/test.ts";

const core = await loadCore();
const encoder = new TextEncoder();

/** XXH64 over what the seeded inputs below are decoded to, detected as and encoded to: the same on every runtime. */
const GOLDEN = { decoded: "64006fcb09e3e157", detected: "45bbb75ff8685d83", encoded: "5c98a1b505d50a1d" };

const ESCAPES = ["\x1b$B", "\x1b(B", "\x1b(J", "\x1b$@", "\x1b(I", "\x1b", "\x1b$"];

/** Random bytes, of which some rounds are mostly ASCII, some mostly pairs, some full of escape sequences. */
function inputs(): Uint8Array[] {
  const random = randomBytes(4711);
  return Array.from({ length: 120 }, (_, round) => {
    const bytes = random(1 + round * 9);
    if (round % 4 === 1) return bytes.map((byte, i) => i % 7 === 0 ? byte : byte & 0x7f);
    if (round % 4 === 2) return bytes.map((byte) => byte | 0x80);
    if (round % 4 === 3) {
      const text = Array.from(bytes, (byte) => byte % 5 === 0 ? ESCAPES[byte % 7]! : String.fromCharCode(byte & 0x7f));
      return encoder.encode(text.join(""));
    }
    return bytes;
  });
}

function hashOf(lines: readonly string[]): string {
  return fingerprintToHex(core.xxh64(encoder.encode(lines.join("\n"))));
}

test("charsets: random bytes are decoded, detected and encoded alike everywhere", () => {
  const decoded: string[] = [];
  const detected: string[] = [];
  const encoded: string[] = [];
  for (const bytes of inputs()) {
    detected.push(core.detect(bytes));
    assert.ok(CHARSETS.includes(detected.at(-1)!));
    for (const charset of CHARSETS) {
      const text = core.decode(bytes, charset);
      assert.ok(text.isWellFormed(), charset);
      decoded.push(text);
      const back = core.encode(text, charset);
      encoded.push(core.decode(back, "latin1"));
    }
  }
  assert.deepEqual({ decoded: hashOf(decoded), detected: hashOf(detected), encoded: hashOf(encoded) }, GOLDEN);
});

/** What could make a decoder or the detector go back, one megabyte of it. */
const WORST: Readonly<Record<string, readonly number[]>> = {
  "leads": [0x81],
  "four-byte leads": [0x81, 0x30],
  "almost four bytes": [0x81, 0x30, 0x81],
  "escapes": [0x1b],
  "half escapes": [0x1b, 0x24],
  "switches": [0x1b, 0x24, 0x42],
  "surrogates": [0x00, 0xd8],
  "broken UTF-8": [0xf0, 0x9f, 0x98],
  "0xFF": [0xff],
  "lone accents": [0x61, 0xe9],
};

function filled(pattern: readonly number[], length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => pattern[i % pattern.length]!);
}

/** Best of three, ms. */
function timeOf(work: () => void): number {
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

test("charsets: four times the input takes about four times as long", () => {
  for (const [name, pattern] of Object.entries(WORST)) {
    const small = filled(pattern, 256 * 1024);
    const large = filled(pattern, 1024 * 1024);
    const work = (bytes: Uint8Array) => () => {
      for (const charset of ["gb18030", "iso-2022-jp", "euc-jp", "utf-16le", "utf-8"]) core.decode(bytes, charset);
      core.detect(bytes);
    };
    const [short, long] = [timeOf(work(small)), timeOf(work(large))];
    assert.ok(long < short * 16 + 50, `${name}: ${short} ms for 256 KB, ${long} ms for 1 MB`);
  }
});

test("charsets: nothing, one byte, and an end within every sequence", () => {
  for (const charset of CHARSETS) {
    assert.equal(core.decode(new Uint8Array(0), charset), "");
    assert.equal(core.encode("", charset).length, 0);
    for (let byte = 0; byte < 256; byte++) {
      const text = core.decode(Uint8Array.of(byte), charset);
      assert.ok(text.length <= 1, `${charset} ${byte}: ${JSON.stringify(text)}`);
    }
  }
  assert.equal(core.detect(new Uint8Array(0)), "utf-8");
});
