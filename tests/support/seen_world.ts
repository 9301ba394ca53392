/**
 * A seen-set on a store, driven as the shard's writer drives it, for tests and benchmarks.
 * Invariant: as the writer: screen, settle, add what is new, one step of upkeep, one commit, tick.
 */

import type { Core } from "../../core-wasm/core.ts";
import { SeenSet } from "../../coordinator/frontier/seen/seen_set.ts";
import type { SeenCopies } from "../../coordinator/frontier/seen/seen_copies.ts";
import { SeenKeys } from "../../coordinator/frontier/seen/seen_keys.ts";
import { VERDICT } from "../../coordinator/frontier/seen/seen_runs.ts";
import { type FrontierSettings, frontierSettings } from "../../coordinator/frontier/settings.ts";
import type { ShardStore } from "../../coordinator/ports.ts";
import { batch } from "./shard_rows.ts";

export interface SeenWorldOptions {
  readonly core: Pick<Core, "filter" | "restoreFilter" | "xxh64">;
  readonly store: ShardStore;
  readonly settings?: Partial<FrontierSettings>;
  readonly copies?: SeenCopies;
}

export class SeenWorld {
  readonly seen: SeenSet;
  readonly store: ShardStore;
  readonly origins: readonly string[];
  #batchSeq: number;

  private constructor(seen: SeenSet, store: ShardStore, start: { origins: readonly string[]; batchSeq: number }) {
    this.seen = seen;
    this.store = store;
    this.origins = start.origins;
    this.#batchSeq = start.batchSeq;
  }

  /** The store is open. */
  static async open({ core, store, settings, copies }: SeenWorldOptions): Promise<SeenWorld> {
    const seen = new SeenSet(core, frontierSettings(settings), copies);
    const origins = await seen.load(core, store);
    return new SeenWorld(seen, store, { origins, batchSeq: await store.lastBatchSeq() });
  }

  /** Offers keys; the new ones are accepted and durable when it resolves. For each key 1 = it was new. */
  async offer(keys: SeenKeys, nowMs = 0): Promise<Uint8Array> {
    const { seen, store } = this;
    const screening = seen.screen(keys);
    await seen.settle(screening, store);
    const fresh = new SeenKeys();
    const answers = new Uint8Array(keys.length);
    for (let i = 0; i < keys.length; i++) {
      if (screening.verdicts[i] !== VERDICT.new) continue;
      answers[i] = 1;
      fresh.add(keys.clusters[i]!, keys.words[2 * i]!, keys.words[2 * i + 1]!);
    }
    await this.#commit(fresh, nowMs);
    while (seen.isBehind) await this.#commit(new SeenKeys(), nowMs);
    return answers;
  }

  /** Upkeep until nothing is left to do. */
  async rest(nowMs = 0): Promise<void> {
    while (this.seen.hasWork) await this.#commit(new SeenKeys(), nowMs);
  }

  async #commit(fresh: SeenKeys, nowMs: number): Promise<void> {
    const { seen, store } = this;
    const upkeep = await seen.work(store);
    if (fresh.length > 0 || upkeep !== undefined) {
      const seenLog = fresh.length === 0 ? {} : { seenLog: seen.add(fresh) };
      await store.commit(batch(this.#batchSeq + 1, { ...seenLog, ...(upkeep === undefined ? {} : { seen: upkeep }) }));
      this.#batchSeq++;
      seen.committed();
    }
    seen.tick(this.#batchSeq, nowMs);
  }
}
