/**
 * Seed injection over all shards.
 * Invariant: a request with a string that is no URL enqueues nothing; the same seeds again enqueue nothing new.
 */

import type { SeedAnswer } from "../../ports.ts";
import type { CrawlId } from "../../../protocol/mod.ts";
import type { Core } from "../../../core-wasm/core.ts";
import type { Crawl, CrawlBook } from "./crawl.ts";
import { SeedOperation } from "./enqueue.ts";
import type { HostDirectory } from "../host_directory.ts";
import type { Operation } from "../round.ts";
import type { ShardBook } from "../shard_book.ts";
import type { ShardWriter } from "../writer.ts";

export interface SeedParts {
  readonly core: Pick<Core, "urls">;
  readonly directory: HostDirectory;
  readonly book: ShardBook;
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
export async function enterShards(crawlId: CrawlId, book: ShardBook): Promise<void> {
  const operation: Operation<void> = { apply: ({ shard }) => void shard.changeCounts(crawlId) };
  await Promise.all(book.own.map((writer) => writer.submit(operation)));
}

/** Makes every crawl known to a shard that was taken. */
export async function enterShard(writer: ShardWriter, crawls: CrawlBook): Promise<void> {
  await writer.submit({
    apply({ shard }) {
      for (const { id } of crawls.all()) if (!shard.counters.has(id)) shard.changeCounts(id);
    },
  });
}

/** Injects well-formed seeds; durable when it resolves. */
export async function injectSeeds(crawl: Crawl, request: SeedRequest, parts: SeedParts): Promise<SeedAnswer> {
  const batch = parts.core.urls(request.urls);
  const hosts = request.urls.map((_, index) => batch.host(index));
  const perWriter = Map.groupBy(
    request.urls,
    (_, index) => entranceFor(parts, parts.directory.placeOf(hosts[index]!).shard),
  );
  const answers = await Promise.all(Array.from(perWriter, async ([writer, urls]) => {
    const accepted = await writer.submit(new SeedOperation({ ...request, urls, crawl }));
    const rejected = accepted.rejected.map(({ index, reason }) => ({ url: urls[index]!, reason }));
    return { ...accepted, rejected };
  }));
  const total = (count: (answer: typeof answers[number]) => number) =>
    answers.reduce((sum, answer) => sum + count(answer), 0);
  const forwarded = total((answer) => answer.forwarded);
  return {
    enqueued: total((answer) => answer.accepted),
    alreadySeen: total((answer) => answer.known) - forwarded,
    ...(forwarded > 0 ? { forwarded } : {}),
    rejected: answers.flatMap((answer) => answer.rejected),
    malformed: [],
  };
}

/** The seed's own shard, or where another coordinator has it any of ours: the outbox takes it there. */
function entranceFor({ book }: SeedParts, shard: number): ShardWriter {
  return book.find(shard) ?? book.own[0] ?? book.get(shard);
}
