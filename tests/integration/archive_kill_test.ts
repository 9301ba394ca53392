/** kill -9 on a process that archives: after the repair every file is valid and every acknowledged capture is there. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { checkFile } from "../../edge/warc/check_file.ts";
import { repairFolder } from "../../edge/warc/repair.ts";
import type { RecordRef } from "../../protocol/mod.ts";
import { systemFiles } from "../../runtime/files.ts";
import { nativeGunzip } from "../../runtime/gunzip.ts";
import { nativeDigest, systemClock } from "../../runtime/node.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { RUNTIME, test } from "../support/test.ts";

interface Acknowledged {
  readonly url: string;
  readonly record: RecordRef;
}

/** Lines after which the child is killed, more or fewer by chance. */
const KILLS = [1, 30, 5, 60, 12];

/** Kills the child some moment after its `lines`-th line; what it acknowledged until then. */
function runUntilKilled(folder: string, lines: number): Promise<Acknowledged[]> {
  const path = fileURLToPath(new URL("../support/archive_kill_child.ts", import.meta.url));
  const flags = RUNTIME === "deno" ? ["run", "-A", path] : [path];
  return new Promise((resolve, reject) => {
    const child = spawn(execPath, [...flags, folder], { stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    let armed = false;
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      out += text;
      if (armed || out.split("\n").length <= lines) return;
      armed = true;
      systemClock.sleep(Math.random() * 10).then(() => child.kill("SIGKILL"));
    });
    child.on("error", reject);
    child.on("close", (_code, signal) => {
      if (signal === "SIGKILL") resolve(out.split("\n").slice(0, -1).map((line) => JSON.parse(line)));
      else {reject(
          new Error(`The child ended by itself after ${JSON.stringify(out.slice(-500))}; it was to be killed.`),
        );}
    });
  });
}

async function assertValid(path: string): Promise<void> {
  const step = await checkFile({ files: systemFiles, gunzip: nativeGunzip, digest: nativeDigest, path }).next();
  assert.ok(step.done, String(step.value));
}

test("E84: archive kill: files are valid after the repair, acknowledged captures are where they were said to be", async () => {
  const folder = temporaryFolder();
  try {
    const acknowledged: Acknowledged[] = [];
    for (const lines of KILLS) acknowledged.push(...await runUntilKilled(folder.path, lines));
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
