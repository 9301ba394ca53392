import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { nativeGunzip } from "./gunzip.ts";
import { nativeGzip } from "./node.ts";

const text = new TextEncoder().encode("one record\r\n".repeat(300));
const MAX = 1 << 20;

test("gunzip: reads one member and says where it ends", async () => {
  const first = await nativeGzip.compress([text]);
  const two = new Uint8Array([...first, ...await nativeGzip.compress([new Uint8Array([1, 2, 3])])]);
  const read = nativeGunzip.member(two, MAX);
  assert.ok(read.state === "whole");
  assert.deepEqual(read.data, text);
  assert.equal(read.used, first.length);
  const second = nativeGunzip.member(two.subarray(first.length), MAX);
  assert.ok(second.state === "whole");
  assert.deepEqual([...second.data], [1, 2, 3]);
});

test("gunzip: every proper prefix of a member is torn", async () => {
  const whole = await nativeGzip.compress([text]);
  for (let length = 0; length < whole.length; length++) {
    assert.equal(nativeGunzip.member(whole.subarray(0, length), MAX).state, "torn", `at ${length}`);
  }
});

test("gunzip: a changed byte is never taken for whole data", async () => {
  const whole = await nativeGzip.compress([text]);
  for (let at = 10; at < whole.length; at++) {
    const bad = whole.slice();
    bad[at]! ^= 0x41;
    const read = nativeGunzip.member(bad, MAX);
    if (read.state === "whole") assert.deepEqual(read.data, text, `at ${at}`);
  }
});

test("gunzip: a bomb stops at the cap, and header extras are skipped", async () => {
  const bomb = await nativeGzip.compress([new Uint8Array(2_000_000)]);
  assert.equal(nativeGunzip.member(bomb, 1000).state, "broken");
  const plain = await nativeGzip.compress([text]);
  const head = plain.slice(0, 10);
  head[3] = 4 | 8 | 16 | 2;
  const extras = [3, 0, 9, 9, 9, 0x61, 0, 0x62, 0x63, 0, 7, 7];
  const read = nativeGunzip.member(new Uint8Array([...head, ...extras, ...plain.subarray(10)]), MAX);
  assert.ok(read.state === "whole");
  assert.deepEqual(read.data, text);
  assert.equal(nativeGunzip.member(new TextEncoder().encode("WARC/1.1"), MAX).state, "broken");
});
