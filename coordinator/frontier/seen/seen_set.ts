/**
 * What the crawls of one shard have seen: a cache of what is certain, memtables, and runs behind filters.
 * Invariant: exact but for the accepted 64-bit collisions. Nothing is forgotten: a key is in the log until a run that
 * holds it is committed. RAM: the cache, at most two memtables and one batch, 2 bytes of filter a key (twice that for
 * keys that are being merged), and the block cache.
 */

import type { Core } from "../../../core-wasm/core.ts";
import type { SeenFacts, SeenStorage, SeenWrites } from "../../seen_ports.ts";
import { SeenCache } from "./seen_cache.ts";
import type { FrontierSettings } from "../settings.ts";
import { BlockCache } from "./block_cache.ts";
import { type FilterOrigin, loadRun } from "./load_run.ts";
import { packKeys, unpackKeys } from "./packed_keys.ts";
import type { SeenCopies } from "./seen_copies.ts";
import { SeenKeys } from "./seen_keys.ts";
import { type Screening, SeenRuns, VERDICT } from "./seen_runs.ts";
import { SeenTally } from "./seen_tally.ts";
import { SeenUpkeep } from "./seen_upkeep.ts";

type Sizes = Pick<
  FrontierSettings,
  "seenCacheKeys" | "seenMemtableKeys" | "seenCacheBlocks" | "seenSnapshotMs" | "seenSnapshotKeys"
>;

/** Log entries that are read at once at start. */
const LOG_ENTRIES_PER_READ = 256;
/** Bytes of filter for each key, see filterRoom. */
const FILTER_BYTES_PER_KEY = 1.99;

export class SeenSet {
  readonly cache: SeenCache;
  readonly tally = new SeenTally();
  readonly #sizes: Sizes;
  readonly #copies: SeenCopies | undefined;
  readonly #blocks: BlockCache;
  readonly #runs: SeenRuns;
  readonly #upkeep: SeenUpkeep;
  #snapshotAt = -Infinity;

  constructor(core: Pick<Core, "filter" | "xxh64">, sizes: Sizes, copies?: SeenCopies) {
    this.#sizes = sizes;
    this.#copies = copies;
    this.cache = new SeenCache(sizes.seenCacheKeys);
    this.#blocks = new BlockCache(sizes.seenCacheBlocks);
    this.#runs = new SeenRuns(this.#blocks, this.tally);
    const memtableKeys = sizes.seenMemtableKeys;
    this.#upkeep = new SeenUpkeep({ core, cache: this.#blocks, runs: this.#runs, memtableKeys });
  }

  /** Takes up what the store holds: runs with their filters, then the log. Where each filter came from. */
  async load(core: Pick<Core, "filter" | "restoreFilter" | "xxh64">, storage: SeenStorage): Promise<FilterOrigin[]> {
    await this.#copies?.open();
    const state = await storage.seenState();
    const origins: FilterOrigin[] = [];
    for (const row of state.runs) {
      const filterCopy = async () => await this.#copies?.filter(row);
      const { run, origin } = await loadRun(row, { core, storage, filterCopy });
      this.#runs.replace([], [run]);
      origins.push(origin);
    }
    this.#upkeep.start(state);
    let after = -1;
    for (;;) {
      const entries = await storage.seenLog(after, LOG_ENTRIES_PER_READ);
      const keys = new SeenKeys();
      for (const entry of entries) unpackKeys(entry.keys, keys);
      this.#upkeep.add(keys);
      if (entries.length < LOG_ENTRIES_PER_READ) break;
      after = entries.at(-1)!.batchSeq;
    }
    return origins;
  }

  /** What RAM says of each key; `perhaps` is to be settled. */
  screen(keys: SeenKeys): Screening {
    const { active, frozen } = this.#upkeep;
    const verdicts = new Uint8Array(keys.length).fill(VERDICT.perhaps);
    const { words } = keys;
    for (let i = 0; i < keys.length; i++) {
      const low = words[2 * i]!;
      const high = words[2 * i + 1]!;
      if (active.has(low, high) || frozen?.has(low, high) === true) verdicts[i] = VERDICT.seen;
    }
    const screening = { keys, verdicts, runs: new Int16Array(keys.length) };
    this.#runs.screen(screening);
    this.tally.checks += keys.length;
    return screening;
  }

  /** Turns every `perhaps` into `new` or `seen`; reads blocks where the cache lacks them. */
  async settle(screening: Screening, storage: SeenStorage): Promise<void> {
    await this.#runs.settle(screening, storage);
    for (const verdict of screening.verdicts) if (verdict === VERDICT.new) this.tally.fresh++;
    this.tally.note();
  }

  /** Keys that are accepted now, and weren't in it. What the commit's log entry must hold. */
  add(keys: SeenKeys): Uint8Array {
    this.#upkeep.add(keys);
    return packKeys(keys);
  }

  get hasWork(): boolean {
    return this.#upkeep.hasWork;
  }

  /** Its upkeep must go before further operations, or RAM would grow without bound. */
  get isBehind(): boolean {
    return this.#upkeep.isBehind;
  }

  /** One step of upkeep, for the next commit. */
  async work(storage: SeenStorage): Promise<SeenWrites | undefined> {
    return await this.#upkeep.step(storage);
  }

  /** The commit with what `add` and `work` gave is durable. */
  committed(): void {
    this.#upkeep.committed();
  }

  /** Freezes a memtable that is full or old, copies filters when it is time. All is committed up to `batchSeq`. */
  tick(batchSeq: number, now: number): void {
    const isTime = now >= this.#snapshotAt + this.#sizes.seenSnapshotMs;
    this.#upkeep.freeze(batchSeq, isTime ? this.#sizes.seenSnapshotKeys : Infinity);
    if (!isTime) return;
    this.#snapshotAt = now;
    this.#copies?.save(this.#runs.all);
  }

  /** Resolves when no copy is under way. */
  async settled(): Promise<void> {
    await this.#copies?.idle();
  }

  /** For metrics. */
  facts(): Omit<SeenFacts, "shard"> {
    const runKeys = this.#runs.all.reduce((sum, { row }) => sum + row.keys, 0);
    const { checks, fresh, positives, falsePositives, falsePositiveRate, blockReads } = this.tally;
    return {
      checks,
      fresh,
      positives,
      falsePositives,
      falsePositiveRate,
      blockReads,
      runs: this.#runs.all.length,
      runKeys,
      memtableKeys: this.#upkeep.active.count + (this.#upkeep.frozen?.count ?? 0),
      filterBytes: Math.round(runKeys * FILTER_BYTES_PER_KEY),
      cacheBytes: this.#blocks.bytes,
    };
  }

  /** Frees what the core holds for it. */
  free(): void {
    this.#upkeep.free();
  }
}
