import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { test } from "../tests/support/test.ts";
import { base32, concat, nativeDigest, nativeGzip, systemClock } from "./node.ts";

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
