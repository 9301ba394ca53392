/** A hit is right, whatever took whose place. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "../../tests/support/test.ts";
import { SeenCache } from "./libsql_seen_cache.ts";

const key = fc.tuple(
  fc.nat(4095),
  fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 2 ** 32 })),
  fc.bigInt(0n, 9n),
);

test("a cache of few places never claims a key that wasn't added, and holds the newest", () => {
  fc.assert(fc.property(fc.array(key), fc.array(key), (added, asked) => {
    const cache = new SeenCache(4);
    const names = new Set<string>();
    for (const [slot, crawl, fingerprint] of added) {
      cache.add(slot, crawl, fingerprint);
      names.add(`${slot} ${crawl} ${fingerprint}`);
      assert.equal(cache.has(slot, crawl, fingerprint), crawl < 2 ** 20);
    }
    for (const [slot, crawl, fingerprint] of asked) {
      if (cache.has(slot, crawl, fingerprint)) assert.ok(names.has(`${slot} ${crawl} ${fingerprint}`));
    }
  }));
});

test("an empty cache holds nothing, the zero fingerprint included", () => {
  const cache = new SeenCache(4);
  assert.equal(cache.has(0, 1, 0n), false);
  assert.equal(cache.has(4095, 0, 0n), false);
});
