/** kill -9 on a process that commits: what it acknowledged is there, and what is there is a whole number of batches. */

import assert from "node:assert/strict";
import { connect } from "../../coordinator/store/libsql_client.ts";
import { lockDataFolder } from "../../coordinator/store/data_lock.ts";
import { openLibsqlShardStore } from "../../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../../runtime/node.ts";
import { linesUntilKilled, spawnChild } from "../support/kills.ts";
import { batch, held, keyOf, urlRow } from "../support/shard_rows.ts";
import { killBatch, URLS_PER_BATCH } from "../support/store_kill_child.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

const KILLS = 10;
const KILLS_IN_THREAD = 2;
/** Lines after which the child is killed, more or fewer by chance. */
const LINES = [1, 40, 7, 90, 15];

const CHILD = "store_kill_child.ts";

/** The store holds batches 1 to n whole, and nothing else; n. */
async function assertExactPrefix(location: string): Promise<number> {
  const raw = connect({ location });
  assert.deepEqual(Array.from((await raw.read("pragma quick_check"))[0]!), ["ok"]);
  raw.close();
  const store = openLibsqlShardStore({ location, clock: systemClock });
  await store.open("checker", 1);
  try {
    const snapshot = await store.load();
    const n = snapshot.batchSeq;
    const last = n === 0 ? batch(0) : killBatch(n);
    assert.equal(snapshot.urlCount, n * URLS_PER_BATCH);
    assert.deepEqual(snapshot.hosts, last.hosts);
    assert.deepEqual(snapshot.leases, last.leases);
    assert.deepEqual(snapshot.counters, last.counters);
    const queues = snapshot.backQueues.map(({ ready, accepted }) => [ready, accepted]);
    assert.deepEqual(queues, n === 0 ? [] : [[n * URLS_PER_BATCH - (n - 1), n * URLS_PER_BATCH]]);
    const wanted = Array.from({ length: n }, (_, i) => killBatch(i + 1).newUrls).flat()
      .map((row) =>
        row.seq % URLS_PER_BATCH === 0 && row.seq < n * URLS_PER_BATCH
          ? urlRow(row.seq, { state: "done", httpCode: 200 })
          : row
      );
    assert.deepEqual(await store.urls(wanted.map(keyOf)), wanted);
    assert.deepEqual(await held(store, [keyOf(urlRow((n + 1) * URLS_PER_BATCH))]), [0]);
    const captures = await store.captures("", 0, n + 10);
    assert.deepEqual(captures.map((row) => row.seq), Array.from({ length: n }, (_, i) => i + 1));
    return n;
  } finally {
    await store.close();
  }
}

async function killAgainAndAgain(job: "commit" | "commit-in-thread", kills: number): Promise<void> {
  const folder = temporaryFolder();
  const location = folder.file("frontier-0.db");
  try {
    let before = 0;
    for (let kill = 0; kill < kills; kill++) {
      const [start, ...acknowledged] = await linesUntilKilled(CHILD, [job, location], LINES[kill % LINES.length]!);
      assert.equal(start, `start ${before}`, "the child goes on where the last one stopped");
      const found = await assertExactPrefix(location);
      const last = Number(acknowledged.at(-1) ?? before);
      assert.ok(found === last || found === last + 1, `acknowledged ${last}, found ${found}`);
      before = found;
    }
    assert.ok(before >= kills / 2, `only ${before} batches in all`);
  } finally {
    await folder.remove();
  }
}

test("kill -9: nothing acknowledged is lost, and no batch is there by half", () => killAgainAndAgain("commit", KILLS), {
  timeoutMs: 120_000,
});

test(
  "kill -9 with the database in a thread: nothing acknowledged is lost, and no batch is there by half",
  () => killAgainAndAgain("commit-in-thread", KILLS_IN_THREAD),
  { timeoutMs: 120_000 },
);

test("the data folder's lock keeps another process out, and ends with kill -9", async () => {
  const folder = temporaryFolder();
  try {
    const holder = spawnChild(CHILD, ["lock", folder.file("lock")]);
    const ended = new Promise((resolve) => holder.on("close", resolve));
    await new Promise((resolve) => holder.stdout.once("data", resolve));
    await assert.rejects(lockDataFolder(folder.file("lock"), "me"), /it is in use by the child;/);
    holder.kill("SIGKILL");
    await ended;
    await (await lockDataFolder(folder.file("lock"), "me")).release();
  } finally {
    await folder.remove();
  }
}, { timeoutMs: 60_000 });
