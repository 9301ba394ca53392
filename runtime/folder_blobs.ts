/**
 * The BlobStore port on a folder: one file for each object, in the folders that its name says. A folder that several
 * nodes mount makes it a shared one.
 * Invariant: a name stays below the folder; an object is there whole or not at all (Files.writeWhole).
 */

import type { BlobStore, Files } from "./ports.ts";

/** Segments of letters, digits, dot, dash and underscore, none of them only dots. */
const NAME = /^(?!\.+(?:\/|$))[\w.-]+(?:\/(?!\.+(?:\/|$))[\w.-]+)*$/;

export function folderBlobs(files: Pick<Files, "read" | "writeWhole" | "remove">, folder: string): BlobStore {
  const pathOf = (name: string) => {
    if (NAME.test(name)) return `${folder}/${name}`;
    throw new Error(`Naming an object ${JSON.stringify(name)}: wanted segments of letters, digits, ".", "-" and "_".`);
  };
  return {
    put: async (name, bytes) => await files.writeWhole(pathOf(name), bytes),
    get: async (name) => await files.read(pathOf(name)),
    remove: async (name) => await files.remove(pathOf(name)),
  };
}
