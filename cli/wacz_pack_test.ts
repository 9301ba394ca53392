import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { systemFiles } from "../runtime/files.ts";
import { nativeGunzip } from "../runtime/gunzip.ts";
import { sampleArchive, sampleEntry } from "../tests/support/archives.ts";
import { testCore } from "../tests/support/frontier.ts";
import { temporaryFolder } from "../tests/support/temporary.ts";
import { test } from "../tests/support/test.ts";
import { packWacz } from "./wacz_pack.ts";

const parts = async () => ({ files: systemFiles, gunzip: nativeGunzip, core: await testCore() });
const NOW = new Date("2026-11-30T20:00:00Z");

interface ZipEntry {
  readonly method: number;
  readonly bytes: Uint8Array;
}

/** By the central directory (APPNOTE 4.3.12); files below 4 GB. */
function unzip(zip: Uint8Array): Map<string, ZipEntry> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
  const end = zip.length - 22;
  assert.equal(view.getUint32(end, true), 0x06054b50);
  const entries = new Map<string, ZipEntry>();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const name = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + nameLength!));
    const local = view.getUint32(at + 42, true);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const bytes = zip.subarray(start, start + view.getUint32(at + 24, true));
    entries.set(name, { method: view.getUint16(at + 10, true), bytes });
    at += 46 + nameLength! + extra! + comment!;
  }
  return entries;
}

/** A data folder as a crawl leaves it: WARC files, the log of the index, pages. */
async function dataFolder(folder: string, worker: string) {
  const archive = await sampleArchive({
    files: systemFiles,
    folder,
    random: { next: () => 0.5, hex: (bytes) => (worker === "one" ? "1" : "2").repeat(2 * bytes) },
  });
  const lines: string[] = [];
  for (const url of [`http://${worker}.example/b`, `http://${worker}.example/a`]) {
    const { record } = await archive.append(sampleEntry({ url }));
    const where = JSON.stringify({ url, offset: String(record.offset), filename: `${worker}/${record.storage_key}` });
    lines.push(`example,${worker})${new URL(url).pathname} 20261130200000 ${where}`);
  }
  await archive.close();
  writeFileSync(`${folder}/index.cdxj.log`, `${lines.join("\n")}\n`);
  const page = JSON.stringify({ id: "0-1", url: `http://${worker}.example/b`, ts: "2026-11-30T20:00:00.000Z" });
  writeFileSync(
    `${folder}/pages.jsonl`,
    `${JSON.stringify({ format: "json-pages-1.0", id: "pages", title: "Pages" })}\n${page}\n`,
  );
}

const hasOracle = spawnSync("wacz", ["--version"]).status === 0 || spawnSync("wacz", ["--help"]).status === 0;

test("E87: a package's entries are stored, its digests recompute, its index is sorted and names its files", async () => {
  const folder = temporaryFolder();
  try {
    for (const worker of ["two", "one"]) await dataFolder(folder.file(worker), worker);
    const out = folder.file("crawl.wacz");
    const { warcs } = await packWacz(
      { paths: [folder.file("two"), folder.file("one")], out, now: NOW, title: "T" },
      await parts(),
    );
    assert.equal(warcs, 2);
    const entries = unzip(new Uint8Array(readFileSync(out)));
    assert.ok([...entries.values()].every(({ method }) => method === 0));
    const read = (name: string) => new TextDecoder().decode(entries.get(name)!.bytes);
    const about = JSON.parse(read("datapackage.json"));
    assert.deepEqual([about.profile, about.wacz_version, about.mainPageUrl], [
      "data-package",
      "1.1.1",
      "http://two.example/b",
    ]);
    const hash = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    for (const { path, hash: stated, bytes } of about.resources) {
      assert.deepEqual([stated, bytes], [hash(entries.get(path)!.bytes), entries.get(path)!.bytes.length], path);
    }
    assert.equal(about.resources.length, 4);
    assert.equal(JSON.parse(read("datapackage-digest.json")).hash, hash(entries.get("datapackage.json")!.bytes));
    const lines = read("indexes/index.cdxj").trimEnd().split("\n");
    assert.deepEqual(lines, [...lines].sort());
    assert.deepEqual(lines.map((line) => line.split(" ", 1)[0]), [
      "example,one)/a",
      "example,one)/b",
      "example,two)/a",
      "example,two)/b",
    ]);
    for (const line of lines) {
      const { filename, offset, url } = JSON.parse(line.slice(line.indexOf("{")));
      const warc = entries.get(`archive/${filename}`)!.bytes;
      const member = nativeGunzip.member(warc.subarray(Number(offset)), 1e6);
      assert.ok(member.state === "whole" && new TextDecoder().decode(member.data).includes(url), line);
    }
    assert.deepEqual(await systemFiles.list(folder.file("")), ["crawl.wacz", "one", "two"], "nothing is left behind");
    if (hasOracle) {
      const { status, stdout } = spawnSync("wacz", ["validate", "-f", out], { encoding: "utf8" });
      assert.equal(status, 0, stdout);
      assert.match(stdout, /the passed WACZ is valid/);
    }
  } finally {
    await folder.remove();
  }
});

test("wacz: WARC files alone are indexed and their pages listed; what is none is refused and nothing is written", async () => {
  const folder = temporaryFolder();
  try {
    const archive = await sampleArchive({ files: systemFiles, folder: folder.file("data") });
    const { record } = await archive.append(sampleEntry({ url: "http://a.example/" }));
    await archive.close();
    const out = folder.file("files.wacz");
    const path = folder.file(`data/${record.storage_key}`);
    await packWacz({ paths: [path], out, now: NOW }, await parts());
    const entries = unzip(new Uint8Array(readFileSync(out)));
    const read = (name: string) => new TextDecoder().decode(entries.get(name)!.bytes).trimEnd().split("\n");
    assert.match(read("indexes/index.cdxj")[0]!, /^example,a\)\/ /);
    assert.deepEqual(read("pages/pages.jsonl").slice(1).map((line) => JSON.parse(line).url), ["http://a.example/"]);
    const again = { paths: [path], out, now: NOW };
    await assert.rejects(
      packWacz(again, await parts()),
      /found something of that name, wanted another name, or --force/,
    );
    assert.ok((await packWacz({ ...again, isForced: true }, await parts())).bytes > 0);
    const none = folder.file("none.wacz");
    await assert.rejects(packWacz({ paths: [folder.file("absent")], out: none, now: NOW }, await parts()), /wanted/);
    await assert.rejects(packWacz({ paths: [path, path], out: none, now: NOW }, await parts()), /different names/);
    assert.equal(await systemFiles.size(none), undefined);
  } finally {
    await folder.remove();
  }
});

test("E84: a store that has the sorted index alone, or a crawl that was killed in a line, is packed with its whole lines", async () => {
  const folder = temporaryFolder();
  try {
    const data = folder.file("one");
    await dataFolder(data, "one");
    const out = folder.file("crawl.wacz");
    const packed = async () => {
      await packWacz({ paths: [data], out, isForced: true, now: NOW }, await parts());
      const entries = unzip(new Uint8Array(readFileSync(out)));
      const read = (name: string) => new TextDecoder().decode(entries.get(name)!.bytes).trimEnd().split("\n");
      return [
        read("indexes/index.cdxj").map((line) => line.split(" ", 1)[0]),
        read("pages/pages.jsonl").slice(1).map((line) => JSON.parse(line).url),
      ];
    };
    const both = [["example,one)/a", "example,one)/b"], ["http://one.example/b"]];
    const torn = 'example,one)/c 20261130200000 {"url":"http://one.example/{c}';
    appendFileSync(`${data}/index.cdxj.log`, torn);
    appendFileSync(`${data}/pages.jsonl`, '{"id":"0-2","url":"http://one.exa');
    assert.deepEqual(await packed(), both, "killed while it wrote a line");
    renameSync(`${data}/index.cdxj.log`, `${data}/index.cdxj`);
    assert.deepEqual(await packed(), both, "what --blobs leaves in a store");
    rmSync(`${data}/index.cdxj`);
    assert.deepEqual((await packed())[0], both[0], "no index at all: the files are read");
  } finally {
    await folder.remove();
  }
});
