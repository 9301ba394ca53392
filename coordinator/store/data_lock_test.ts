/** Two in one folder, in one process; between processes it is tests/integration that looks. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { temporaryFolder } from "../../tests/support/temporary.ts";
import { test } from "../../tests/support/test.ts";
import { lockDataFolder } from "./data_lock.ts";

test("a data folder is held by one at a time, and the holder is named", async () => {
  const folder = temporaryFolder();
  try {
    for (const holder of ["process 7", "process 8"]) {
      const lock = await lockDataFolder(folder.file("lock"), holder);
      await assert.rejects(lockDataFolder(folder.file("lock"), "process 9"), {
        message: `Opening the data folder ${folder.path} failed: it is in use by ${holder}; wait for it, stop it, or ` +
          "name another data folder.",
      });
      await lock.release();
    }
  } finally {
    await folder.remove();
  }
});

test("a data folder that doesn't exist is made; a path below a file and a strange lock file are refused", async () => {
  const folder = temporaryFolder();
  try {
    await (await lockDataFolder(folder.file("new/data/lock"), "me")).release();
    const below = lockDataFolder(folder.file("new/data/lock/lock"), "me");
    await assert.rejects(below, /^Error: Opening .* failed: .*\.$/);
    writeFileSync(folder.file("lock"), "somebody's notes\n".repeat(100));
    await assert.rejects(lockDataFolder(folder.file("lock"), "me"), /lock file is damaged .*remove it/);
  } finally {
    await folder.remove();
  }
});
