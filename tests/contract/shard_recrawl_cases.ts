/** What every ShardStore does for a recrawl: settled URLs in order, and the captures that their rows name. */

import assert from "node:assert/strict";
import { batch, captureRow, urlRow } from "../support/shard_rows.ts";
import type { It } from "./shard_shelf.ts";

export function recrawlCases(it: It): void {
  it("settled URLs of a crawl are read in pages, those of a later fetch and of other crawls left out", async (store) => {
    const done = (seq: number, change = {}) => urlRow(seq, { state: "done", lastFetchAt: 100 + seq, ...change });
    const rows = [
      done(1),
      urlRow(2),
      done(3, { state: "dead" }),
      urlRow(4, { state: "waiting", availableAt: 5 }),
      done(5, { state: "excluded", lastFetchAt: 0 }),
      done(6, { crawlId: "other" }),
      done(7, { lastFetchAt: 900 }),
      done(8, { host: "b.example", domain: "b.example", slot: 9 }),
    ];
    await store.commit(batch(1, { newUrls: rows }));
    const seqs: number[][] = [];
    for (let cursor = 0;;) {
      const page = await store.readSettled("default", { cursor, before: 900 }, 2);
      seqs.push(page.rows.map(({ seq }) => seq));
      if (page.rows.length < 2) break;
      cursor = page.cursor;
    }
    assert.deepEqual(seqs, [[1, 3], [5, 8], []]);
    assert.deepEqual((await store.readSettled("default", { cursor: 0, before: 900 }, 1)).rows, [rows[0]]);
    assert.deepEqual((await store.readSettled("none", { cursor: 0, before: 900 }, 9)).rows, []);
  });

  it("a capture is found by its number and its URL, with what the page table keeps of it", async (store) => {
    const fingerprint = (1n << 63n) + 5n;
    const kept = captureRow(7, "a.warc.gz", {
      slot: 9,
      fingerprint,
      etag: '"é"',
      lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
    });
    await store.commit(batch(1, { captures: [kept, captureRow(8, "a.warc.gz")] }));
    const name = { slot: 9, fingerprint, seq: 7 };
    const [found, ...others] = await store.earlierCaptures([
      name,
      { ...name, seq: 8 },
      { ...name, slot: 8 },
      { ...name, fingerprint: 5n },
      { ...name, seq: 99 },
    ]);
    const { slot: _slot, fingerprint: _fingerprint, noindex: _noindex, canonical: _canonical, ...wanted } = kept;
    assert.deepEqual(found, wanted);
    assert.deepEqual(others, [undefined, undefined, undefined, undefined]);
    assert.deepEqual(await store.earlierCaptures([]), []);
  });
}
