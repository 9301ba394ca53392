/**
 * What every blob store does, whatever it is made of: run for each adapter by blob_store_test.ts.
 */

import assert from "node:assert/strict";
import type { SharedBlobs } from "../../runtime/ports.ts";

/** Bytes that no compression or framing would hide a fault in. */
export const noise = (length: number, seed = 1) =>
  new Uint8Array(length).map((_, i) => Math.imul(i + seed, 2_654_435_761) >>> 24);

async function* chunksOf(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** `partBytes`: where the adapter begins to cut objects into parts. */
export async function blobStoreSuite(blobs: SharedBlobs, partBytes: number): Promise<void> {
  await oneObject(blobs);
  await ranges(blobs);
  await largeObjects(blobs, partBytes);
  await listings(blobs);
  for (const name of ["", "/a", "a/", "../a", "a/../b", "a//b", ".", "a\\b", "a b", "ä"]) {
    for (const ask of [() => blobs.get(name), () => blobs.put(name, noise(1)), () => blobs.size(name)]) {
      await assert.rejects(ask, /wanted segments of letters/, name);
    }
  }
}

async function oneObject(blobs: SharedBlobs): Promise<void> {
  const name = "one/a/b-1.x";
  assert.equal(await blobs.get(name), undefined);
  assert.equal(await blobs.size(name), undefined);
  await blobs.remove(name);
  await blobs.put(name, Uint8Array.of(1, 2));
  await blobs.put(name, Uint8Array.of(3));
  assert.deepEqual(new Uint8Array((await blobs.get(name))!), Uint8Array.of(3));
  await blobs.put(name, new Uint8Array(0));
  assert.equal((await blobs.get(name))!.length, 0);
  assert.equal(await blobs.size(name), 0);
  await blobs.remove(name);
  assert.equal(await blobs.get(name), undefined);
}

async function ranges(blobs: SharedBlobs): Promise<void> {
  const bytes = noise(1000);
  await blobs.put("ranges/x", bytes);
  for (
    const [offset, length] of [[0, 1000], [0, 1], [999, 1], [10, 20], [990, 100], [1000, 5], [5000, 5], [3, 0]] as const
  ) {
    const found = await blobs.range("ranges/x", offset, length);
    assert.deepEqual(new Uint8Array(found!), bytes.slice(offset, offset + length), `${offset}+${length}`);
  }
  assert.equal(await blobs.range("ranges/none", 0, 5), undefined);
  assert.equal(await blobs.range("ranges/none", 0, 0), undefined);
}

async function largeObjects(blobs: SharedBlobs, partBytes: number): Promise<void> {
  for (const [i, length] of [partBytes, 2 * partBytes + 1000].entries()) {
    const bytes = noise(length, i);
    await blobs.put("large/whole", bytes);
    assert.equal(await blobs.size("large/whole"), length);
    assert.deepEqual(await blobs.range("large/whole", partBytes - 5, 10), bytes.slice(partBytes - 5, partBytes + 5));
    await blobs.putChunks("large/chunks", chunksOf(bytes, 700_001));
    assert.ok(same(await blobs.get("large/chunks"), bytes), `${length} bytes in chunks`);
  }
  await blobs.putChunks("large/chunks", chunksOf(new Uint8Array(0), 1));
  assert.equal(await blobs.size("large/chunks"), 0);
  async function* broken() {
    yield noise(2 * partBytes + 1);
    throw new Error("the disk that it comes from is gone");
  }
  await assert.rejects(blobs.putChunks("large/broken", broken()), /the disk that it comes from is gone/);
  assert.deepEqual(await blobs.list("large"), ["large/chunks", "large/whole"], "half an object isn't listed");
}

const same = (a: Uint8Array | undefined, b: Uint8Array) =>
  a?.length === b.length && a.every((byte, i) => byte === b[i]);

async function listings(blobs: SharedBlobs): Promise<void> {
  assert.deepEqual(await blobs.list("nothing/here"), []);
  for (const name of ["list/b", "list/a", "list/sub/c", "listed/d"]) await blobs.put(name, noise(1));
  assert.deepEqual((await blobs.list("list")).filter((name) => name !== "list/sub"), ["list/a", "list/b"]);
  assert.deepEqual(await blobs.list("list/sub"), ["list/sub/c"]);
}
