/**
 * The blob store on a folder: one file for each object, in the folders that its name says. A folder that several
 * nodes mount makes it a shared one.
 * Invariant: a name stays below the folder; an object is there whole or not at all (Files.writeWhole).
 */

import { checkedName, isBlobName } from "./blob_names.ts";
import type { Files, SharedBlobs } from "./ports.ts";

/** What is being written has this behind its name. */
const PART = ".tmp";

export function folderBlobs(files: Files, folder: string): SharedBlobs {
  const pathOf = (name: string) => `${folder}/${checkedName(name)}`;
  return {
    put: async (name, bytes) => await files.writeWhole(pathOf(name), bytes),
    get: async (name) => await files.read(pathOf(name)),
    remove: async (name) => await files.remove(pathOf(name)),
    putChunks: async (name, chunks) => await writeChunks(files, pathOf(name), chunks),
    range: async (name, offset, length) => await files.readRange(pathOf(name), offset, length),
    size: async (name) => await files.size(pathOf(name)),
    list: async (below) => {
      const names = await files.list(pathOf(below));
      return names.filter((name) => isBlobName(name) && !name.endsWith(PART)).map((name) => `${below}/${name}`);
    },
  };
}

async function writeChunks(files: Files, path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${path}${PART}`;
  await files.remove(part);
  const file = await files.openAppend(part);
  try {
    for await (const chunk of chunks) await file.append(chunk);
    await file.sync();
  } catch (error) {
    await files.remove(part).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
  await files.rename(part, path);
}
