/**
 * Files that `outrider warc` reads: on the disk, and `s3://bucket/key` where the environment names keys (and, with
 * AWS_ENDPOINT_URL, a service).
 * Invariant: reads only; what is no object of a store is a path.
 */

import { stat } from "node:fs/promises";
import { systemFiles } from "../runtime/files.ts";
import type { SharedBlobs } from "../runtime/ports.ts";
import { blobPlace, isS3, openBlobs } from "./blob_flags.ts";
import type { WarcSource } from "./warc_index.ts";

export const warcFiles: WarcSource = {
  readRange: (path, offset, length) => {
    const object = objectOf(path);
    return object ? object.blobs.range(object.name, offset, length) : systemFiles.readRange(path, offset, length);
  },
  size: (path) => {
    const object = objectOf(path);
    return object ? object.blobs.size(object.name) : systemFiles.size(path);
  },
  oddity: async (path) => isS3(path) ? undefined : await oddityOf(path),
  list: async (folder) => {
    const object = objectOf(folder);
    if (object === undefined) return await systemFiles.list(folder);
    const names = await object.blobs.list(object.name);
    return names.map((name) => name.slice(object.name.length + 1));
  },
};

/** A device or a pipe may have no end, and none can be read twice. */
async function oddityOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.isFile()) return undefined;
  if (found.isDirectory()) return "a folder without WARC files in its warc/";
  if (found.isFIFO()) return "a pipe";
  return found.isSocket() ? "a socket" : "a device";
}

const stores = new Map<string, SharedBlobs>();

function objectOf(path: string): { readonly blobs: SharedBlobs; readonly name: string } | undefined {
  if (!isS3(path)) return undefined;
  const [, bucket = "", name = ""] = /^s3:\/\/([^/]*)\/*(.*?)\/*$/.exec(path) ?? [];
  const url = `s3://${bucket}`;
  const blobs = stores.get(url) ?? openBlobs(blobPlace({ blobs: url })!);
  stores.set(url, blobs);
  return { blobs, name };
}
