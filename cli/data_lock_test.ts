import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "../tests/support/test.ts";
import { lockFolder } from "./data_lock.ts";
import { Fault } from "./fault.ts";

const folder = () => mkdtempSync(join(tmpdir(), "outrider-lock-"));

test("data lock: given back, the folder is free again", async () => {
  const at = folder();
  const unlock = await lockFolder(at);
  assert.ok(existsSync(join(at, "lock")));
  await unlock();
  assert.ok(!existsSync(join(at, "lock")));
  rmSync(at, { recursive: true });
});

test("data lock: a living holder is named, a dead or torn one is passed over", async () => {
  const at = folder();
  writeFileSync(join(at, "lock"), `${process.ppid}\n`);
  assert.throws(
    () => lockFolder(at),
    (error: Error) => error instanceof Fault && error.message.includes(`process ${process.ppid}`),
  );
  const dead = spawnSync("true").pid;
  for (const stale of [`${dead}\n`, "", "torn"]) {
    writeFileSync(join(at, "lock"), stale);
    await (await lockFolder(at))();
  }
  rmSync(at, { recursive: true });
});

test("data lock: a path that can't be a folder is told in a sentence", () => {
  const at = folder();
  writeFileSync(join(at, "file"), "");
  assert.throws(() => lockFolder(join(at, "file")), /Opening the data folder .* failed: .* is wanted\./);
  rmSync(at, { recursive: true });
});
