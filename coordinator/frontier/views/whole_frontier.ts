/**
 * What is told of all shards, whoever owns them: own ones from RAM and their stores, others from their databases.
 * Invariant: reads only; what is said of a shard of another coordinator is as old as the newest look at it.
 */

import type { CaptureRow, CrawlId, CrawlStats } from "../../../protocol/mod.ts";
import type { CrawlLook, ShardReader } from "../../reader_ports.ts";
import { crawlLookOf, type ForeignShards } from "../cluster/foreign_shards.ts";
import type { Crawl } from "../crawls/crawl.ts";
import type { FrontierParts } from "../shard.ts";
import { NotOwned } from "../../owner_ports.ts";
import { crawlStats } from "./crawl_stats.ts";
import type { Standing } from "./standing.ts";

/** What both a store and a reader of a shard can be asked. */
export type ShardReads = Pick<ShardReader, "lookUp" | "robotsBody" | "captures" | "capturesOfContent">;

export class WholeFrontier {
  readonly #parts: FrontierParts;
  readonly #foreign: ForeignShards | undefined;

  constructor(parts: FrontierParts, foreign: ForeignShards | undefined) {
    this.#parts = parts;
    this.#foreign = foreign;
  }

  /** Throws NotOwned where a shard of another coordinator can't be read. */
  readsOf(shard: number): ShardReads {
    const { book } = this.#parts;
    const found = book.find(shard)?.store ?? this.#foreign?.get(shard)?.reader;
    if (found === undefined) throw new NotOwned(shard, book.map);
    return found;
  }

  /** By index. */
  reads(): ShardReads[] {
    return Array.from({ length: this.#parts.book.count }, (_, shard) => this.readsOf(shard));
  }

  /** From shards of other coordinators. */
  async robotsBodyOfOthers(digest: string): Promise<string | undefined> {
    for (const { index, reader } of this.#foreign?.all ?? []) {
      if (this.#parts.book.find(index) !== undefined) continue;
      const body = await reader.robotsBody(digest);
      if (body !== undefined) return body;
    }
    return undefined;
  }

  /** The newest first. */
  async pagesOfContent(contentHash: string, limit: number): Promise<CaptureRow[]> {
    const found = await Promise.all(this.reads().map((reads) => reads.capturesOfContent(contentHash, limit)));
    return found.flat().sort((a, b) => b.fetched_at - a.fetched_at).slice(0, limit);
  }

  /** What the newest looks say of a crawl in shards of others. */
  looksAt(crawlId: CrawlId): CrawlLook[] {
    const { book } = this.#parts;
    return (this.#foreign?.all ?? []).flatMap((shard) => {
      return book.find(shard.index) === undefined ? crawlLookOf(shard, crawlId) ?? [] : [];
    });
  }

  /** `trouble`: why no edge takes leases; "" when one does. */
  stats(crawl: Crawl, standing: Standing, trouble: string): CrawlStats {
    const { book, clock } = this.#parts;
    const shards = book.own.map(({ shard }) => shard);
    return crawlStats(crawl, { shards, looks: this.looksAt(crawl.id), standing, trouble, now: clock.wallMs() });
  }
}
