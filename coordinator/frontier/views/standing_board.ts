/**
 * Where each crawl stands, worked out when asked for.
 * Invariant: with many hosts an answer is at most a quarter of a second old; with few it is of this moment.
 */

import type { CrawlId } from "../../../protocol/mod.ts";
import type { Shard } from "../shard.ts";
import { Standing } from "./standing.ts";

/** Hosts above which an answer is kept, and for how long: some 50 times as long as a look at them all takes. */
const MANY_HOSTS = 500;
const KEPT_MS_A_HOST = 0.005;
const MOST_KEPT_MS = 250;
const MOST_KEPT = 1_000;

export class StandingBoard {
  readonly #shards: () => readonly Shard[];
  readonly #kept = new Map<string, { readonly standing: Standing; readonly at: number }>();

  constructor(shards: () => readonly Shard[]) {
    this.#shards = shards;
  }

  /** The crawls taken together. */
  of(crawlIds: readonly CrawlId[], now: number): Standing {
    const shards = this.#shards();
    const hosts = shards.reduce((sum, shard) => sum + shard.hosts.size, 0);
    const isCostly = hosts > MANY_HOSTS;
    const keptMs = Math.min(MOST_KEPT_MS, hosts * KEPT_MS_A_HOST);
    const name = crawlIds.join(" ");
    const kept = this.#kept.get(name);
    if (isCostly && kept !== undefined && Math.abs(now - kept.at) < keptMs) return kept.standing;
    const standing = new Standing();
    for (const crawlId of crawlIds) for (const shard of shards) standing.add(shard, crawlId, now);
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    if (isCostly) this.#kept.set(name, { standing, at: now });
    return standing;
  }
}
