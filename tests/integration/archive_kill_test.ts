/** kill -9 on a process that archives: after the repair every file is valid and every acknowledged capture is there. */

import assert from "node:assert/strict";
import { checkFile } from "../../edge/warc/check_file.ts";
import { repairFolder } from "../../edge/warc/repair.ts";
import type { RecordRef } from "../../protocol/mod.ts";
import { systemFiles } from "../../runtime/files.ts";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import { nativeDigest } from "../../runtime/node.ts";
import { linesUntilKilled } from "../support/kills.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { test } from "../support/test.ts";

interface Acknowledged {
  readonly url: string;
  readonly record: RecordRef;
}

/** Lines after which the child is killed, more or fewer by chance. */
const KILLS = [1, 30, 5, 60, 12];

/** What a child acknowledged until it was killed. */
async function acknowledgedBy(folder: string, lines: number): Promise<Acknowledged[]> {
  const told = await linesUntilKilled("archive_kill_child.ts", [folder], lines);
  return told.map((line) => JSON.parse(line));
}

async function assertValid(path: string): Promise<void> {
  const step = await checkFile({ files: systemFiles, gunzip: nativeGunzip, digest: nativeDigest, path }).next();
  assert.ok(step.done, String(step.value));
}

test("E84: archive kill: files are valid after the repair, acknowledged captures are where they were said to be", async () => {
  const folder = temporaryFolder();
  try {
    const acknowledged: Acknowledged[] = [];
    for (const lines of KILLS) acknowledged.push(...await acknowledgedBy(folder.path, lines));
    assert.ok(acknowledged.length >= 108, `${acknowledged.length} captures`);
    await repairFolder({ folder: folder.path, storagePrefix: "", files: systemFiles, gunzip: nativeGunzip });
    const names = (await systemFiles.list(folder.file("warc"))).filter((name) => name.endsWith(".warc.gz"));
    assert.ok(names.length >= KILLS.length);
    for (const name of names) await assertValid(folder.file(`warc/${name}`));
    for (const { url, record } of acknowledged) {
      const bytes = await systemFiles.readRange(folder.file(record.storage_key), record.offset, record.length);
      const member = nativeGunzip.member(bytes!, 1 << 20);
      assert.ok(member.state === "whole" && member.used === record.length, url);
      assert.ok(new TextDecoder("latin1").decode(member.data).includes(`WARC-Target-URI: ${url}\r\n`), url);
    }
  } finally {
    await folder.remove();
  }
});
