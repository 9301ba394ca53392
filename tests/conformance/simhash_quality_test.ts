/**
 * SimHash on real pages: near-duplicates by named edits are within three bits, other pages aren't. A sample of what
 * `deno task quality` measures on all pages (docs/SIMHASH.md); the bounds leave room for the sample's size.
 */

import assert from "node:assert/strict";
import { loadCore } from "../../core-wasm/mod.ts";
import { CORPORA_ABSENT } from "../support/corpora.ts";
import { EDITS } from "../support/near_duplicates.ts";
import { measureQuality, precisionAt, shareWithin } from "../support/simhash_quality.ts";
import { test } from "../support/test.ts";

const BITS = 3;
/** Of some 60 pages; at 0.95 a standard deviation is 0.03. */
const LEAST_RECALL = { date: 0.92, ad: 0.87, session: 1, nav: 0.92, paragraph: 0.7 };

test("real pages: within three bits of their near-duplicates, and of nothing else", async () => {
  const quality = measureQuality(await loadCore(), { step: 8, seed: 7 });
  assert.ok(quality.pages > 50, `${quality.pages} pages`);
  for (const edit of EDITS) {
    const recall = shareWithin(quality.edits[edit], BITS);
    assert.ok(recall >= LEAST_RECALL[edit], `${edit}: recall ${recall}`);
    const precision = precisionAt(quality, edit, BITS);
    assert.ok(precision >= 0.98, `${edit}: precision ${precision}`);
  }
  assert.ok(shareWithin(quality.otherSite, BITS) < 0.01, "other sites");
  // The edits did something: what they made isn't the same page.
  assert.ok(shareWithin(quality.edits.ad, 0) < 0.9);
}, { skip: CORPORA_ABSENT, timeoutMs: 120_000 });
