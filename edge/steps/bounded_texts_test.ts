import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { test } from "../../tests/support/test.ts";
import { BoundedTexts } from "./bounded_texts.ts";

const RUNS = 300;

/** Bytes that an entry takes in the ring, as the class says it. */
function sizeOf(key: string, text: string): number {
  return 8 + 4 * Math.ceil((Buffer.byteLength(key) + Buffer.byteLength(text)) / 4);
}

test("bounded texts: what is kept is right, and is the newest, within both bounds and no less than they allow", () => {
  const word = fc.oneof(fc.integer({ min: 0, max: 300 }).map(String), fc.string({ unit: "grapheme", maxLength: 90 }));
  const bounds = fc.record({
    entries: fc.integer({ min: 1, max: 60 }),
    bytes: fc.integer({ min: 2, max: 1_000 }).map((words) => 4 * words),
  });
  fc.assert(
    fc.property(bounds, fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 400 }), (bounds, added) => {
      const texts = new BoundedTexts(bounds);
      /** In the order in which they were added. */
      const model = new Map<string, string>();
      for (const [key, text] of added) {
        const wasThere = texts.get(key);
        texts.add(key, text);
        if (sizeOf(key, text) > bounds.bytes) {
          assert.equal(texts.get(key), wasThere);
          continue;
        }
        if (wasThere === undefined) {
          model.delete(key);
          model.set(key, text);
        }
        assert.equal(texts.get(key), wasThere ?? text, "the newest, or the first of its key");
      }
      const known = [...model];
      const kept = known.map(([key, text]) => {
        const found = texts.get(key);
        assert.ok(found === undefined || found === text);
        return found !== undefined;
      });
      const gone = kept.filter((isKept) => !isKept).length;
      assert.ok(kept.slice(gone).every(Boolean), "the oldest go first");
      assert.equal(texts.size, known.length - gone);
      assert.ok(texts.size <= bounds.entries);
      const sizes = known.map(([key, text]) => sizeOf(key, text));
      const total = sizes.slice(gone).reduce((sum, size) => sum + size, 0);
      assert.ok(total <= bounds.bytes);
      const isFull = texts.size === bounds.entries || total + 2 * Math.max(...sizes) > bounds.bytes;
      assert.ok(gone === 0 || isFull, `${gone} of ${known.length} went though there was room`);
    }),
    { numRuns: RUNS },
  );
});

test("bounded texts: a hundred thousand are found again, and no text under another's key", () => {
  const texts = new BoundedTexts({ entries: 100_000, bytes: 16 << 20 });
  for (let i = 0; i < 250_000; i++) texts.add(`key ${i}`, `text ${i} ${"x".repeat(i % 50)}`);
  assert.equal(texts.size, 100_000);
  for (let i = 0; i < 250_000; i += 7) {
    assert.equal(texts.get(`key ${i}`), i < 150_000 ? undefined : `text ${i} ${"x".repeat(i % 50)}`);
  }
  assert.equal(texts.get("key 250000"), undefined);
});

test("bounded texts: a key or text that is too long is left out", () => {
  const texts = new BoundedTexts({ entries: 10, bytes: 1 << 20 });
  texts.add("a", "x".repeat(65_535));
  texts.add("b", "x".repeat(65_536));
  texts.add("c".repeat(65_536), "x");
  assert.deepEqual([texts.get("a")?.length, texts.get("b"), texts.get("c".repeat(65_536))], [
    65_535,
    undefined,
    undefined,
  ]);
  assert.equal(texts.size, 1);
});

test("bounded texts: keys whose hashes are equal are told apart", () => {
  // FNV-1a gives both the same 32 bits.
  const [one, other] = ["1e56rtr", "0f94688"];
  const texts = new BoundedTexts({ entries: 10, bytes: 1 << 10 });
  texts.add(one, "the one");
  assert.equal(texts.get(other), undefined);
  texts.add(other, "the other");
  assert.deepEqual([texts.get(one), texts.get(other)], ["the one", "the other"]);
});
