/** Listings in a thread of their own: they see what is committed, end, and keep no commit waiting. */

import assert from "node:assert/strict";
import { listingThread } from "../../cli/listing_thread.ts";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { batch, captureRow, urlRow } from "../support/shard_rows.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

async function withStore(
  body: (store: ReturnType<typeof openLibsqlShardStore>, path: string) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder();
  const thread = listingThread();
  const location = folder.file("frontier 0 é#?.db");
  const store = openLibsqlShardStore({ location, clock: systemClock, reader: thread.reader });
  try {
    await store.open("test", 1);
    await body(store, location);
  } finally {
    await store.close();
    thread.close();
    await folder.remove();
  }
}

test("listings in a thread: each answer has what was durable when it was asked for", () =>
  withStore(async (store) => {
    assert.deepEqual(await store.captures("", 0, 10), []);
    for (let seq = 1; seq <= 30; seq++) {
      await store.commit(batch(seq, { captures: [captureRow(seq, `w${seq % 3}/a`)] }));
      assert.equal((await store.captures("", 0, 100)).length, seq);
      assert.deepEqual((await store.captures(`w${seq % 3}/`, seq - 1, 5)).map((row) => row.seq), [seq]);
    }
    const row = urlRow(1);
    await store.commit(batch(31, { newUrls: [row] }));
    assert.deepEqual(await store.lookUp([row, { ...row, crawlId: "other" }]), [row, undefined]);
    const [first] = await store.captures("", 0, 1);
    assert.deepEqual((await store.capturesOfContent(first!.content_hash, 2)).map(({ seq }) => seq), [30, 29]);
  }));

test("listings in a thread: a prefix that nothing fits is answered, however many rows there are", () =>
  withStore(async (store) => {
    for (let part = 0; part < 10; part++) {
      const captures = Array.from({ length: 1000 }, (_, index) => captureRow(part * 1000 + index + 1, "w/a"));
      await store.commit(batch(part + 1, { captures }));
    }
    assert.deepEqual(await store.captures("nothing", 0, 10), []);
    const all: number[] = [];
    for (let after = 0;;) {
      const rows = await store.captures("", after, 700);
      if (rows.length === 0) break;
      all.push(...rows.map(({ seq }) => seq));
      after = rows.at(-1)!.seq;
    }
    assert.deepEqual(all, Array.from({ length: 10_000 }, (_, index) => index + 1));
  }));

test("listings in a thread: one that fails is told in a sentence, and the next begins anew", async () => {
  const folder = temporaryFolder();
  const thread = listingThread();
  try {
    const reader = thread.reader(folder.file("empty.db"));
    await assert.rejects(reader.captures("", 0, 1), /^Error: Reading .*empty\.db failed: .*capture/);
    await reader.close();
  } finally {
    thread.close();
    await folder.remove();
  }
});
