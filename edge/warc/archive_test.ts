import assert from "node:assert/strict";
import { sampleArchive, sampleEntry } from "../../tests/support/archives.ts";
import { MemoryFiles } from "../../tests/support/memory_files.ts";
import { test } from "../../tests/support/test.ts";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import { readWarc } from "./reader.ts";
import { repairFolder } from "./repair.ts";
import type { RecordRef } from "../../protocol/mod.ts";

const text = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

async function recordAt(files: MemoryFiles, ref: RecordRef): Promise<string> {
  const bytes = await files.readRange(`data/${ref.storage_key}`, ref.offset, ref.length);
  const member = nativeGunzip.member(bytes!, 1 << 24);
  assert.ok(member.state === "whole");
  assert.equal(member.used, ref.length);
  return text(member.data);
}

const warcs = (files: MemoryFiles) => files.paths().filter((path) => path.endsWith(".warc.gz"));

test("archive: a reference points at the response record, behind warcinfo and request", async () => {
  const files = new MemoryFiles();
  const archive = await sampleArchive({ files, storagePrefix: "edge-1/" });
  const entry = sampleEntry();
  const { record } = await archive.append(entry);
  await archive.close();
  assert.match(record.storage_key, /^edge-1\/warc\/crawl-20261130163153123-000001-00000\.warc\.gz$/);
  const response = await recordAt(files, record);
  assert.match(response, /^WARC\/1\.1\r\nWARC-Type: response\r\n/);
  assert.ok(response.includes(`WARC-Payload-Digest: ${entry.payloadDigest}\r\n`));
  assert.ok(response.endsWith("\r\n\r\n<title>A</title>\r\n\r\n"));
  const first = nativeGunzip.member((await files.read(`data/${record.storage_key}`))!, 1 << 20);
  assert.ok(first.state === "whole" && text(first.data).startsWith("WARC/1.1\r\nWARC-Type: warcinfo\r\n"));
});

test("archive: appends that overlap share a sync", async () => {
  const files = new MemoryFiles();
  const archive = await sampleArchive({ files });
  await archive.append(sampleEntry());
  const before = files.syncs;
  const urls = Array.from({ length: 50 }, (_, i) => `http://a.example/${i}`);
  const done = await Promise.all(urls.map((url) => archive.append(sampleEntry({ url }))));
  assert.ok(files.syncs - before < 10, `${files.syncs - before} syncs for 50 appends`);
  for (const [i, { record }] of done.entries()) {
    assert.ok((await recordAt(files, record)).includes(`WARC-Target-URI: ${urls[i]}\r\n`));
  }
  await archive.close();
  assert.equal(files.openHandles, 0);
});

test("archive: an append that starts when a flush ends isn't forgotten", async () => {
  const files = new MemoryFiles();
  const archive = await sampleArchive({ files });
  const chain = async (name: string) => {
    for (let i = 0; i < 40; i++) await archive.append(sampleEntry({ url: `http://a.example/${name}/${i}` }));
  };
  await Promise.all([chain("a"), chain("b"), chain("c")]);
  await archive.close();
});

test("E82: the archive rotates by size, each file opens with warcinfo, an old file is never written to", async () => {
  const files = new MemoryFiles();
  const firstRun = new Map<string, Uint8Array>();
  for (let run = 0; run < 2; run++) {
    const archive = await sampleArchive({ files, rotateBytes: 2000 });
    for (let i = 0; i < 8; i++) await archive.append(sampleEntry({ url: `http://a.example/${run}/${i}` }));
    await archive.close();
    if (run > 0) continue;
    for (const path of warcs(files)) firstRun.set(path, (await files.read(path))!);
  }
  const paths = warcs(files);
  assert.ok(paths.length >= 6, `${paths.length} files`);
  for (const path of paths) {
    const first = nativeGunzip.member((await files.read(path))!, 1 << 20);
    assert.ok(first.state === "whole" && text(first.data).includes("WARC-Type: warcinfo"), path);
  }
  for (const [path, bytes] of firstRun) assert.deepEqual(await files.read(path), bytes, path);
});

test("E84: archive: on a full disk an append rejects with a sentence, and goes on when there is room", async () => {
  const files = new MemoryFiles();
  const archive = await sampleArchive({ files });
  const first = await archive.append(sampleEntry());
  const whole = (await files.read(`data/${first.record.storage_key}`))!;
  for (const room of [0, 1, 100, 400]) {
    files.capacityBytes = files.usedBytes + room;
    await assert.rejects(archive.append(sampleEntry({ url: "http://a.example/full" })), (error: Error) => {
      assert.match(error.message, /Archiving http:\/\/a\.example\/full in data\/warc failed: found "ENOSPC.*wanted/);
      return true;
    });
    assert.deepEqual(await files.read(`data/${first.record.storage_key}`), whole);
  }
  files.capacityBytes = Infinity;
  const later = await archive.append(sampleEntry({ url: "http://a.example/later" }));
  assert.equal(later.record.storage_key, first.record.storage_key);
  assert.ok((await recordAt(files, later.record)).includes("http://a.example/later"));
  await archive.close();
  assert.equal(files.openHandles, 0);
});

test("E84: while a failed write can't be cut off, no later file is begun; what was left behind goes at the next append or repair", async () => {
  for (const isMended of [true, false]) {
    const files = new MemoryFiles();
    const archive = await sampleArchive({ files });
    const { record } = await archive.append(sampleEntry({ url: "http://a.example/1" }));
    const path = `data/${record.storage_key}`;
    const whole = (await files.size(path))!;
    const truncate = files.truncate.bind(files);
    files.truncate = () => Promise.reject(new Error("EIO: i/o error"));
    files.capacityBytes = files.usedBytes + 300;
    await assert.rejects(archive.append(sampleEntry({ url: "http://a.example/2" })), /ENOSPC/);
    files.capacityBytes = Infinity;
    await assert.rejects(archive.append(sampleEntry({ url: "http://a.example/2" })), /found "EIO/);
    assert.deepEqual(warcs(files), [path], "the repair will look at the newest file only");
    assert.ok((await files.size(path))! > whole);
    if (isMended) {
      files.truncate = truncate;
      await recordAt(files, (await archive.append(sampleEntry({ url: "http://a.example/2" }))).record);
    }
    await archive.close();
    files.truncate = truncate;
    const repaired = await repairFolder({ folder: "data", storagePrefix: "", files, gunzip: nativeGunzip });
    assert.deepEqual(repaired.map(({ cutBytes }) => cutBytes > 0), isMended ? [] : [true]);
    for await (const step of readWarc({ files, gunzip: nativeGunzip, path })) assert.ok(!("fault" in step));
  }
});

test("archive: no room for a first file leaves none behind; a failed sync acknowledges nothing", async () => {
  const files = new MemoryFiles();
  files.capacityBytes = 100;
  const archive = await sampleArchive({ files });
  await assert.rejects(archive.append(sampleEntry()), /ENOSPC/);
  assert.deepEqual(warcs(files), []);
  files.capacityBytes = Infinity;
  await archive.append(sampleEntry());
  files.failingSyncs = 1;
  await assert.rejects(archive.append(sampleEntry({ url: "http://a.example/2" })), /EIO/);
  const { record } = await archive.append(sampleEntry({ url: "http://a.example/3" }));
  assert.ok((await recordAt(files, record)).includes("http://a.example/3"));
  await archive.close();
  await assert.rejects(archive.append(sampleEntry()), /the archive is closed/);
});

/** Whether the member at `ref` begins with a stored block (RFC 1951 3.2.3: BTYPE 00), and its length. */
async function memberAt(files: MemoryFiles, ref: RecordRef): Promise<{ stored: boolean; length: number }> {
  const bytes = await files.readRange(`data/${ref.storage_key}`, ref.offset, ref.length);
  return { stored: (bytes![10]! & 6) === 0, length: ref.length };
}

test("archive: text is deflated; what is coded already, or short, is stored", async () => {
  const files = new MemoryFiles();
  const archive = await sampleArchive({ files });
  const member = async (changes: Parameters<typeof sampleEntry>[0]) => {
    const { record } = await archive.append(sampleEntry(changes));
    const body = text(changes!.body!);
    assert.ok((await recordAt(files, record)).endsWith(`\r\n\r\n${body}\r\n\r\n`));
    return await memberAt(files, record);
  };
  const plain = new TextEncoder().encode("<p>tea and more tea</p>".repeat(400));
  const deflated = await member({ body: plain });
  assert.ok(!deflated.stored && deflated.length < 1000, `${deflated.length} bytes`);
  assert.ok((await member({ body: plain, headers: [["Content-Type", "image/png"]] })).stored);
  assert.ok((await member({ body: plain.subarray(0, 500) })).stored);
  // The body stands for a coded one: it decoded to more.
  const coded = await member({ body: plain, decoded: new Uint8Array(100_000) });
  assert.ok(coded.stored && coded.length > plain.length);
  await archive.close();
});

test("archive: the same capture has the same record id, another has another", async () => {
  const files = new MemoryFiles();
  const archive = await sampleArchive({ files });
  const id = async (captureName: string) => {
    const { record } = await archive.append(sampleEntry({ captureName }));
    return /WARC-Record-ID: (<urn:uuid:[0-9a-f-]{36}>)/.exec(await recordAt(files, record))![1];
  };
  const once = await id("lease/1/x/0");
  assert.equal(await id("lease/1/x/0"), once);
  assert.notEqual(await id("lease/2/x/0"), once);
  assert.match(once!, /^<urn:uuid:.{8}-.{4}-5.{3}-[89ab]/);
  await archive.close();
});
