/**
 * The Files port on node:fs, for Deno and Bun alike.
 * Invariant: what `sync` or `writeWhole` acknowledged survives a power cut, the folder entry included.
 */

import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { namingFile } from "./file_errors.ts";
import type { AppendFile, Files } from "./ports.ts";

async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** With the entries of all folders that had to be made for it; one that mayn't be opened can't be synced. */
async function makeFolder(folder: string): Promise<void> {
  const first = await fs.mkdir(folder, { recursive: true });
  if (first === undefined) return;
  const last = dirname(resolve(first));
  for (let at = resolve(folder); at !== last; at = dirname(at)) {
    await syncFolder(dirname(at)).catch((error) => {
      if (error.code !== "EACCES") throw error;
    });
  }
}

async function openAppend(path: string): Promise<AppendFile> {
  await makeFolder(dirname(path));
  const handle = await fs.open(path, "a");
  await syncFolder(dirname(path));
  let size = (await handle.stat()).size;
  return {
    get size() {
      return size;
    },
    append: (bytes) =>
      namingFile("Writing", path, async () => {
        size += bytes.length;
        let written = 0;
        while (written < bytes.length) {
          written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
        }
      }),
    sync: () => namingFile("Writing", path, () => handle.datasync()),
    close: () => handle.close(),
  };
}

async function readRange(path: string, offset: number, length: number): Promise<Uint8Array | undefined> {
  const handle = await ifThere(fs.open(path, "r"));
  if (!handle) return undefined;
  try {
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await makeFolder(dirname(path));
  const temporary = `${path}.tmp`;
  const handle = await fs.open(temporary, "w");
  try {
    await handle.writeFile(bytes).then(() => handle.sync()).finally(() => handle.close());
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

async function truncate(path: string, size: number): Promise<void> {
  const handle = await fs.open(path, "r+");
  try {
    await handle.truncate(size);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function read(path: string): Promise<Uint8Array | undefined> {
  const bytes = await ifThere(fs.readFile(path));
  return bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

async function rename(from: string, to: string): Promise<void> {
  await fs.rename(from, to);
  await syncFolder(dirname(to));
}

export const systemFiles: Files = {
  openAppend: (path) => namingFile("Opening", path, () => openAppend(path)),
  read: (path) => namingFile("Reading", path, () => read(path)),
  readRange: (path, offset, length) => namingFile("Reading", path, () => readRange(path, offset, length)),
  writeWhole: (path, bytes) => namingFile("Writing", path, () => writeWhole(path, bytes)),
  truncate: (path, size) => namingFile("Shortening", path, () => truncate(path, size)),
  rename: (from, to) => namingFile("Replacing", to, () => rename(from, to)),
  remove: (path) => namingFile("Removing", path, async () => void await ifThere(fs.unlink(path))),
  list: (folder) => namingFile("Listing", folder, async () => ((await ifThere(fs.readdir(folder))) ?? []).sort()),
  size: (path) => namingFile("Looking at", path, async () => (await ifThere(fs.stat(path)))?.size),
};
