/**
 * Seed injection over all shards.
 * Invariant: a request with a string that is no URL enqueues nothing; the same seeds again enqueue nothing new.
 */

import type { SeedAnswer } from "../../ports.ts";
import type { CrawlId } from "../../../protocol/mod.ts";
import type { Core } from "../../../core-wasm/core.ts";
import type { Crawl } from "./crawl.ts";
import { SeedOperation } from "./enqueue.ts";
import type { HostDirectory } from "../host_directory.ts";
import type { Operation } from "../round.ts";
import type { ShardWriter } from "../writer.ts";

export interface SeedParts {
  readonly core: Pick<Core, "urls">;
  readonly directory: HostDirectory;
  readonly writers: readonly ShardWriter[];
}

export interface SeedRequest {
  readonly urls: readonly string[];
  readonly priority: number;
  readonly depth: number;
  /** "" = seeds. */
  readonly discoveredFrom: string;
}

/** The strings that are no http(s) URLs, by index, each with a sentence. */
export function malformedSeeds(urls: readonly string[], core: Pick<Core, "urls">): SeedAnswer["malformed"] {
  const batch = core.urls(urls);
  return urls.flatMap((url, index) => batch.ok(index) ? [] : [{ index, url, error: batch.why(index) }]);
}

/** Makes the crawl known to every shard, with or without URLs, so that one that is lost is missed at the next start. */
export async function enterShards(crawlId: CrawlId, writers: readonly ShardWriter[]): Promise<void> {
  const operation: Operation<void> = { apply: ({ shard }) => void shard.changeCounts(crawlId) };
  await Promise.all(writers.map((writer) => writer.submit(operation)));
}

/** Injects well-formed seeds; durable when it resolves. */
export async function injectSeeds(crawl: Crawl, request: SeedRequest, parts: SeedParts): Promise<SeedAnswer> {
  const batch = parts.core.urls(request.urls);
  const hosts = request.urls.map((_, index) => batch.host(index));
  const perShard = parts.writers.map((): string[] => []);
  hosts.forEach((host, index) => perShard[parts.directory.placeOf(host).shard]!.push(request.urls[index]!));
  const answers = await Promise.all(perShard.map(async (urls, shard) => {
    if (urls.length === 0) return { enqueued: 0, alreadySeen: 0, rejected: [] };
    const accepted = await parts.writers[shard]!.submit(new SeedOperation({ ...request, urls, crawl }));
    const rejected = accepted.rejected.map(({ index, reason }) => ({ url: urls[index]!, reason }));
    return { enqueued: accepted.accepted, alreadySeen: accepted.known, rejected };
  }));
  return {
    enqueued: answers.reduce((sum, answer) => sum + answer.enqueued, 0),
    alreadySeen: answers.reduce((sum, answer) => sum + answer.alreadySeen, 0),
    rejected: answers.flatMap((answer) => answer.rejected),
    malformed: [],
  };
}
