/** Two in one folder, in one process; between processes it is tests/integration that looks. */

import assert from "node:assert/strict";
import { temporaryFolder } from "../../tests/support/temporary.ts";
import { test } from "../../tests/support/test.ts";
import { lockDataFolder } from "./data_lock.ts";

test("a data folder is held by one at a time", async () => {
  const folder = temporaryFolder();
  try {
    const lock = await lockDataFolder(folder.path);
    await assert.rejects(lockDataFolder(folder.path), (error) => {
      assert.ok(error instanceof Error);
      assert.match(error.message, /^Opening the data folder .* failed: another process is using it; .*\.$/);
      assert.ok(error.message.includes(folder.path));
      return true;
    });
    await lock.release();
    await (await lockDataFolder(folder.path)).release();
  } finally {
    await folder.remove();
  }
});

test("a data folder that doesn't exist is made, and one below a file is refused in a sentence", async () => {
  const folder = temporaryFolder();
  try {
    await (await lockDataFolder(folder.file("new/data"))).release();
    await assert.rejects(lockDataFolder(folder.file("new/data/lock.db")), /^Error: Opening .* failed: .*\.$/);
  } finally {
    await folder.remove();
  }
});
