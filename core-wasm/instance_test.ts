import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../tests/support/test.ts";
import { BUFFER, put, reserve } from "./buffers.ts";
import { CoreSlot } from "./instance.ts";
import { loadArtefact } from "./load.ts";
import { DEFAULT_PROFILE, rulesOf } from "./normalize_profile.ts";
import { urlBatch } from "./url_batch.ts";

const { module, instantiate } = await loadArtefact();
const RULES = rulesOf(DEFAULT_PROFILE);
const encoder = new TextEncoder();

test("an instance that trapped is replaced, others are kept", () => {
  const slot = new CoreSlot(module, instantiate);
  const first = slot.run((instance) => instance);
  assert.throws(() =>
    slot.run(() => {
      throw new WebAssembly.RuntimeError("unreachable");
    })
  );
  const second = slot.run((instance) => instance);
  assert.notEqual(second, first);
  assert.throws(() =>
    slot.run(() => {
      throw new Error("of the caller");
    })
  );
  assert.equal(slot.run((instance) => instance), second);
});

test("an instance above 64 MB is replaced before the next call", () => {
  const slot = new CoreSlot(module, instantiate);
  const first = slot.run((instance) => {
    reserve(instance.raw, BUFFER.input, 80_000_000);
    return instance;
  });
  const second = slot.run((instance) => instance);
  assert.notEqual(second, first);
  assert.ok(second.raw.memory.buffer.byteLength < 10_000_000);
});

test("a buffer over its bound is refused in a sentence", () => {
  const slot = new CoreSlot(module, instantiate);
  assert.throws(() => slot.run(({ raw }) => reserve(raw, BUFFER.input, 200_000_000)), /at most 128 MiB/);
});

test("both doors answer alike: batches, hashes, filters", () => {
  const slot = new CoreSlot(module, instantiate);
  const inputs = ["http://Example.com/?b&a", "nothing", "https://e.org/%7e", "http://u@e.org/"];
  const texts = inputs.map((input) => encoder.encode(input));
  const ends = Uint32Array.from(texts, (_, i) => texts.slice(0, i + 1).reduce((sum, text) => sum + text.length, 0));
  const { typed, raw } = slot.run((instance) => instance);
  const answer = typed.urls.normalize(encoder.encode(inputs.join("")), ends, 2048, RULES);
  const batch = urlBatch({ typed, raw }, inputs, { maxBytes: 2048, rules: RULES });
  assert.deepEqual([...answer.fingerprints], [...batch.fingerprints]);
  const statuses = answer.columns.subarray(0, inputs.length);
  const key = (status: number) => {
    const [from, length] = answer.columns.subarray(inputs.length * 2 + (status >> 2) * 4 + 2);
    return new TextDecoder().decode(answer.text.subarray(from!, from! + length!));
  };
  assert.deepEqual(Array.from(statuses, (status) => status < 0 ? "" : key(status)), inputs.map((_, i) => batch.key(i)));
  const bytes = encoder.encode("hash me");
  assert.equal(
    typed.hashing.xxh64(bytes),
    BigInt.asUintN(64, raw.raw_xxh64(put(raw, BUFFER.input, bytes), bytes.length)),
  );
  assert.equal(typed.filters.open(4), true);
  assert.equal(typed.filters.open(4), false);
  assert.deepEqual([...typed.filters.addAll(BigUint64Array.of(1n, 2n, 1n))], [1, 1, 0]);
  assert.deepEqual([...typed.filters.hasAll(BigUint64Array.of(1n, 3n))], [1, 0]);
});

test("nothing at all is a batch too, for an instance that was never used", () => {
  const instance = new CoreSlot(module, instantiate).run((made) => made);
  assert.equal(urlBatch(instance, [], { maxBytes: 2048, rules: RULES }).length, 0);
  const typed = new CoreSlot(module, instantiate).run((made) => made.typed);
  assert.equal(typed.urls.normalize(new Uint8Array(), new Uint32Array(), 2048, RULES).columns.length, 0);
  assert.equal(typed.hashing.xxh64(new Uint8Array()), 0xef46db3751d8e999n);
});

test("a batch keeps its answers whatever the core does next", () => {
  const slot = new CoreSlot(module, instantiate);
  const limits = { maxBytes: 2048, rules: RULES };
  const batch = slot.run((instance) => urlBatch(instance, ["http://E.org/%7e?b&a"], limits));
  slot.run((instance) => urlBatch(instance, Array.from({ length: 5000 }, (_, i) => `http://x${i}.org/%7e`), limits));
  slot.run(({ typed }) => typed.urls.facts("http://other/%7E", undefined, 2048, RULES));
  assert.deepEqual([batch.href(0), batch.key(0), batch.host(0)], [
    "http://e.org/%7e?b&a",
    "http://e.org/~?a&b",
    "e.org",
  ]);
});

test("ends that make no sense are bounded", () => {
  const { typed } = new CoreSlot(module, instantiate).run((instance) => instance);
  const text = encoder.encode("http://e.org/");
  const { columns } = typed.urls.normalize(text, Uint32Array.of(2 ** 32 - 1, 5, 13, 0), 2048, RULES);
  assert.deepEqual([...columns.subarray(0, 4)].map((status) => status >= 0), [true, false, false, false]);
});

test("any bytes are answered by the parser, broken UTF-8 too", () => {
  const { typed } = new CoreSlot(module, instantiate).run((instance) => instance);
  const prefix = encoder.encode("http://");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isHost) => {
      const input = isHost ? Uint8Array.of(...prefix, ...bytes) : bytes;
      const { columns, text } = typed.urls.normalize(input, Uint32Array.of(input.length), 2048, RULES);
      assert.ok(columns[0]! < 0 || text.every((byte) => byte > 0x20 && byte < 0x7f));
    }),
    { numRuns: 2000 },
  );
});
