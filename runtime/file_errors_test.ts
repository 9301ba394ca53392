import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { temporaryFolder } from "../tests/support/temporary.ts";
import { test } from "../tests/support/test.ts";
import { FileError, troubleCode } from "./file_errors.ts";
import { systemFiles } from "./files.ts";

test("a folder in a file's place: each way to open it says so in one sentence, and keeps the code", async () => {
  const folder = temporaryFolder();
  try {
    const path = folder.file("state.json");
    mkdirSync(path);
    const bytes = new Uint8Array(1);
    for (
      const work of [
        () => systemFiles.read(path),
        () => systemFiles.openAppend(path),
        () => systemFiles.writeWhole(path, bytes),
        () => systemFiles.truncate(path, 0),
      ]
    ) {
      await assert.rejects(work(), (error: FileError) => {
        assert.match(error.message, /^[A-Z][a-z]+ .*state\.json failed: a folder is there \(.*\); .* is wanted\.$/);
        assert.equal(troubleCode(error), "EISDIR");
        return true;
      });
    }
    assert.deepEqual(readdirSync(folder.path), ["state.json"], "no temporary file stays behind");
  } finally {
    await folder.remove();
  }
});

test("a file that isn't there is undefined, no error", async () => {
  const folder = temporaryFolder();
  try {
    assert.equal(await systemFiles.read(folder.file("none")), undefined);
    assert.equal(await systemFiles.readRange(folder.file("none"), 0, 1), undefined);
  } finally {
    await folder.remove();
  }
});

test("trouble is found along the causes; a plain error is a bug", () => {
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  assert.equal(troubleCode(new Error("Archiving failed.", { cause: new FileError("Writing", "a", full) })), "ENOSPC");
  assert.equal(troubleCode(new TypeError("x is undefined")), undefined);
  assert.equal(troubleCode(Object.assign(new Error("x"), { code: "ERR_INVALID_ARG_TYPE" })), undefined);
});
