import assert from "node:assert/strict";
import { temporaryFolder } from "../tests/support/temporary.ts";
import { test } from "../tests/support/test.ts";
import { systemFiles } from "./files.ts";
import { folderBlobs } from "./folder_blobs.ts";

test("an object is read back, replaced and removed; what isn't there is undefined", async () => {
  const folder = temporaryFolder();
  try {
    const blobs = folderBlobs(systemFiles, folder.file("blobs"));
    assert.equal(await blobs.get("a/b-1.x"), undefined);
    await blobs.remove("a/b-1.x");
    await blobs.put("a/b-1.x", Uint8Array.of(1, 2));
    await blobs.put("a/b-1.x", Uint8Array.of(3));
    assert.deepEqual(await blobs.get("a/b-1.x"), Uint8Array.of(3));
    await blobs.remove("a/b-1.x");
    assert.equal(await blobs.get("a/b-1.x"), undefined);
  } finally {
    await folder.remove();
  }
});

test("a name can't leave the folder", async () => {
  const blobs = folderBlobs(systemFiles, "/nowhere");
  for (const name of ["", "/a", "a/", "../a", "a/../b", "a//b", ".", "..", "a\\b", "a\0b"]) {
    await assert.rejects(blobs.get(name), /wanted segments of letters/, name);
  }
});
