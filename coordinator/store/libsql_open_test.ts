/** Files that are not ours, damaged, full or busy: one sentence each, and nothing changed. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { systemClock } from "../../runtime/node.ts";
import { batch, held, keyOf, urlRow } from "../../tests/support/shard_rows.ts";
import { temporaryFolder } from "../../tests/support/temporary.ts";
import { test } from "../../tests/support/test.ts";
import { connect } from "./libsql_client.ts";
import { openLibsqlControlStore } from "./libsql_control_store.ts";
import { openLibsqlShardStore } from "./libsql_shard_store.ts";
import { SHARD_FORMAT } from "./schema.ts";

const store = (location: string, over: { maxFileBytes?: number; busyMs?: number } = {}) =>
  openLibsqlShardStore({ location, clock: systemClock, ...over });

/** A file with `count` URLs in it, closed. */
async function filled(location: string, count: number): Promise<void> {
  const shard = store(location);
  await shard.open("writer", 1);
  await shard.commit(batch(1, { newUrls: Array.from({ length: count }, (_, i) => urlRow(i)) }));
  await shard.close();
}

/** Opening `location` is refused in one sentence that names it and matches `found`; its bytes stay. */
async function assertRefused(location: string, found: RegExp): Promise<void> {
  const before = readFileSync(location);
  const shard = store(location);
  await assert.rejects(shard.open("owner", 1), (error) => {
    assert.ok(error instanceof Error);
    assert.ok(error.message.startsWith(`Opening ${location} failed: `), error.message);
    assert.match(error.message, found);
    assert.match(error.message, /; [^;]+\.$/, "what is wanted comes last");
    assert.ok(!error.message.includes("\n"), "one line");
    return true;
  });
  await shard.close();
  assert.ok(before.equals(readFileSync(location)), "the file was changed");
}

function withFile(title: string, body: (location: string) => Promise<void>): void {
  test(title, async () => {
    const folder = temporaryFolder();
    try {
      await body(folder.file("frontier-0.db"));
    } finally {
      await folder.remove();
    }
  });
}

withFile("a text file is refused and stays", async (location) => {
  writeFileSync(location, "These are somebody's notes.\n".repeat(500));
  await assertRefused(location, /it is not an SQLite database/);
});

withFile("a file cut short is refused and stays", async (location) => {
  await filled(location, 500);
  writeFileSync(location, readFileSync(location).subarray(0, 40_000));
  await assertRefused(location, /the database is damaged/);
});

withFile("a file with overwritten pages is refused and stays", async (location) => {
  await filled(location, 2000);
  const bytes = readFileSync(location);
  bytes.fill(0xa5, 100_000, 150_000);
  writeFileSync(location, bytes);
  await assertRefused(location, /the database is damaged/);
});

withFile("another program's database is refused and stays", async (location) => {
  const other = connect({ location });
  await other.write([{ sql: "create table recipe (name text)", args: [] }]);
  other.close();
  await assertRefused(location, /it holds other tables \(recipe\), where a shard's frontier .* is wanted/);
});

withFile("the control database in a shard's place is refused and stays", async (location) => {
  const control = openLibsqlControlStore({ location });
  await control.open();
  await control.close();
  await assertRefused(location, /it holds other tables/);
});

withFile("a newer format is refused and stays", async (location) => {
  await filled(location, 1);
  const other = connect({ location });
  await other.write([{ sql: "update shard set format = 99", args: [] }]);
  await other.read("pragma wal_checkpoint(truncate)");
  other.close();
  await assertRefused(location, new RegExp(`it has format 99, and this version reads format ${SHARD_FORMAT}`));
});

withFile("a folder in the file's place is refused", async (location) => {
  mkdirSync(location);
  await assert.rejects(store(location).open("owner", 1), /^Error: Opening .* failed: a folder is there.*\.$/);
  await assert.rejects(openLibsqlControlStore({ location }).open(), /a folder is there/);
});

test("a file that can't be made is told in a sentence", async () => {
  const made = /^Error: Opening \/proc\/new\.db failed: (it can't be opened|its folder can't be made) \(.*\); .*\.$/;
  await assert.rejects(store("/proc/new.db").open("owner", 1), made);
});

test("an address that is none is told in a sentence", async () => {
  await assert.rejects(store("libsql://").open("owner", 1), /^Error: Opening libsql:\/\/ failed: the address can't be/);
});

withFile("an empty file becomes a shard", async (location) => {
  writeFileSync(location, "");
  await filled(location, 1);
});

withFile("a closed database is whole without its log", async (location) => {
  const control = openLibsqlControlStore({ location });
  await control.open();
  await control.putIdempotent("k", "answer", 1);
  await control.close();
  writeFileSync(`${location}.copy`, readFileSync(location));
  const copy = openLibsqlControlStore({ location: `${location}.copy` });
  await copy.open();
  assert.equal(await copy.idempotent("k", 2), "answer");
  await copy.close();
});

withFile("a full disk fails the batch whole, and with room again it goes through", async (location) => {
  await filled(location, 1);
  const big = batch(2, { newUrls: Array.from({ length: 3000 }, (_, i) => urlRow(10 + i)) });
  const full = store(location, { maxFileBytes: 400_000 });
  await full.open("owner", 1);
  await assert.rejects(full.commit(big), /^Error: Committing batch 2 to .* failed: the disk is full \(.*\); .*\.$/);
  assert.equal(await full.lastBatchSeq(), 1);
  assert.deepEqual(await held(full, [keyOf(urlRow(0)), keyOf(urlRow(10))]), [1, 0]);
  await full.commit(batch(2, { newUrls: [urlRow(1)] }));
  await full.close();
  const roomy = store(location);
  await roomy.open("owner", 1);
  await roomy.commit({ ...big, batchSeq: 3 });
  assert.equal((await roomy.load()).urlCount, 3002);
  await roomy.close();
});

withFile("a file that another process is writing to fails the batch whole", async (location) => {
  const shard = store(location, { busyMs: 0 });
  await shard.open("owner", 1);
  const held = await connect({ location }).hold();
  await assert.rejects(shard.commit(batch(1, { newUrls: [urlRow(1)] })), /another process is writing to it/);
  await held.release();
  await shard.commit(batch(1, { newUrls: [urlRow(1)] }));
  await shard.close();
});

withFile("a store that isn't open says so", async (location) => {
  await assert.rejects(async () => await store(location).load(), /the store is not open; open it first\./);
  await assert.rejects(async () => await store(location).commit(batch(1)), /the store is not open/);
});
