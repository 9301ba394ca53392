/**
 * Looks at the shards that other coordinators own, each by its own connection.
 * Invariant: one look of a shard at a time, so that a database that hangs keeps nobody else waiting; what a look found
 * is never changed here.
 */

import type { Clock } from "../../../runtime/ports.ts";
import type { CrawlLook, ShardLook, ShardReader } from "../../reader_ports.ts";
import type { CrawlId } from "../../../protocol/mod.ts";
import { ShardWatch } from "./shard_watch.ts";

export interface ForeignShard {
  readonly index: number;
  readonly reader: ShardReader;
  readonly watch: ShardWatch;
  /** The newest look; undefined: none yet, or there is no shard. */
  look: ShardLook | undefined;
  /** Monotonic ms at which a shard without an owner was first seen so; -1 = it has one. */
  freeSinceMs: number;
  hasLooked: boolean;
  /** A sentence when the last look failed; "" otherwise. */
  problem: string;
  looking: Promise<boolean> | undefined;
}

export class ForeignShards {
  readonly #clock: Clock;
  readonly #openReader: (location: string) => ShardReader;
  readonly #shards: ForeignShard[] = [];

  constructor(clock: Clock, openReader: (location: string) => ShardReader) {
    this.#clock = clock;
    this.#openReader = openReader;
  }

  /** Those that the directory names, by index. */
  learn(locations: readonly string[]): void {
    for (let index = this.#shards.length; index < locations.length; index++) {
      this.#shards.push({
        index,
        reader: this.#openReader(locations[index]!),
        watch: new ShardWatch(),
        look: undefined,
        freeSinceMs: -1,
        hasLooked: false,
        problem: "",
        looking: undefined,
      });
    }
  }

  /** All shards, own ones too. */
  get all(): readonly ForeignShard[] {
    return this.#shards;
  }

  get(index: number): ForeignShard | undefined {
    return this.#shards[index];
  }

  /** It is being taken: what was seen of it counts no more. */
  forget(shard: ForeignShard): void {
    shard.watch.forget();
    shard.hasLooked = false;
    shard.freeSinceMs = -1;
  }

  /** A look that begins now, or that is under way; false = it failed. */
  look(shard: ForeignShard): Promise<boolean> {
    return shard.looking ??= this.#look(shard).finally(() => shard.looking = undefined);
  }

  async #look(shard: ForeignShard): Promise<boolean> {
    const beganMs = this.#clock.monotonicMs();
    try {
      const look = await shard.reader.look();
      const endedMs = this.#clock.monotonicMs();
      shard.watch.see(look, { beganMs, endedMs, wallMs: this.#clock.wallMs() });
      shard.look = look;
      shard.hasLooked = true;
      shard.problem = "";
      const isFree = look === undefined || look.owner === "";
      if (!isFree) shard.freeSinceMs = -1;
      else if (shard.freeSinceMs < 0) shard.freeSinceMs = endedMs;
      return true;
    } catch (error) {
      shard.problem = `Looking at shard ${shard.index}: ${String(error instanceof Error ? error.message : error)}`;
      return false;
    }
  }

  /** Looks that all begin after this call; undefined when one of them failed. */
  async lookAfresh(indexes: readonly number[]): Promise<ForeignShard[] | undefined> {
    const shards = indexes.map((index) => this.#shards[index]);
    const done = await Promise.all(shards.map(async (shard) => {
      if (shard === undefined) return false;
      await shard.looking;
      return await this.look(shard);
    }));
    return done.every((isDone) => isDone) ? shards as ForeignShard[] : undefined;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#shards.map(async (shard) => {
      await shard.looking;
      await shard.reader.close();
    }));
  }
}

/** What the newest look of a shard says of a crawl. */
export function crawlLookOf({ look }: ForeignShard, crawlId: CrawlId): CrawlLook | undefined {
  return look?.crawls.find((crawl) => crawl.crawlId === crawlId);
}
