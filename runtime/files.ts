/**
 * The Files port on node:fs, for Deno and Bun alike.
 * Invariant: what `sync` or `writeWhole` acknowledged survives a power cut, the folder entry included.
 */

import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname } from "node:path";
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

async function openAppend(path: string): Promise<AppendFile> {
  await fs.mkdir(dirname(path), { recursive: true });
  const handle = await fs.open(path, "a");
  await syncFolder(dirname(path));
  let size = (await handle.stat()).size;
  return {
    get size() {
      return size;
    },
    async append(bytes) {
      size += bytes.length;
      let written = 0;
      while (written < bytes.length) {
        written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
      }
    },
    sync: () => handle.datasync(),
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
  await fs.mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.tmp`;
  const handle = await fs.open(temporary, "w");
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await fs.rename(temporary, path);
  await syncFolder(dirname(path));
}

export const systemFiles: Files = {
  openAppend,
  read: (path) =>
    ifThere(fs.readFile(path).then((bytes) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length))),
  readRange,
  writeWhole,
  truncate: async (path, size) => {
    const handle = await fs.open(path, "r+");
    try {
      await handle.truncate(size);
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  rename: async (from, to) => {
    await fs.rename(from, to);
    await syncFolder(dirname(to));
  },
  remove: async (path) => {
    await ifThere(fs.unlink(path));
  },
  list: async (folder) => ((await ifThere(fs.readdir(folder))) ?? []).sort(),
  size: async (path) => (await ifThere(fs.stat(path)))?.size,
};
