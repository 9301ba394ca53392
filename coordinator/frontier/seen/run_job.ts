/**
 * Writes one run, a commit's worth at a time: blocks first, then its directory and filter, and with the last piece the
 * run itself, in place of those that it was merged from.
 * Invariant: until the last step is committed nothing refers to what was written; a crash leaves blocks that belong to
 * no run, which the next start finds and frees.
 */

import type { Core } from "../../../core-wasm/core.ts";
import {
  SEEN_BLOCK_BYTES,
  type SeenPart,
  type SeenRunRow,
  type SeenStorage,
  type SeenWrites,
} from "../../seen_ports.ts";
import { noSlots, type Slots } from "./block_cache.ts";
import { BLOCK_WORDS, BlockPacker, clusterAt } from "./packed_keys.ts";
import { filterRoom, type Run, RunDirectory } from "./run.ts";

/** One commit carries at most 1 MB of this. */
const STEP_BYTES = 1_000_000;
const STEP_BLOCKS = 150;
const PART_BYTES = 256 * 1024;

/** Keys in their order. */
export interface KeySource {
  /** How many there are in all. */
  readonly keys: number;
  /** Packs on until the packer is full or the source has to be asked again; true when nothing is left. */
  fill(packer: BlockPacker, storage: SeenStorage): Promise<boolean>;
}

export interface RunPlan {
  readonly runId: number;
  readonly firstBlock: number;
  /** The newest batch whose keys are in the run. */
  readonly coveredBatchSeq: number;
  readonly source: KeySource;
  /** The runs whose place it takes. */
  readonly replaces: readonly Run[];
}

/** One step: what goes into the commit; after the last one the run stands. */
export interface RunStep {
  readonly writes: SeenWrites;
  /** Blocks of this step, and which of the run's is the first of them, for the cache. */
  readonly first: number;
  readonly blocks: Uint32Array;
  readonly run: Run | undefined;
}

export class RunJob {
  readonly plan: RunPlan;
  readonly #core: Pick<Core, "xxh64">;
  readonly #filter: Run["filter"];
  readonly #directory = new RunDirectory();
  /** Where its blocks are cached, from the first step on. */
  readonly slots: Slots;
  #blocks = 0;
  #keys = 0;
  /** What is still to be written behind the blocks; undefined while blocks come. */
  #parts: SeenPart[] | undefined;
  #row: SeenRunRow | undefined;

  constructor(core: Pick<Core, "filter" | "xxh64">, plan: RunPlan) {
    this.#core = core;
    this.plan = plan;
    this.#filter = core.filter(filterRoom(plan.source.keys));
    this.slots = noSlots(mostBlocks(plan.source.keys));
  }

  async step(storage: SeenStorage): Promise<RunStep> {
    const packer = new BlockPacker(Math.min(STEP_BLOCKS, mostBlocks(this.plan.source.keys - this.#keys)));
    const first = this.#blocks;
    const firstBlock = this.plan.firstBlock + first;
    if (this.#parts === undefined) {
      const isEnd = await this.plan.source.fill(packer, storage);
      this.#take(packer);
      if (isEnd) this.#finish();
    }
    const bytes = packer.bytes();
    const parts = this.#nextParts(STEP_BYTES - bytes.length);
    const isLast = this.#parts?.length === 0;
    const { slots } = this;
    const run = isLast ? { row: this.#row!, directory: this.#directory, filter: this.#filter, slots } : undefined;
    return {
      first,
      blocks: new Uint32Array(bytes.buffer, 0, bytes.length / 4),
      run,
      writes: {
        blocks: bytes.length === 0 ? [] : [{ firstBlock, bytes }],
        parts,
        newRuns: run === undefined ? [] : [run.row],
        endedRuns: run === undefined ? [] : this.plan.replaces.map(({ row }) => row.runId),
      },
    };
  }

  /** Adds the blocks' keys to the filter and their first keys to the directory. */
  #take(packer: BlockPacker): void {
    const { buffer, byteLength } = packer.bytes();
    const words = new Uint32Array(buffer, 0, byteLength / 4);
    for (let base = 0; base < words.length; base += BLOCK_WORDS) {
      const count = words[base]!;
      this.#filter.addAll(new BigUint64Array(buffer, 4 * base + 8, count));
      const entry = base + 2 + 2 * count;
      this.#directory.add(clusterAt(words, entry), words[base + 2]!, words[base + 3]!);
      this.#keys += count;
      this.#blocks++;
    }
  }

  #finish(): void {
    const { runId, firstBlock, coveredBatchSeq } = this.plan;
    const directory = this.#directory.bytes();
    const directoryParts = partsOf(runId, "directory", directory);
    const filterParts = partsOf(runId, "filter", joined(this.#filter.snapshot(BigInt(coveredBatchSeq))));
    this.#parts = [...directoryParts, ...filterParts];
    this.#row = {
      runId,
      firstBlock,
      blocks: this.#blocks,
      keys: this.#keys,
      coveredBatchSeq,
      tag: this.#core.xxh64(directory).toString(16).padStart(16, "0"),
      directoryParts: directoryParts.length,
      filterParts: filterParts.length,
    };
  }

  #nextParts(room: number): SeenPart[] {
    const out: SeenPart[] = [];
    for (let left = room; this.#parts !== undefined && this.#parts.length > 0; out.push(this.#parts.shift()!)) {
      left -= this.#parts[0]!.bytes.length;
      if (left < 0) break;
    }
    return out;
  }

  free(): void {
    this.#filter.free();
  }
}

/** Blocks that a run of the plan may need at most: clusters of few keys fill blocks by half. */
export function mostBlocks(keys: number): number {
  return Math.ceil((16 * keys) / (SEEN_BLOCK_BYTES - 24)) + 1;
}

/** The parts as one array of their own. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function partsOf(runId: number, kind: SeenPart["kind"], bytes: Uint8Array): SeenPart[] {
  const out: SeenPart[] = [];
  for (let from = 0; from < bytes.length; from += PART_BYTES) {
    out.push({ runId, kind, part: out.length, bytes: bytes.subarray(from, from + PART_BYTES) });
  }
  return out;
}
