import assert from "node:assert/strict";
import { nativeGunzip } from "../runtime/gunzip.ts";
import { nativeDigest } from "../runtime/node.ts";
import { sampleArchive, sampleEntry } from "../tests/support/archives.ts";
import { MemoryFiles } from "../tests/support/memory_files.ts";
import { test } from "../tests/support/test.ts";
import { runWarc } from "./warc_run.ts";

async function sample() {
  const files = new MemoryFiles();
  const archive = await sampleArchive({ files });
  const { record } = await archive.append(sampleEntry({ url: "http://b.example/2" }));
  await archive.append(sampleEntry({ url: "http://a.example/1", status: 404, reason: "Not Found" }));
  await archive.close();
  return { files, path: `data/${record.storage_key}`, record };
}

async function run(files: MemoryFiles, ...args: string[]) {
  let out = "";
  const notes: string[] = [];
  const code = await runWarc(args, {
    files,
    gunzip: nativeGunzip,
    digest: nativeDigest,
    core: () => Promise.resolve({ url: () => ({ error: "a core that knows no URL" }) }),
    pack: () => Promise.reject(new Error("Packing was asked for; nothing here packs.")),
    now: () => new Date(0),
    write: async (bytes) => void (out += new TextDecoder().decode(bytes)),
    note: (line) => notes.push(line),
  });
  return { code, out, lines: out.split("\n").slice(0, -1), notes };
}

test("warc run: check is silent on a good file and names each problem of a bad one", async () => {
  const { files, path } = await sample();
  assert.deepEqual(await run(files, "check", path), {
    code: 0,
    out: "",
    lines: [],
    notes: [`${path}: 7 records, 0 problems.`],
  });
  await files.truncate(path, (await files.size(path))! - 1);
  const bad = await run(files, "check", path, "data/absent.warc.gz");
  assert.equal(bad.code, 1);
  assert.match(bad.out, /:\d+: the file ends within a gzip member\.\n$/);
  assert.match(bad.notes.at(-1)!, /^Reading data\/absent\.warc\.gz: found no such file/);
});

test("warc run: ls, cat and index show where records lie", async () => {
  const { files, path, record } = await sample();
  const { lines } = await run(files, "ls", path);
  assert.equal(lines.length, 7);
  assert.equal(
    lines[2],
    `${record.offset}\t${record.length}\tresponse\t200\t2026-11-30T16:31:53.123Z\thttp://b.example/2`,
  );
  const whole = await run(files, "cat", path, String(record.offset));
  assert.match(whole.out, /^WARC\/1\.1\r\nWARC-Type: response\r\n[^]*<title>A<\/title>\r\n\r\n$/);
  assert.equal((await run(files, "cat", path, String(record.offset), "--payload")).out, "<title>A</title>");
  assert.equal((await run(files, "cat", path, "1")).code, 1);
  const index = await run(files, "index", path);
  assert.deepEqual(index.lines.map((line) => line.split(" ", 2)), [
    ["http://a.example/1", "20261130163153"],
    ["http://b.example/2", "20261130163153"],
  ]);
  const fields = JSON.parse(index.lines[1]!.slice(index.lines[1]!.indexOf("{")));
  assert.deepEqual([fields.offset, fields.length, fields.status], [
    String(record.offset),
    String(record.length),
    "200",
  ]);
});

test("E84: of a crawl's files the index lists what was acknowledged; --all lists captures of lost leases too", async () => {
  const { files, path, record } = await sample();
  const urls = async (...args: string[]) =>
    (await run(files, "index", ...args)).lines.map((line) => line.split(" ", 1)[0]);
  const both = ["http://a.example/1", "http://b.example/2"];
  assert.deepEqual(await urls(path), both, "a file without a crawl's index");
  const fields = { url: "http://b.example/2", filename: record.storage_key, offset: String(record.offset) };
  const log = `example,b)/2 20261130163153 ${JSON.stringify(fields)}\nexample,c)/ 2026113`;
  await files.writeWhole("data/index.cdxj.log", new TextEncoder().encode(log));
  for (const named of [path, "data", "data/"]) {
    assert.deepEqual(await urls(named), ["http://b.example/2"], named);
    assert.deepEqual(await urls("--all", named), both, named);
    for (const args of [[named], ["--all", named]]) {
      const { out } = await run(files, "index", ...args);
      assert.deepEqual(
        out.match(/(?<="filename":")[^"]*/g),
        args.map(() => record.storage_key),
        "named as in the crawl's",
      );
    }
  }
  await files.remove("data/index.cdxj.log");
  await files.writeWhole("data/index.cdxj", new TextEncoder().encode(log));
  assert.deepEqual(
    await urls("data"),
    ["http://b.example/2"],
    "a store that --blobs filled has the sorted index alone",
  );
  await files.writeWhole("data/index.cdxj.log", new Uint8Array(0));
  assert.deepEqual(await urls("data"), [], "nothing was acknowledged");
  const absent = await run(files, "index", "data/absent.warc.gz", path, "--all");
  assert.deepEqual([absent.code, absent.lines.length, absent.notes.length], [1, 2, 1]);
  assert.equal((await run(files, "index", "--all")).code, 2);
});

test("warc run: a data folder stands for its files", async () => {
  const { files } = await sample();
  assert.deepEqual((await run(files, "check", "data")).notes.map((note) => note.replace(/^.*: /, "")), [
    "7 records, 0 problems.",
  ]);
  assert.equal((await run(files, "ls", "data")).lines.length, 7);
});

test("warc run: anything else is a sentence and exit code 2", async () => {
  for (const args of [[], ["check"], ["unpack", "x"], ["cat", "a", "b"], ["cat", "a", "1", "2"]]) {
    const { code, notes } = await run(new MemoryFiles(), ...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(notes[0]!, /^Running outrider warc/);
  }
});

test("warc run: pack says what it wants, and why it failed", async () => {
  const { files, path } = await sample();
  for (
    const args of [["pack", path], ["pack", "--out", "x.wacz"], ["pack", path, "--out"], [
      "pack",
      path,
      "--wrong",
      "--out=x",
    ]]
  ) {
    const { code, notes } = await run(files, ...args);
    assert.deepEqual([code, notes.length], [2, 1], args.join(" "));
    assert.match(notes[0]!, /wanted FOLDER\|FILE/);
  }
  assert.deepEqual((await run(files, "pack", path, "--out=x.wacz")).notes, [
    "Packing was asked for; nothing here packs.",
  ]);
});
