/**
 * Where the keys of a new run come from: a memtable that was sorted, or runs that are merged.
 * Invariant: keys come in their order, each once; runs share no key, because only unknown keys are ever added.
 */

import type { SeenStorage } from "../../seen_ports.ts";
import { type BlockPacker, clusterAt, wordsOf } from "./packed_keys.ts";
import type { Run } from "./run.ts";
import type { KeySource } from "./run_job.ts";
import type { SeenKeys } from "./seen_keys.ts";

/** Blocks that each merged run is read ahead. */
const AHEAD_BLOCKS = 64;
const NO_BLOCK = new Uint32Array(0);

export class SortedSource implements KeySource {
  readonly #sorted: SeenKeys;
  #at = 0;

  constructor(keys: SeenKeys) {
    this.#sorted = keys.sorted();
  }

  get keys(): number {
    return this.#sorted.length;
  }

  async fill(packer: BlockPacker): Promise<boolean> {
    const { clusters, words, length } = this.#sorted;
    for (; this.#at < length; this.#at++) {
      packer.makeRoom(clusters[this.#at]!);
      if (packer.isFull) return false;
      packer.add(clusters[this.#at]!, words[2 * this.#at]!, words[2 * this.#at + 1]!);
    }
    packer.close();
    return true;
  }
}

/** The next key of one run, and those behind it that have been read. */
class RunCursor {
  cluster = 0;
  low = 0;
  high = 0;
  readonly #run: Run;
  #ahead: Uint32Array[] = [];
  #read = 0;
  /** The block that it stands in; empty before the first, between two that aren't read yet, and behind the last. */
  #words: Uint32Array = NO_BLOCK;
  #at = 0;
  #entry = 0;
  #entryEnd = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Must have come before the first key, and after starving. */
  async readAhead(storage: SeenStorage): Promise<void> {
    const { firstBlock, blocks } = this.#run.row;
    const wanted = Math.min(AHEAD_BLOCKS - this.#ahead.length, blocks - this.#read);
    if (wanted > 0) {
      const ids = Array.from({ length: wanted }, (_, i) => firstBlock + this.#read + i);
      for (const bytes of await storage.seenBlocks(ids)) this.#ahead.push(wordsOf(bytes));
      this.#read += wanted;
    }
    if (this.#words.length === 0) this.#nextBlock();
  }

  /** Nothing is left of the run. */
  get isOver(): boolean {
    return this.#words.length === 0 && this.#read === this.#run.row.blocks;
  }

  /** More has to be read before the next key is known. */
  get isStarved(): boolean {
    return this.#words.length === 0 && this.#read < this.#run.row.blocks;
  }

  next(): void {
    if (++this.#at < this.#words[0]!) this.#point();
    else this.#nextBlock();
  }

  #nextBlock(): void {
    this.#words = this.#ahead.shift() ?? NO_BLOCK;
    if (this.#words.length === 0) return;
    this.#at = 0;
    this.#entry = 2 * this.#words[0]!;
    this.#entryEnd = 0;
    this.#point();
  }

  #point(): void {
    const words = this.#words;
    if (this.#at >= this.#entryEnd) {
      this.#entry += 2;
      this.cluster = clusterAt(words, this.#entry);
      this.#entryEnd = words[this.#entry + 1]! >>> 16;
    }
    this.low = words[2 + 2 * this.#at]!;
    this.high = words[3 + 2 * this.#at]!;
  }
}

export class MergeSource implements KeySource {
  readonly keys: number;
  #cursors: RunCursor[];

  constructor(runs: readonly Run[]) {
    this.keys = runs.reduce((sum, { row }) => sum + row.keys, 0);
    this.#cursors = runs.map((run) => new RunCursor(run));
  }

  async fill(packer: BlockPacker, storage: SeenStorage): Promise<boolean> {
    for (const cursor of this.#cursors) await cursor.readAhead(storage);
    while (this.#cursors.length > 0) {
      const cursor = least(this.#cursors);
      packer.makeRoom(cursor.cluster);
      if (packer.isFull) return false;
      packer.add(cursor.cluster, cursor.low, cursor.high);
      cursor.next();
      if (cursor.isStarved) {
        packer.close();
        return false;
      }
      if (cursor.isOver) this.#cursors = this.#cursors.filter((one) => one !== cursor);
    }
    packer.close();
    return true;
  }
}

function least(cursors: readonly RunCursor[]): RunCursor {
  let best = cursors[0]!;
  for (let i = 1; i < cursors.length; i++) {
    const one = cursors[i]!;
    if ((one.cluster - best.cluster || one.high - best.high || one.low - best.low) < 0) best = one;
  }
  return best;
}
