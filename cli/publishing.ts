/**
 * Keeps pages.jsonl and the index abreast of what the frontier acknowledged, beside a running edge.
 */

import type { Core } from "../core-wasm/core.ts";
import { openPublisher, publisherPaths } from "../edge/warc/publisher.ts";
import type { FrontierVerbs } from "../protocol/mod.ts";
import { systemFiles } from "../runtime/files.ts";
import { systemClock } from "../runtime/node.ts";
import type { SharedBlobs } from "../runtime/ports.ts";

export interface PublishingOptions {
  readonly folder: string;
  readonly storagePrefix: string;
  readonly frontier: Pick<FrontierVerbs, "captures">;
  readonly core: Core;
  readonly shards: () => readonly number[];
  readonly onLocalTrouble: (sentence: string) => void;
  /** Where the WARC files are: the index and the pages are copied there at the end. Absent = in the folder. */
  readonly blobs?: SharedBlobs | undefined;
}

export interface Publishing {
  /** Publishes about once a second until the signal. */
  run(stop: AbortSignal): Promise<void>;
  /** Publishes the rest and leaves the sorted index. */
  close(): Promise<void>;
}

const PUBLISH_MS = 1000;
const CHUNK_BYTES = 1024 * 1024;

export async function openPublishing(options: PublishingOptions): Promise<Publishing> {
  const publisher = await openPublisher({ ...options, files: systemFiles });
  return {
    run: async (stop) => {
      while (!stop.aborted) {
        await systemClock.sleep(PUBLISH_MS, stop);
        await publisher.publishPending().catch((error: Error) => options.onLocalTrouble(error.message));
      }
    },
    close: async () => {
      await publisher.finish();
      if (options.blobs !== undefined) await copyOutputs(options, options.blobs);
    },
  };
}

async function copyOutputs({ folder, storagePrefix }: PublishingOptions, blobs: SharedBlobs): Promise<void> {
  const paths = publisherPaths(folder, storagePrefix);
  for (const [name, path] of [["index.cdxj", paths.index], ["pages.jsonl", paths.pages]] as const) {
    await blobs.putChunks(`${storagePrefix}${name}`, chunksOf(path));
  }
}

async function* chunksOf(path: string): AsyncIterable<Uint8Array> {
  for (let offset = 0;; offset += CHUNK_BYTES) {
    const chunk = await systemFiles.readRange(path, offset, CHUNK_BYTES);
    if (chunk === undefined || chunk.length === 0) return;
    yield chunk;
  }
}
