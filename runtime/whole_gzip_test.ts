import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { test } from "../tests/support/test.ts";
import { wholeGzip } from "./whole_gzip.ts";

const isBun = "Bun" in globalThis;
const CAP = 1_000_000;
const text = new TextEncoder().encode("a page of some words, with others. ".repeat(200));

function member(data: Uint8Array, level = 6): Uint8Array {
  return new Uint8Array(gzipSync(data, { level }));
}

function changed(bytes: Uint8Array, at: number, change: (byte: number) => number): Uint8Array {
  const copy = bytes.slice();
  const index = at < 0 ? copy.length + at : at;
  copy[index] = change(copy[index]!);
  return copy;
}

test("wholeGzip: one sound member is decoded where the runtime can", () => {
  for (const data of [text, Uint8Array.of(7), new Uint8Array(300)]) {
    const decoded = wholeGzip(member(data), CAP);
    if (isBun) assert.deepEqual(decoded, data);
    else assert.equal(decoded, undefined);
  }
});

test("wholeGzip: a view into a larger read is decoded by itself", () => {
  const one = member(text);
  const larger = new Uint8Array(one.length + 200).fill(0x1f);
  larger.set(one, 100);
  assert.deepEqual(wholeGzip(larger.subarray(100, 100 + one.length), CAP), isBun ? text : undefined);
});

test("wholeGzip: what isn't one sound member is left to zlib", () => {
  const one = member(text);
  const cases: Record<string, Uint8Array> = {
    "two different members": Buffer.concat([one, member(new Uint8Array(50))]),
    "one member twice": Buffer.concat([one, one]),
    "an empty member twice": Buffer.concat([member(new Uint8Array(0)), member(new Uint8Array(0))]),
    "bytes behind it": Buffer.concat([one, new Uint8Array(5)]),
    "its own trailer again behind it": Buffer.concat([one, one.subarray(-8)]),
    "a cut stream": one.subarray(0, one.length >> 1),
    "a cut trailer": one.subarray(0, -1),
    "a wrong CRC": changed(one, -8, (byte) => byte ^ 1),
    "a size that is too small": changed(one, -4, (byte) => byte - 1),
    "a size that is too large": changed(one, -4, (byte) => byte + 1),
    "corrupt data": changed(one, 20, (byte) => byte ^ 0xff),
    "an optional field": changed(one, 3, () => 8),
    "another method": changed(one, 2, () => 7),
    "no gzip": text,
    "nothing": new Uint8Array(0),
  };
  for (const [name, bytes] of Object.entries(cases)) assert.equal(wholeGzip(bytes, CAP), undefined, name);
});

test("wholeGzip: more than the cap, and inputs that could hide a bomb, are left to zlib", () => {
  assert.equal(wholeGzip(member(text), text.length - 1), undefined);
  const long = new Uint8Array(40_000).map((_, i) => (i * i * 7919) >> 5);
  assert.equal(wholeGzip(member(long, 0), CAP), undefined);
  // 10 MB in 10 kB, whose trailer says 100 bytes.
  const bomb = member(new Uint8Array(10_000_000));
  new DataView(bomb.buffer).setUint32(bomb.length - 4, 100, true);
  assert.equal(wholeGzip(bomb, CAP), undefined);
});

test("wholeGzip: agrees with zlib wherever it answers", () => {
  const data = fc.uint8Array({ maxLength: 400 });
  const damage = fc.record({ at: fc.nat(), by: fc.integer({ min: 0, max: 255 }) });
  fc.assert(fc.property(fc.array(data, { minLength: 1, maxLength: 3 }), damage, (parts, { at, by }) => {
    const whole = Buffer.concat(parts.map((part) => member(part)));
    const bytes = changed(whole, at % whole.length, (byte) => byte ^ by);
    const decoded = wholeGzip(bytes, CAP);
    if (decoded !== undefined) assert.deepEqual(decoded, new Uint8Array(gunzipSync(bytes)));
    if (isBun && by === 0 && parts.length === 1 && parts[0]!.length > 0) assert.deepEqual(decoded, parts[0]);
  }));
});
