import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { nativeGunzip } from "../runtime/gunzip.ts";
import { systemFiles } from "../runtime/files.ts";
import { nativeDigest } from "../runtime/node.ts";
import { sampleArchive, sampleEntry } from "../tests/support/archives.ts";
import { temporaryFolder } from "../tests/support/temporary.ts";
import { test } from "../tests/support/test.ts";
import { warcFiles } from "./warc_files.ts";
import { runWarc } from "./warc_run.ts";

async function told(...args: string[]): Promise<{ code: number; text: string }> {
  let text = "";
  const code = await runWarc(args, {
    files: warcFiles,
    gunzip: nativeGunzip,
    digest: nativeDigest,
    core: () => Promise.resolve({ url: () => ({ error: "a core that knows no URL" }) }),
    pack: () => Promise.reject(new Error("nothing here packs")),
    now: () => new Date(0),
    write: async (bytes) => void (text += new TextDecoder().decode(bytes)),
    note: (line) => void (text += `${line}\n`),
  });
  return { code, text };
}

test("warc: what is no file is told by its name, an empty file as empty, and a file may be called anything", async () => {
  const folder = temporaryFolder();
  try {
    const archive = await sampleArchive({ files: systemFiles, folder: folder.file("data") });
    const { record } = await archive.append(sampleEntry({ url: "http://a.example/" }));
    await archive.close();
    copyFileSync(folder.file(`data/${record.storage_key}`), folder.file("anything"));
    writeFileSync(folder.file("empty"), "");
    const found: [string, RegExp][] = [
      ["/dev/null", /^Reading \/dev\/null: found a device, wanted a data folder or a WARC file\.\n$/],
      ["/dev/zero", /found a device/],
      [folder.path, /found a folder without WARC files in its warc\//],
      [folder.file("absent"), /found no such file/],
    ];
    for (const action of ["check", "ls", "index"]) {
      for (const [path, sentence] of found) {
        const { code, text } = await told(action, path);
        assert.equal(code, 1);
        assert.match(text, sentence, action);
      }
    }
    assert.match(
      (await told("check", folder.file("empty"))).text,
      /:0: the file is empty, wanted at least warcinfo\.\n/,
    );
    assert.deepEqual((await told("check", folder.file("anything"))).code, 0);
    assert.match((await told("check", folder.file("data"))).text, /records, 0 problems/);
  } finally {
    await folder.remove();
  }
});
