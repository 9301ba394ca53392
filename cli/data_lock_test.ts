import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { temporaryFolder } from "../tests/support/temporary.ts";
import { test } from "../tests/support/test.ts";
import { lockFolder } from "./data_lock.ts";
import { Fault } from "./fault.ts";

test("data lock: the holder is named; given back, the folder is free again", async () => {
  const folder = temporaryFolder();
  try {
    const unlock = await lockFolder(folder.path);
    await assert.rejects(
      lockFolder(folder.path),
      (error: Error) => error instanceof Fault && error.message.includes(`in use by process ${process.pid};`),
    );
    await unlock();
    await (await lockFolder(folder.path))();
  } finally {
    await folder.remove();
  }
});

test("data lock: a path that can't be a folder is told in a sentence", async () => {
  const folder = temporaryFolder();
  try {
    writeFileSync(folder.file("file"), "");
    const refused = lockFolder(folder.file("file"));
    await assert.rejects(
      refused,
      (error: Error) => error instanceof Fault && /^Opening .* failed: .*\.$/.test(error.message),
    );
  } finally {
    await folder.remove();
  }
});

test("data lock: several coordinators share a folder, one that wants it alone is refused, and the other way round", async () => {
  const folder = temporaryFolder();
  try {
    const [a, b] = await Promise.all([
      lockFolder(folder.path, { isShared: true }),
      lockFolder(folder.path, { isShared: true }),
    ]);
    await a!();
    await assert.rejects(lockFolder(folder.path), /in use by process \d+;/);
    await b!();
    const alone = await lockFolder(folder.path);
    await assert.rejects(lockFolder(folder.path, { isShared: true }), /in use by process \d+;/);
    await alone();
    writeFileSync(folder.file("lock-shared-1-a"), "");
    await (await lockFolder(folder.path))();
  } finally {
    await folder.remove();
  }
});
