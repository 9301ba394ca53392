/** The laws of keys over every URL that the corpora hold, whatever their sources expect of it. */

import assert from "node:assert/strict";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT } from "../support/corpora.ts";
import { corpusUrls } from "../support/corpus_urls.ts";
import { test } from "../support/test.ts";

const core = await loadCore();

test("a key is its own key, has its own fingerprint, and both doors agree on it", () => {
  const urls = corpusUrls();
  const batch = core.urls(urls);
  let keys = 0;
  for (const [i, url] of urls.entries()) {
    const facts = core.url(url, "http://base.example/a/b?c#d");
    if ("error" in facts || facts.key === "") continue;
    keys++;
    const again = core.url(facts.key);
    assert.ok(!("error" in again), facts.key);
    assert.equal(again.key, facts.key, url);
    assert.equal(core.xxh64(new TextEncoder().encode(facts.key)), facts.fingerprint, url);
    if (batch.ok(i)) assert.equal(batch.key(i), (core.url(url) as { key: string }).key, url);
  }
  assert.ok(keys > 900, `only ${keys} keys`);
}, { skip: CORPORA_ABSENT });
