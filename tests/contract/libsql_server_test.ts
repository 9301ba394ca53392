/** The contract suites on a libSQL server, and what only a network does: answers get lost. */

import assert from "node:assert/strict";
import { openLibsqlControlStore } from "../../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardReader } from "../../coordinator/store/libsql_shard_reader.ts";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { hranaServer } from "../support/hrana_server.ts";
import { batch, held, keyOf, urlRow } from "../support/shard_rows.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";
import { runControlStoreSuite } from "./control_store_suite.ts";
import { runShardStoreSuite } from "./shard_store_suite.ts";

const TOKEN = "a-token";

function served() {
  const folder = temporaryFolder();
  const server = hranaServer(folder.file("server.db"), TOKEN);
  const options = { location: "http://libsql.test", authToken: TOKEN, fetch: server.fetch };
  return {
    server,
    options,
    shard: () => openLibsqlShardStore({ ...options, clock: systemClock }),
    async remove() {
      server.close();
      await folder.remove();
    },
  };
}

runShardStoreSuite("libSQL server", async () => {
  const { shard, options, remove } = served();
  return { handle: shard, reader: () => openLibsqlShardReader(options), remove };
});

runControlStoreSuite("libSQL server", async () => {
  const { options, remove } = served();
  return { handle: () => openLibsqlControlStore(options), remove };
});

test("libSQL server: after a lost request or answer lastBatchSeq tells whether the commit happened", async () => {
  const { server, shard, remove } = served();
  const store = shard();
  try {
    await store.open("owner", 1);
    await store.commit(batch(1, { newUrls: [urlRow(1)] }));

    const second = batch(2, { newUrls: [urlRow(2)], changedUrls: [urlRow(1, { state: "done" })] });
    server.lose("request");
    await assert.rejects(
      store.commit(second),
      /^Error: Committing batch 2 to http:\/\/libsql\.test .*the server didn't answer/,
    );
    assert.equal(await store.lastBatchSeq(), 1);
    await store.commit(second);

    const third = batch(3, { newUrls: [urlRow(3, { host: "b.example", crawlId: "other" })] });
    server.lose("answer");
    await assert.rejects(store.commit(third), /the server didn't answer/);
    assert.equal(await store.lastBatchSeq(), 3);
    await assert.rejects(store.commit(third), /the store is at batch 3, and batch 2 is wanted/);

    await store.commit(batch(4, { newUrls: [urlRow(4, { host: "b.example", crawlId: "other" })] }));
    const keys = [1, 2, 3, 4].map((seq) => ({ ...keyOf(urlRow(seq)), crawlId: seq > 2 ? "other" : "default" }));
    assert.deepEqual(await held(store, keys), [1, 1, 1, 1]);
    const queues = (await store.load()).backQueues;
    assert.deepEqual(queues.map(({ host, accepted }) => [host, accepted]), [["a.example", 2], ["b.example", 2]]);
  } finally {
    await store.close();
    await remove();
  }
});

test("libSQL server: two that lay out an empty database at once share one", async () => {
  const { shard, remove } = served();
  const [a, b] = [shard(), shard()];
  try {
    const terms = await Promise.all([a.open("a", 1), b.open("b", 1)]);
    assert.deepEqual(terms.map(({ ownerTerm }) => ownerTerm).sort(), [1, 2]);
  } finally {
    await a.close();
    await b.close();
    await remove();
  }
});

test("libSQL server: a wrong token is a sentence, and the token isn't in it", async () => {
  const { options, remove } = served();
  const store = openLibsqlShardStore({ ...options, clock: systemClock, authToken: "secret-but-wrong" });
  try {
    await assert.rejects(store.open("owner", 1), (error) => {
      assert.match((error as Error).message, /^Opening http:\/\/libsql\.test failed: .*\.$/);
      assert.ok(!(error as Error).message.includes("secret-but-wrong"));
      return true;
    });
  } finally {
    await store.close();
    await remove();
  }
});
