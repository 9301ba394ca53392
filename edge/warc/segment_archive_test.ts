import assert from "node:assert/strict";
import { archiveInfo, countingRandom, sampleEntry } from "../../tests/support/archives.ts";
import { MemoryFiles } from "../../tests/support/memory_files.ts";
import { test } from "../../tests/support/test.ts";
import { VirtualClock } from "../../tests/support/virtual_clock.ts";
import { folderBlobs } from "../../runtime/folder_blobs.ts";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import { nativeDigest, nativeGzip } from "../../runtime/node.ts";
import { checkFile } from "./check_file.ts";
import { openSegmentArchive } from "./segment_archive.ts";

/** A store in memory whose puts may be held up, and be refused. */
function desk(segmentBytes = 100_000) {
  const clock = new VirtualClock();
  const files = new MemoryFiles();
  const store = folderBlobs(files, "blobs");
  const state = { puts: 0, underWay: 0, most: 0, refuse: 0, held: [] as (() => void)[], isHeld: false };
  const put = async (name: string, bytes: Uint8Array) => {
    state.puts++;
    state.most = Math.max(state.most, ++state.underWay);
    if (state.isHeld) await new Promise<void>((resolve) => state.held.push(resolve));
    state.underWay--;
    if (state.refuse-- > 0) throw new Error("503");
    await store.put(name, bytes);
  };
  const archive = openSegmentArchive({
    storagePrefix: "eu-1/",
    blobs: { put, remove: store.remove },
    gzip: nativeGzip,
    digest: nativeDigest,
    clock,
    random: countingRandom(),
    settings: { name: "eu-1", info: archiveInfo, segmentBytes, segmentMs: 10_000 },
  });
  // As images are, stored: a segment's size is then known beforehand.
  const headers = [["Content-Type", "image/png"]] as const;
  const append = async (url: string, bytes = 20) => {
    const archived = await archive.append(sampleEntry({ url, body: noise(bytes), headers }));
    await archived.durable;
    return archived;
  };
  return { clock, files, archive, append, state };
}

const noise = (length: number) => new Uint8Array(length).map((_, i) => Math.imul(i + 1, 2_654_435_761) >>> 24);

async function assertValid(files: MemoryFiles): Promise<number> {
  let records = 0;
  for (const path of files.paths()) {
    const step = await checkFile({ files, gunzip: nativeGunzip, digest: nativeDigest, path }).next();
    assert.ok(step.done, String(step.value));
    records += step.value;
  }
  return records;
}

test("segments: captures gather for ten seconds, then one object has them all, warcinfo first", async () => {
  const { clock, files, archive, append, state } = desk();
  let acknowledged = 0;
  const urls = ["http://a.example/1", "http://a.example/2", "http://a.example/3"];
  const done = urls.map((url) => append(url).finally(() => acknowledged++));
  await clock.advance(9_999);
  assert.deepEqual([acknowledged, files.paths()], [0, []], "nothing is acknowledged before it is durable");
  await clock.advance(1);
  const records = await Promise.all(done);
  assert.equal(state.puts, 1);
  for (const [i, { record }] of records.entries()) {
    assert.match(record.storage_key, /^eu-1\/warc\/eu-1-20300101000000000-[0-9a-f]{12}-00000\.warc\.gz$/);
    const bytes = await files.readRange(`blobs/${record.storage_key}`, record.offset, record.length);
    const member = nativeGunzip.member(bytes!, 1 << 20);
    assert.ok(member.state === "whole" && member.used === record.length);
    const text = new TextDecoder("latin1").decode(member.data);
    assert.match(text, /^WARC\/1\.1\r\nWARC-Type: response\r\n/);
    assert.ok(text.includes(`WARC-Target-URI: ${urls[i]}\r\n`));
  }
  assert.equal(await assertValid(files), 10);
  await archive.close();
});

test("segments: a full one is sent at once, three on their way at most, a record that is larger than one has its own", async () => {
  const { clock, files, archive, append, state } = desk();
  state.isHeld = true;
  const done = Array.from({ length: 12 }, (_, i) => append(`http://a.example/${i}`, 60_000));
  await clock.advance(0);
  assert.deepEqual([state.puts, state.most], [3, 3]);
  while (state.held.length > 0) {
    state.held.shift()!();
    await clock.advance(0);
  }
  state.isHeld = false;
  const large = append("http://a.example/large", 500_000);
  await archive.close();
  const keys = new Set((await Promise.all([...done, large])).map(({ record }) => record.storage_key));
  assert.equal(keys.size, state.puts);
  assert.deepEqual([state.puts, state.most], [13, 3]);
  assert.equal(await assertValid(files), 13 + 13 * 3);
});

test("segments: what everybody waits for is sent after a second, not after ten", async () => {
  const { clock, archive, append } = desk();
  let isThere = false;
  const done = append("http://a.example/1").then(() => isThere = true);
  await clock.advance(300);
  archive.hurry!();
  archive.hurry!();
  await clock.advance(699);
  assert.equal(isThere, false, "not before: small objects are dear");
  await clock.advance(1);
  await done;
  archive.hurry!();
  const late = append("http://a.example/2");
  await clock.advance(1000);
  await late;
  await archive.close();
});

test("segments: a refused one acknowledges nothing and says why; the next one is tried anew", async () => {
  const { clock, files, archive, append, state } = desk();
  state.refuse = 1;
  const refused = assert.rejects(
    append("http://a.example/1"),
    /^Error: Archiving a segment failed: 503 Mend the store or the way to it; the pages are fetched again\.$/,
  );
  await clock.advance(10_000);
  await refused;
  assert.deepEqual(files.paths(), []);
  const later = append("http://a.example/2");
  await clock.advance(10_000);
  assert.match((await later).record.storage_key, /-00001\.warc\.gz$/);
  await archive.close();
  await assert.rejects(append("http://a.example/3"), /the archive is closed/);
});

test("segments: closing sends what waits, what is being compressed too", async () => {
  const { files, archive } = desk();
  const body = new TextEncoder().encode("<p>tea and more tea</p>".repeat(50_000));
  const done = archive.append(sampleEntry({ url: "http://a.example/text", body }));
  await archive.close();
  assert.ok((await done).record.length < body.length / 10);
  assert.equal(await assertValid(files), 4);
});
