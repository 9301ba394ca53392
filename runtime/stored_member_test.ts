import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { test } from "../tests/support/test.ts";
import { nativeGunzip } from "./gunzip.ts";
import { concat } from "./node.ts";
import { storedMember } from "./stored_member.ts";

const MAX = 1 << 24;

/** Noise that no part of which repeats soon. */
function noise(length: number, seed = 1): Uint8Array {
  let state = seed;
  return new Uint8Array(length).map(() => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 24);
}

/** Written behind other bytes, which stay as they are. */
function written(parts: readonly Uint8Array[]): Uint8Array {
  const member = storedMember(parts);
  const target = new Uint8Array(member.length + 10).fill(0xaa);
  member.writeTo(target, 7);
  assert.deepEqual([...target.subarray(0, 7), ...target.subarray(-3)], new Array(10).fill(0xaa));
  return target.slice(7, -3);
}

function check(parts: readonly Uint8Array[]): Uint8Array {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const member = written(parts);
  const data = concat(parts, total);
  assert.deepEqual(new Uint8Array(gunzipSync(member)), data);
  const read = nativeGunzip.member(member, MAX);
  assert.ok(read.state === "whole");
  assert.equal(read.used, member.length);
  assert.deepEqual(read.data, data);
  return member;
}

test("stored member: every length round a block's end, in one part and in several", () => {
  for (const length of [0, 1, 65_534, 65_535, 65_536, 65_537, 131_069, 131_070, 131_071, 200_000]) {
    const data = noise(length);
    const blocks = Math.max(1, Math.ceil(length / 65_535));
    assert.equal(check([data]).length, 10 + 5 * blocks + length + 8, `${length} bytes`);
    const cuts = [0, 7, 65_535, 65_536, 70_000].filter((cut) => cut <= length);
    for (const cut of cuts) check([data.subarray(0, cut), new Uint8Array(0), data.subarray(cut)]);
  }
  assert.equal(check([]).length, 23);
});

test("stored member: only the last block is final, and lengths stand with their complement", () => {
  const member = written([noise(65_535 + 3)]);
  assert.deepEqual([...member.subarray(10, 15)], [0, 0xff, 0xff, 0, 0]);
  const second = 15 + 65_535;
  assert.deepEqual([...member.subarray(second, second + 5)], [1, 3, 0, 0xfc, 0xff]);
});

test("stored member: the same data give the same member, however they are cut; views of a larger buffer too", () => {
  const whole = noise(100_000);
  const expected = written([whole.slice(20_000, 90_000)]);
  assert.deepEqual(written([whole.subarray(20_000, 50_001), whole.subarray(50_001, 90_000)]), expected);
});

test("stored member: a changed or missing byte is noticed", () => {
  const member = written([noise(2000)]);
  for (let at = 10; at < member.length; at++) {
    const bad = member.slice();
    bad[at]! ^= 0x10;
    const read = nativeGunzip.member(bad, MAX);
    // The five bits between a block's type and its length are padding.
    if (at > 10) assert.notEqual(read.state, "whole", `at ${at}`);
    assert.equal(nativeGunzip.member(member.subarray(0, at), MAX).state, "torn", `cut at ${at}`);
  }
});

test("stored member: any parts are read back", () => {
  const part = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.tuple(fc.nat(140_000), fc.nat()).map(([length, seed]) => noise(length, seed)),
  );
  fc.assert(fc.property(fc.array(part, { maxLength: 5 }), (parts) => void check(parts)), { numRuns: 60 });
});
