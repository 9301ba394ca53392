/** The contract suites on a libSQL server, and what only a network does: answers get lost. */

import assert from "node:assert/strict";
import { openLibsqlControlStore } from "../../coordinator/store/libsql_control_store.ts";
import { openLibsqlShardReader } from "../../coordinator/store/libsql_shard_reader.ts";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { OwnerLost } from "../../coordinator/owner_ports.ts";
import { TRIES } from "../../coordinator/store/libsql_repeat.ts";
import { systemClock } from "../../runtime/node.ts";
import { type HranaFault, hranaServer, listenHrana } from "../support/hrana_server.ts";
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

/** Every way in which a write's end can be unknown. */
const FAULTS: readonly HranaFault[] = ["request", "answer", "late", "503", "expired"];

for (const fault of FAULTS) {
  test(`libSQL server over a socket: a commit whose end is unknown (${fault}) happens exactly once`, async () => {
    const { server, options, remove } = served();
    const socket = await listenHrana(server);
    const store = openLibsqlShardStore({ location: socket.url, authToken: options.authToken, clock: systemClock });
    try {
      await store.open("owner", 1);
      await store.commit(batch(1, { newUrls: [urlRow(1)] }));
      server.fail(fault);
      await store.commit(batch(2, {
        newUrls: [urlRow(2), urlRow(3, { host: "b.example", crawlId: "other" })],
        changedUrls: [urlRow(1, { state: "done" })],
      }));
      assert.equal(await store.lastBatchSeq(), 2);
      server.fail(fault, fault);
      await store.commit(batch(3, { newUrls: [urlRow(4, { host: "b.example", crawlId: "other" })] }));
      await assert.rejects(store.commit(batch(3)), /the store is at batch 3, and batch 2 is wanted/);
      const keys = [1, 2, 3, 4].map((seq) => ({ ...keyOf(urlRow(seq)), crawlId: seq > 2 ? "other" : "default" }));
      assert.deepEqual(await held(store, keys), [1, 1, 1, 1]);
      const queues = (await store.load()).backQueues;
      assert.deepEqual(queues.map(({ host, accepted }) => [host, accepted]), [["a.example", 2], ["b.example", 2]]);
    } finally {
      await store.close();
      await socket.close();
      await remove();
    }
  });
}

test("libSQL server over a socket: a server that stays away fails the commit in a sentence, and it is looked up later", async () => {
  const { server, options, remove } = served();
  const socket = await listenHrana(server);
  const store = openLibsqlShardStore({ location: socket.url, authToken: options.authToken, clock: systemClock });
  try {
    await store.open("owner", 1);
    server.fail(...new Array(TRIES).fill("503"));
    await assert.rejects(
      store.commit(batch(1, { newUrls: [urlRow(1)] })),
      /^Error: Committing batch 1 to .*SERVER_ERROR/,
    );
    assert.equal(await store.lastBatchSeq(), 0);
    await store.commit(batch(1, { newUrls: [urlRow(1)] }));
  } finally {
    await store.close();
    await socket.close();
    await remove();
  }
});

test("libSQL server over a socket: an owner that was followed while its answer was lost is told so", async () => {
  const { server, options, remove } = served();
  const socket = await listenHrana(server);
  const open = () => openLibsqlShardStore({ location: socket.url, authToken: options.authToken, clock: systemClock });
  const [store, thief] = [open(), open()];
  try {
    await store.open("owner", 1);
    await thief.open("thief", 1);
    server.fail("request");
    await assert.rejects(store.commit(batch(1)));
    await assert.rejects(store.commit(batch(1)), OwnerLost);
    await thief.commit(batch(1));
  } finally {
    await store.close();
    await thief.close();
    await socket.close();
    await remove();
  }
});

test("libSQL server: taking, beating and giving back go on after lost answers, and count once", async () => {
  const { server, options, shard, remove } = served();
  const [first, next] = [shard(), shard()];
  const reader = openLibsqlShardReader(options);
  try {
    server.fail("answer", "503");
    await first.open("first", 1);
    const { ownerTerm } = (await reader.look())!;
    server.fail("answer", "answer");
    assert.deepEqual(await next.open("next", 1, ownerTerm), { ownerTerm: ownerTerm + 1 });
    server.fail("answer");
    await next.beat(1_790_000_000_000);
    server.fail("late", "answer");
    await next.giveBack();
    const look = (await reader.look())!;
    assert.deepEqual([look.owner, look.ownerTerm, look.ownerWallMs], ["", ownerTerm + 2, 1_790_000_000_000]);
  } finally {
    await first.close();
    await next.close();
    await reader.close();
    await remove();
  }
});

test("libSQL server: what is written to the control database is written again after a lost answer", async () => {
  const { server, options, remove } = served();
  const store = openLibsqlControlStore(options);
  try {
    await store.open();
    server.fail("answer");
    await store.directory.found(["http://a", "http://b"]);
    server.fail("late");
    assert.equal(await store.directory.addShard("http://c"), 2);
    server.fail("answer", "503");
    const claim = { crawlId: "c", shard: 0, term: 1, version: 1, used: 0, pages: 7, limit: 10 };
    assert.equal(await store.allotments.claim(claim), 7);
    assert.equal(await store.allotments.claim({ ...claim, shard: 1 }), 3);
    assert.deepEqual((await store.directory.read()).locations, ["http://a", "http://b", "http://c"]);
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
