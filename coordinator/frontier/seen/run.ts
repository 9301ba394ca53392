/**
 * One immutable run of the seen-set: its filter and the first key of each of its blocks in RAM, the blocks in the store.
 * Invariant: a key that the filter denies isn't in the run; one that it doesn't deny can be in one block only.
 */

import type { Filter } from "../../../core-wasm/core.ts";
import type { SeenRunRow } from "../../seen_ports.ts";
import type { Slots } from "./block_cache.ts";
import { clusterAt, wordsOf, writeCluster } from "./packed_keys.ts";

/** Words of one block's entry as it is stored: cluster (two), low, high. */
const ENTRY_WORDS = 4;
const FIRST_ENTRIES = 16;

/** The first key of each block of a run, in their order. 16 bytes a block, that is 0.03 bytes a key. */
export class RunDirectory {
  #clusters = new Float64Array(FIRST_ENTRIES);
  /** (low, high) of each. */
  #words = new Uint32Array(2 * FIRST_ENTRIES);
  #blocks = 0;

  /** `bytes`: as `bytes()` gave them. */
  static of(bytes: Uint8Array): RunDirectory {
    const directory = new RunDirectory();
    const words = wordsOf(bytes);
    for (let at = 0; at < words.length; at += ENTRY_WORDS) {
      directory.add(clusterAt(words, at), words[at + 2]!, words[at + 3]!);
    }
    return directory;
  }

  add(cluster: number, low: number, high: number): void {
    const at = this.#blocks++;
    if (at === this.#clusters.length) {
      const clusters = new Float64Array(2 * at);
      clusters.set(this.#clusters);
      this.#clusters = clusters;
      const words = new Uint32Array(4 * at);
      words.set(this.#words);
      this.#words = words;
    }
    this.#clusters[at] = cluster;
    this.#words[2 * at] = low;
    this.#words[2 * at + 1] = high;
  }

  /** The block that the key belongs to, counted from 0; -1 when it comes before all. */
  blockOf(cluster: number, low: number, high: number): number {
    const clusters = this.#clusters;
    const words = this.#words;
    let from = 0;
    let to = this.#blocks;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const order = clusters[middle]! - cluster || words[2 * middle + 1]! - high || words[2 * middle]! - low;
      if (order > 0) to = middle;
      else from = middle + 1;
    }
    return from - 1;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const out = new Uint32Array(this.#blocks * ENTRY_WORDS);
    for (let block = 0; block < this.#blocks; block++) {
      const at = block * ENTRY_WORDS;
      writeCluster(out, at, this.#clusters[block]!, 0);
      out[at + 2] = this.#words[2 * block]!;
      out[at + 3] = this.#words[2 * block + 1]!;
    }
    return new Uint8Array(out.buffer);
  }
}

export interface Run {
  readonly row: SeenRunRow;
  readonly directory: RunDirectory;
  readonly filter: Filter;
  /** Which of its blocks are cached. */
  readonly slots: Slots;
}

/** The filter of a run has room for half as many keys again: 15.9 bits a key, 0.12 % false positives. */
export function filterRoom(keys: number): number {
  return Math.max(1, Math.ceil(1.5 * keys));
}
