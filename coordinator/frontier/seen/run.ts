/**
 * One immutable run of the seen-set: its filter and the first key of each of its blocks in RAM, the blocks in the store.
 * Invariant: a key that the filter denies isn't in the run; one that it doesn't deny can be in one block only.
 */

import type { Filter } from "../../../core-wasm/core.ts";
import type { SeenRunRow } from "../../seen_ports.ts";
import { clusterAt, writeCluster } from "./packed_keys.ts";

/** Words of one block's entry: cluster (two), low, high. */
const ENTRY_WORDS = 4;
const FIRST_ENTRIES = 16;

/** The first key of each block of a run, in their order. 16 bytes a block, that is 0.03 bytes a key. */
export class RunDirectory {
  #words: Uint32Array<ArrayBuffer>;
  #blocks: number;

  /** `bytes`: as `bytes()` gave them; absent = empty. */
  constructor(bytes?: Uint8Array) {
    this.#blocks = bytes === undefined ? 0 : bytes.length / (4 * ENTRY_WORDS);
    this.#words = bytes === undefined
      ? new Uint32Array(FIRST_ENTRIES * ENTRY_WORDS)
      : new Uint32Array(bytes.slice().buffer);
  }

  add(cluster: number, low: number, high: number): void {
    const at = this.#blocks++ * ENTRY_WORDS;
    if (at === this.#words.length) {
      const wider = new Uint32Array(2 * at);
      wider.set(this.#words);
      this.#words = wider;
    }
    writeCluster(this.#words, at, cluster, 0);
    this.#words[at + 2] = low;
    this.#words[at + 3] = high;
  }

  /** The block that the key belongs to, counted from 0; -1 when it comes before all. */
  blockOf(cluster: number, low: number, high: number): number {
    let from = 0;
    let to = this.#blocks;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#isAfter(middle, cluster, low, high)) to = middle;
      else from = middle + 1;
    }
    return from - 1;
  }

  #isAfter(block: number, cluster: number, low: number, high: number): boolean {
    const words = this.#words;
    const at = block * ENTRY_WORDS;
    const order = clusterAt(words, at) - cluster || words[at + 3]! - high || words[at + 2]! - low;
    return order > 0;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#words.buffer, 0, this.#blocks * ENTRY_WORDS * 4);
  }
}

export interface Run {
  readonly row: SeenRunRow;
  readonly directory: RunDirectory;
  readonly filter: Filter;
}

/** The filter of a run has room for half as many keys again: 15.9 bits a key, 0.12 % false positives. */
export function filterRoom(keys: number): number {
  return Math.max(1, Math.ceil(1.5 * keys));
}
