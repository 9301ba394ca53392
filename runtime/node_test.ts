import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { test } from "../tests/support/test.ts";
import { base32, concat, hmacSigner, nativeDigest, nativeGzip, systemClock } from "./node.ts";

test("base32 agrees with the RFC 4648 vectors", () => {
  const utf8 = new TextEncoder();
  const vectors: [string, string][] = [["", ""], ["f", "MY"], ["fo", "MZXQ"], ["foo", "MZXW6"], [
    "foobar",
    "MZXW6YTBOI",
  ]];
  for (const [text, coded] of vectors) assert.equal(base32(utf8.encode(text)), coded);
});

test("digests agree with FIPS 180 vectors", () => {
  const abc = new TextEncoder().encode("abc");
  assert.equal(nativeDigest.sha256Hex(abc), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.equal(nativeDigest.sha1Base32(abc), "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
  assert.equal(nativeDigest.sha1Hex(abc), "a9993e364706816aba3e25717850c26c9cd0d89d");
  assert.equal(nativeDigest.sha1Hex(), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  const parts = [abc.subarray(0, 1), new Uint8Array(0), abc.subarray(1)];
  assert.equal(nativeDigest.sha1Base32(...parts), nativeDigest.sha1Base32(abc));
  assert.equal(nativeDigest.sha1Hex(...parts), nativeDigest.sha1Hex(abc));
});

test("a signer agrees with the RFC 4231 vectors, and takes no other signature and no short secret", () => {
  const key = "0b".repeat(20);
  assert.throws(() => hmacSigner(key), /32 bytes/);
  assert.throws(() => hmacSigner("0B".repeat(32)), /lower-case/);
  // RFC 4231 4.7: a key that is longer than a block.
  const signer = hmacSigner("aa".repeat(131));
  const text = "Test Using Larger Than Block-Size Key - Hash Key First";
  const signature = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54";
  assert.equal(signer.sign(text), signature);
  assert.ok(signer.verify(text, signature));
  for (const wrong of ["", signature.slice(1), `${signature}0`, signature.replace("6", "7"), "é".repeat(64)]) {
    assert.ok(!signer.verify(text, wrong), wrong);
  }
});

test("gzip members, small and streamed, decompress to what went in", async () => {
  for (const size of [0, 10, 1000, 600_000]) {
    const bytes = new Uint8Array(size).map((_, i) => i % 251);
    const member = await nativeGzip.compress([bytes.subarray(0, size >> 1), bytes.subarray(size >> 1)]);
    assert.deepEqual(new Uint8Array(gunzipSync(member)), concat([bytes], size));
  }
});

test("sleep ends at once when aborted, and never before its time", async () => {
  const stop = new AbortController();
  const long = systemClock.sleep(60_000, stop.signal);
  stop.abort();
  await long;
  const start = systemClock.monotonicMs();
  await systemClock.sleep(20);
  assert.ok(systemClock.monotonicMs() - start >= 19);
});
