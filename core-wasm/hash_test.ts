import assert from "node:assert/strict";
import fc from "fast-check";
import xxhash from "xxhash-wasm";
import { test } from "../tests/support/test.ts";
import { loadCore } from "./mod.ts";

const core = await loadCore();
const reference = await xxhash();

test("XXH64 is that of xxhash-wasm for every length up to 300 and for random bytes", () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, i) => (i * 31 + 7) & 255);
  for (let length = 0; length <= bytes.length; length++) {
    const input = bytes.subarray(0, length);
    assert.equal(core.xxh64(input), reference.h64Raw(input), `length ${length}`);
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 5000 }), (input) => core.xxh64(input) === reference.h64Raw(input)));
});

test("XXH64 of nothing is the published value", () => {
  assert.equal(core.xxh64(new Uint8Array()), 0xef46db3751d8e999n);
});

test("the core's build hash is 16 hex digits", () => {
  assert.match(core.buildHash, /^[0-9a-f]{16}$/);
});
