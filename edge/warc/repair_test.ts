import assert from "node:assert/strict";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import { nativeDigest } from "../../runtime/node.ts";
import { countingRandom, sampleArchive, sampleEntry } from "../../tests/support/archives.ts";
import { MemoryFiles } from "../../tests/support/memory_files.ts";
import { test } from "../../tests/support/test.ts";
import { checkFile } from "./check_file.ts";
import { repairFolder } from "./repair.ts";

const repair = (files: MemoryFiles) => repairFolder({ folder: "data", storagePrefix: "", files, gunzip: nativeGunzip });

async function assertClean(files: MemoryFiles, path: string): Promise<number> {
  const steps = checkFile({ files, gunzip: nativeGunzip, digest: nativeDigest, path });
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
    assert.fail(step.value);
  }
}

/** An archive that was killed while it wrote a third capture; `first` and `second` were acknowledged. */
async function killed(checkpointBytes?: number) {
  const files = new MemoryFiles();
  const archive = await sampleArchive({ files, checkpointBytes });
  await archive.append(sampleEntry({ url: "http://a.example/1" }));
  const second = await archive.append(sampleEntry({ url: "http://a.example/2" }));
  const path = `data/${second.record.storage_key}`;
  const wholeBytes = (await files.size(path))!;
  await archive.append(sampleEntry({ url: "http://a.example/3" }));
  const bytes = (await files.read(path))!;
  // The state is what it was while the file was open: close() would have cleared it.
  const open = (await files.read("data/warc/writer.json"))!;
  await archive.close();
  await files.writeWhole("data/warc/writer.json", open);
  return { files, path, wholeBytes, bytes };
}

test("repair: a tail torn at any byte is cut to the last whole record", async () => {
  for (const checkpointBytes of [undefined, 1]) {
    const { files, path, wholeBytes, bytes } = await killed(checkpointBytes);
    const state = (await files.read("data/warc/writer.json"))!;
    // Every byte once; with a state to start from, a sample.
    const step = checkpointBytes === undefined ? 1 : 13;
    for (let size = wholeBytes; size <= bytes.length; size = Math.max(size + 1, Math.min(size + step, bytes.length))) {
      await files.writeWhole(path, bytes.subarray(0, size));
      await files.writeWhole("data/warc/writer.json", state);
      const repaired = await repair(files);
      const end = (await files.size(path))!;
      assert.ok(end >= wholeBytes && end <= size, `cut to ${end} of ${size}`);
      assert.equal(repaired[0]?.cutBytes ?? 0, size - end);
      // Two captures and warcinfo are seven records; some of the third's may have survived.
      const records = await assertClean(files, path);
      assert.ok((records >= 7 && records < 10) || (records === 10 && size === bytes.length), `${records} at ${size}`);
      assert.deepEqual(await repair(files), []);
    }
  }
});

test("repair: garbage behind the last record goes, whole records behind damage stay", async () => {
  const { files, path, bytes } = await killed();
  const state = (await files.read("data/warc/writer.json"))!;
  await files.writeWhole(path, new Uint8Array([...bytes, ...new Uint8Array(4096)]));
  const [zeros] = await repair(files);
  assert.deepEqual([zeros?.cutBytes, zeros?.damaged], [4096, false]);
  assert.deepEqual(await files.read(path), bytes);
  const spoilt = bytes.slice();
  spoilt[40]! ^= 0xff;
  await files.writeWhole(path, spoilt);
  await files.writeWhole("data/warc/writer.json", state);
  const [damage] = await repair(files);
  assert.deepEqual([damage?.cutBytes, damage?.damaged], [0, true]);
  assert.deepEqual(await files.read(path), spoilt);
});

test("repair: a file without one whole record is removed; a lost or broken state file is no obstacle", async () => {
  const { files, path, bytes, wholeBytes } = await killed();
  await files.writeWhole(path, bytes.subarray(0, 30));
  assert.deepEqual((await repair(files))[0]?.removed, true);
  assert.equal(await files.size(path), undefined);
  for (const state of ["", "{", '{"file":"../x","whole_bytes":0}', '{"file":"a","whole_bytes":-1}']) {
    await files.writeWhole(path, bytes.subarray(0, bytes.length - 1));
    await files.writeWhole("data/warc/writer.json", new TextEncoder().encode(state));
    await repair(files);
    assert.ok((await files.size(path))! >= wholeBytes);
    await assertClean(files, path);
  }
});

test("repair: after a crash a new archive goes on in a new file, and all files are whole", async () => {
  const { files, path, bytes } = await killed();
  await files.writeWhole(path, bytes.subarray(0, bytes.length - 3));
  await repair(files);
  const random = countingRandom();
  random.hex(1);
  const archive = await sampleArchive({ files, random });
  const { record } = await archive.append(sampleEntry({ url: "http://a.example/4" }));
  await archive.close();
  assert.notEqual(`data/${record.storage_key}`, path);
  assert.equal(await assertClean(files, `data/${record.storage_key}`), 4);
  await assertClean(files, path);
});
