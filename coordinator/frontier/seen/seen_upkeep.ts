/**
 * Keeps a seen-set small in RAM and few in runs: freezes the memtable when it is full or old, writes it as a run, merges
 * runs, and frees what nothing refers to any more. One step a commit.
 * Invariant: keys are in a memtable or in a run at every moment, never in neither; a step changes what is answered from
 * only after its commit. At most one memtable is being written, and one merge is under way.
 */

import type { Core } from "../../../core-wasm/core.ts";
import type { SeenPartName, SeenState, SeenStorage, SeenWrites } from "../../seen_ports.ts";
import type { BlockCache } from "./block_cache.ts";
import { MergeSource, SortedSource } from "./key_sources.ts";
import { Memtable } from "./memtable.ts";
import { BLOCK_WORDS } from "./packed_keys.ts";
import type { Run } from "./run.ts";
import { mostBlocks, RunJob, type RunPlan, type RunStep } from "./run_job.ts";
import type { SeenKeys } from "./seen_keys.ts";
import type { SeenRuns } from "./seen_runs.ts";

/** A run is merged with the smaller ones once it has at most this many times their keys: so each is over twice them all. */
const MERGE_FACTOR = 1.25;
/** Runs above which merges go before everything: each run costs a look into its filter, and 0.12 % false positives. */
const MOST_RUNS = 8;
/** Numbers of blocks that one commit frees, parts that it frees. */
const FREED_BLOCKS = 4_096;
const FREED_PARTS = 64;

const NO_WRITES = { blocks: [], parts: [], newRuns: [], endedRuns: [] } as const;

export interface UpkeepOptions {
  readonly core: Pick<Core, "filter" | "xxh64">;
  readonly cache: BlockCache;
  readonly runs: SeenRuns;
  /** Keys at which the memtable is frozen. */
  readonly memtableKeys: number;
}

export class SeenUpkeep {
  active = new Memtable();
  #frozen: { readonly table: Memtable; readonly coveredBatchSeq: number } | undefined;
  readonly #options: UpkeepOptions;
  #flush: RunJob | undefined;
  #merge: RunJob | undefined;
  #pending: { readonly job: RunJob; readonly step: RunStep } | undefined;
  #freedBlocks: { first: number; end: number }[] = [];
  #freedParts: SeenPartName[] = [];
  #nextRun = 1;
  #nextBlock = 1;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  get frozen(): Memtable | undefined {
    return this.#frozen?.table;
  }

  /** Takes up what the store holds, whose runs are in `runs` by now; what belongs to none of them is to be freed. */
  start({ runs, parts, firstBlock, endBlock }: SeenState): void {
    const known = new Set(runs.map(({ runId }) => runId));
    this.#freedParts = parts.filter(({ runId }) => !known.has(runId));
    let from = firstBlock;
    for (const row of [...runs].sort((a, b) => a.firstBlock - b.firstBlock)) {
      this.#free(from, row.firstBlock);
      from = row.firstBlock + row.blocks;
    }
    this.#free(from, endBlock);
    this.#nextBlock = Math.max(1, endBlock, from);
    this.#nextRun = 1 + Math.max(0, ...known, ...this.#freedParts.map(({ runId }) => runId));
  }

  /** Freezes the memtable when it is full, or when `wanted` and large enough; its keys are durable up to `batchSeq`. */
  freeze(batchSeq: number, wanted: number): void {
    const { count } = this.active;
    if (this.#frozen !== undefined || count < Math.min(wanted, this.#options.memtableKeys) || count === 0) return;
    this.#frozen = { table: this.active, coveredBatchSeq: batchSeq };
    this.active = new Memtable();
  }

  /** Something is to be done when time allows. */
  get hasWork(): boolean {
    return this.#frozen !== undefined || this.#merge !== undefined || this.#freedBlocks.length > 0 ||
      this.#freedParts.length > 0 || this.#toMerge().length > 0;
  }

  /** A full memtable waits for the one before it, or merges fall behind: upkeep comes first. */
  get isBehind(): boolean {
    if (this.#frozen !== undefined && this.active.count >= this.#options.memtableKeys) return true;
    const isMerging = this.#merge !== undefined || this.#toMerge().length > 0;
    return isMerging && this.#options.runs.all.length > MOST_RUNS;
  }

  /** What the next commit shall write; undefined = nothing. `committed` must follow, or everything be loaded anew. */
  async step(storage: SeenStorage): Promise<SeenWrites | undefined> {
    const job = this.#job();
    const freed = this.#takeFreed();
    if (job === undefined) return freed === undefined ? undefined : { ...NO_WRITES, ...freed };
    const step = await job.step(storage);
    this.#pending = { job, step };
    const isFlushed = step.run !== undefined && job === this.#flush;
    const covered = isFlushed ? { logCovered: job.plan.coveredBatchSeq } : {};
    return { ...step.writes, ...covered, ...freed };
  }

  #job(): RunJob | undefined {
    const { core, runs } = this.#options;
    if (this.#frozen !== undefined) {
      const { table, coveredBatchSeq } = this.#frozen;
      return this.#flush ??= new RunJob(core, this.#plan(new SortedSource(table.keys), coveredBatchSeq, []));
    }
    if (this.#merge !== undefined) return this.#merge;
    const replaces = this.#toMerge();
    if (replaces.length === 0) return undefined;
    const covered = Math.max(...runs.all.map(({ row }) => row.coveredBatchSeq));
    return this.#merge = new RunJob(core, this.#plan(new MergeSource(replaces), covered, replaces));
  }

  #plan(source: RunPlan["source"], coveredBatchSeq: number, replaces: readonly Run[]): RunPlan {
    const firstBlock = this.#nextBlock;
    this.#nextBlock += mostBlocks(source.keys);
    return { runId: this.#nextRun++, firstBlock, coveredBatchSeq, source, replaces };
  }

  /** The smallest runs, as many as are at most MERGE_FACTOR times those before them together; none or several. */
  #toMerge(): readonly Run[] {
    const bySize = [...this.#options.runs.all].reverse();
    let end = 0;
    let sum = bySize[0]?.row.keys ?? 0;
    for (let i = 1; i < bySize.length; i++) {
      if (bySize[i]!.row.keys <= MERGE_FACTOR * sum) end = i + 1;
      sum += bySize[i]!.row.keys;
    }
    return bySize.slice(0, end);
  }

  #takeFreed(): Pick<SeenWrites, "freedBlocks" | "freedParts"> | undefined {
    const range = this.#freedBlocks[0];
    const freedParts = this.#freedParts.splice(0, FREED_PARTS);
    const freedBlocks: { first: number; end: number }[] = [];
    if (range !== undefined) {
      const end = Math.min(range.end, range.first + FREED_BLOCKS);
      freedBlocks.push({ first: range.first, end });
      if (end === range.end) this.#freedBlocks.shift();
      else range.first = end;
    }
    if (freedBlocks.length === 0 && freedParts.length === 0) return undefined;
    return { freedBlocks, freedParts };
  }

  #free(first: number, end: number): void {
    if (end > first) this.#freedBlocks.push({ first, end });
  }

  /** The commit with the last step's writes is durable. */
  committed(): void {
    if (this.#pending === undefined) return;
    const { job, step } = this.#pending;
    this.#pending = undefined;
    const { cache, runs } = this.#options;
    for (let base = 0, block = step.first; base < step.blocks.length; base += BLOCK_WORDS, block++) {
      cache.put(job.slots, block, step.blocks.subarray(base, base + BLOCK_WORDS));
    }
    if (step.run === undefined) return;
    runs.replace(job.plan.replaces, [step.run]);
    for (const run of job.plan.replaces) this.#end(run);
    if (job === this.#flush) this.#flush = this.#frozen = undefined;
    else this.#merge = undefined;
  }

  #end({ row, filter, slots }: Run): void {
    filter.free();
    this.#options.cache.drop(slots);
    this.#free(row.firstBlock, row.firstBlock + row.blocks);
    const { runId } = row;
    for (let part = 0; part < row.directoryParts; part++) this.#freedParts.push({ runId, kind: "directory", part });
    for (let part = 0; part < row.filterParts; part++) this.#freedParts.push({ runId, kind: "filter", part });
  }

  /** Keys that were accepted; they count as seen at once. */
  add(keys: SeenKeys): void {
    this.active.addAll(keys);
  }

  free(): void {
    this.#flush?.free();
    this.#merge?.free();
    for (const { filter } of this.#options.runs.all) filter.free();
  }
}
