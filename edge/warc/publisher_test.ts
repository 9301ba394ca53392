import assert from "node:assert/strict";
import type { Core } from "../../core-wasm/core.ts";
import type { CaptureRow, FrontierVerbs } from "../../protocol/mod.ts";
import { FETCHED_AT } from "../../tests/support/archives.ts";
import { MemoryFiles } from "../../tests/support/memory_files.ts";
import { test } from "../../tests/support/test.ts";
import { openPublisher, type PublisherParts } from "./publisher.ts";

/** Enough of the core's answers for these URLs: `http://a.example/x` -> `example,a)/x`. */
const core: Pick<Core, "surts"> = {
  surts: (inputs) =>
    inputs.map((input) => {
      const { hostname, pathname } = new URL(input);
      return `${hostname.split(".").reverse().join(",")})${pathname}`;
    }),
};

function row(seq: number, changes: Partial<CaptureRow> = {}): CaptureRow {
  return {
    seq,
    crawl_id: "default",
    url: `http://a.example/${(seq * 7919) % 1000}`,
    kind: "page",
    role: "answer",
    http_code: 200,
    depth: 1,
    discovered_from: "http://a.example/",
    fetched_at: FETCHED_AT + seq,
    record: { storage_key: "warc/crawl.warc.gz", offset: seq * 100, length: 100 },
    content_hash: "00",
    payload_digest: "sha1:AAAA",
    length: 15,
    content_type: "Text/HTML; charset=utf-8",
    title: 'Tea & "cake" — \n\u2028',
    ...changes,
  };
}

/** A page table: what the coordinator acknowledged, per shard. */
function pageTable(shards: Record<number, CaptureRow[]>): Pick<FrontierVerbs, "captures"> {
  return {
    captures: ({ shard, after_seq, limit, storage_prefix }) => {
      const rows = (shards[shard] ?? []).filter((one) =>
        one.seq > after_seq && one.record.storage_key.startsWith(storage_prefix)
      );
      return Promise.resolve({ rows: rows.slice(0, limit), more: rows.length > limit });
    },
  };
}

const range = (count: number, shard: number) =>
  Array.from({ length: count }, (_, i) => row(2 * i + 1, { url: `http://s${shard}.example/${i}` }));

function parts(files: MemoryFiles, shards: Record<number, CaptureRow[]>, batchRows = 10): PublisherParts {
  return {
    folder: "data",
    storagePrefix: "",
    files,
    frontier: pageTable(shards),
    core,
    shards: () => Object.keys(shards).map(Number),
    batchRows,
    sortBytes: 2000,
  };
}

async function linesOf(files: MemoryFiles, path: string): Promise<string[]> {
  const text = new TextDecoder().decode(await files.read(path));
  assert.ok(text === "" || text.endsWith("\n"), `${path} ends with a line end`);
  return text.split("\n").slice(0, -1);
}

function assertOnce(lines: readonly string[], shards: Record<number, CaptureRow[]>): void {
  const urls = lines.map((line) => JSON.parse(line.slice(line.indexOf("{"))).url as string).filter(Boolean);
  const wanted = Object.values(shards).flat().map(({ url }) => url);
  assert.deepEqual(urls.sort(), wanted.sort());
}

test("E86: publisher: pages.jsonl and a bytewise sorted CDXJ, robots only in the index", async () => {
  const files = new MemoryFiles();
  const shards = {
    0: [...range(45, 0), row(200, { kind: "robots", url: "http://a.example/robots.txt" })],
    1: range(7, 1),
  };
  const publisher = await openPublisher(parts(files, shards));
  assert.equal(await publisher.publishPending(), 53);
  assert.equal(await publisher.publishPending(), 0);
  await publisher.finish();
  const index = await linesOf(files, "data/index.cdxj");
  assert.equal(index.length, 53);
  assert.deepEqual(index, [...index].sort());
  assertOnce(index, shards);
  const pages = await linesOf(files, "data/pages.jsonl");
  assert.equal(JSON.parse(pages[0]!).format, "json-pages-1.0");
  assert.equal(pages.length, 53);
  assert.ok(!pages.some((line) => line.includes("robots.txt")));
  const page = JSON.parse(pages[1]!);
  assert.equal(page.title, 'Tea & "cake" — \n\u2028');
  assert.equal(page.ts, "2026-11-30T16:31:53.124Z");
  assert.deepEqual([page.storage_key, page.offset, page.length, page.seq], ["warc/crawl.warc.gz", 100, 100, 1]);
  assert.equal(files.openHandles, 0);
  assert.deepEqual(files.paths().filter((path) => /run|merge|tmp/.test(path)), []);
});

test("publisher: a line of the index has pywb's fields, as strings, in ASCII", async () => {
  const files = new MemoryFiles();
  const url = "http://a.example/%C3%BC";
  const publisher = await openPublisher(parts(files, { 0: [row(1, { url, http_code: 301, content_type: "é" })] }));
  await publisher.finish();
  assert.deepEqual(await linesOf(files, "data/index.cdxj"), [
    'example,a)/%C3%BC 20261130163153 {"url":"http://a.example/%C3%BC","mime":"unk","status":"301",' +
    '"digest":"sha1:AAAA","length":"100","offset":"100","filename":"warc/crawl.warc.gz"}',
  ]);
});

test("publisher: exactly once after a crash that keeps any number of unsynced or uncommitted bytes", async () => {
  const first = { 0: range(12, 0), 1: range(3, 1) };
  const all = { 0: range(25, 0), 1: range(9, 1) };
  const tail = new TextEncoder().encode('{"id":"torn line without an en');
  for (let kept = 0; kept <= tail.length; kept++) {
    const files = new MemoryFiles();
    const before = await openPublisher(parts(files, first));
    await before.publishPending();
    await before.close();
    for (const path of ["data/pages.jsonl", "data/index.cdxj.log"]) {
      const torn = await files.openAppend(path);
      await torn.append(tail);
      await torn.close();
    }
    files.crash((path) => (path.endsWith(".log") ? tail.length - kept : kept));
    const after = await openPublisher(parts(files, all));
    await after.finish();
    assertOnce((await linesOf(files, "data/pages.jsonl")).slice(1), all);
    assertOnce(await linesOf(files, "data/index.cdxj"), all);
  }
});

test("publisher: outputs or state cut at any byte are made anew without loss or repeat", async () => {
  const shards = { 0: range(6, 0) };
  const names = ["data/pages.jsonl", "data/index.cdxj.log", "data/publisher.json"];
  for (const name of names) {
    for (let size = 0;; size++) {
      const files = new MemoryFiles();
      const before = await openPublisher(parts(files, shards));
      await before.publishPending();
      await before.close();
      if (size >= (await files.size(name))!) break;
      await files.truncate(name, size);
      const after = await openPublisher(parts(files, shards));
      await after.finish();
      assertOnce((await linesOf(files, "data/pages.jsonl")).slice(1), shards);
      assertOnce(await linesOf(files, "data/index.cdxj"), shards);
    }
  }
});

test("publisher: a full disk stops it with a sentence; the next run has every line once", async () => {
  const shards = { 0: range(40, 0) };
  const files = new MemoryFiles();
  const publisher = await openPublisher(parts(files, { 0: shards[0].slice(0, 10) }));
  await publisher.publishPending();
  await publisher.close();
  for (const room of [10, 3000, 9000]) {
    const full = await openPublisher(parts(files, shards));
    files.capacityBytes = files.usedBytes + room;
    await assert.rejects(full.publishPending(), /Publishing 10 captures in data failed: found "ENOSPC.*wanted durable/);
    await assert.rejects(full.publishPending(), /ENOSPC/);
    files.capacityBytes = Infinity;
    await full.close();
  }
  const last = await openPublisher(parts(files, shards));
  await Promise.all([last.publishPending(), last.publishPending()]);
  await last.finish();
  assertOnce(await linesOf(files, "data/index.cdxj"), shards);
  assertOnce((await linesOf(files, "data/pages.jsonl")).slice(1), shards);
});

test("publisher: a full disk that has room again, or a sync that failed, ends nothing: every line comes once", async () => {
  for (const room of [0, 1, 100, 2_000, 3_000, "sync"] as const) {
    const files = new MemoryFiles();
    const shards = { 0: range(10, 0), 1: range(25, 1) };
    const publisher = await openPublisher(parts(files, { 0: shards[0] }));
    await publisher.publishPending();
    await publisher.close();
    const full = await openPublisher(parts(files, shards));
    if (room === "sync") files.failingSyncs = 1;
    else files.capacityBytes = files.usedBytes + room;
    await assert.rejects(
      full.publishPending(),
      /Publishing 10 captures in data failed.*they are published when that goes/,
    );
    if (room !== "sync") await assert.rejects(full.publishPending(), /ENOSPC/);
    files.capacityBytes = Infinity;
    assert.equal(await full.publishPending(), 25, String(room));
    assertOnce(await linesOf(files, "data/pages.jsonl"), shards);
    assertOnce(await linesOf(files, "data/index.cdxj.log"), shards);
    await full.finish();
    assertOnce(await linesOf(files, "data/index.cdxj"), shards);
    assert.equal(files.openHandles, 0);
  }
});

test("publisher: a shard that nobody answers for holds up no other, and comes when its next owner answers", async () => {
  const shards = { 0: range(25, 0), 1: range(25, 1) };
  const files = new MemoryFiles();
  const table = pageTable(shards);
  let isDown = true;
  const captures: FrontierVerbs["captures"] = (request) =>
    isDown && request.shard === 0 ? Promise.reject(new Error("nobody answers for shard 0")) : table.captures(request);
  const publisher = await openPublisher({ ...parts(files, shards), frontier: { captures } });
  await assert.rejects(publisher.publishPending(), /shard 0/);
  assertOnce((await linesOf(files, "data/pages.jsonl")).slice(1), { 1: shards[1] });
  isDown = false;
  assert.equal(await publisher.publishPending(), 25);
  await publisher.finish();
  assertOnce((await linesOf(files, "data/pages.jsonl")).slice(1), shards);
});
