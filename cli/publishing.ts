/**
 * Keeps pages.jsonl and the index abreast of what the frontier acknowledged, beside a running edge.
 */

import type { Core } from "../core-wasm/core.ts";
import { openPublisher } from "../edge/warc/publisher.ts";
import type { FrontierVerbs } from "../protocol/mod.ts";
import { systemFiles } from "../runtime/files.ts";
import { systemClock } from "../runtime/node.ts";

export interface PublishingOptions {
  readonly folder: string;
  readonly storagePrefix: string;
  readonly frontier: Pick<FrontierVerbs, "captures">;
  readonly core: Core;
  readonly shards: () => readonly number[];
  readonly onLocalTrouble: (sentence: string) => void;
}

export interface Publishing {
  /** Publishes about once a second until the signal. */
  run(stop: AbortSignal): Promise<void>;
  /** Publishes the rest and leaves the sorted index. */
  close(): Promise<void>;
}

const PUBLISH_MS = 1000;

export async function openPublishing(options: PublishingOptions): Promise<Publishing> {
  const publisher = await openPublisher({ ...options, files: systemFiles });
  return {
    run: async (stop) => {
      while (!stop.aborted) {
        await systemClock.sleep(PUBLISH_MS, stop);
        await publisher.publishPending().catch((error: Error) => options.onLocalTrouble(error.message));
      }
    },
    close: () => publisher.finish(),
  };
}
