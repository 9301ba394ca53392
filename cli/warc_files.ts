/**
 * Files that `outrider warc` reads: on the disk, and `s3://bucket/key` where the environment names keys (and, with
 * AWS_ENDPOINT_URL, a service).
 * Invariant: reads only; what is no object of a store is a path.
 */

import { systemFiles } from "../runtime/files.ts";
import type { Files, SharedBlobs } from "../runtime/ports.ts";
import { blobPlace, isS3, openBlobs } from "./blob_flags.ts";

export const warcFiles: Pick<Files, "readRange" | "list" | "size"> = {
  readRange: (path, offset, length) => {
    const object = objectOf(path);
    return object ? object.blobs.range(object.name, offset, length) : systemFiles.readRange(path, offset, length);
  },
  size: (path) => {
    const object = objectOf(path);
    return object ? object.blobs.size(object.name) : systemFiles.size(path);
  },
  list: async (folder) => {
    const object = objectOf(folder);
    if (object === undefined) return await systemFiles.list(folder);
    const names = await object.blobs.list(object.name);
    return names.map((name) => name.slice(object.name.length + 1));
  },
};

const stores = new Map<string, SharedBlobs>();

function objectOf(path: string): { readonly blobs: SharedBlobs; readonly name: string } | undefined {
  if (!isS3(path)) return undefined;
  const [, bucket = "", name = ""] = /^s3:\/\/([^/]*)\/*(.*?)\/*$/.exec(path) ?? [];
  const url = `s3://${bucket}`;
  const blobs = stores.get(url) ?? openBlobs(blobPlace({ blobs: url })!);
  stores.set(url, blobs);
  return { blobs, name };
}
