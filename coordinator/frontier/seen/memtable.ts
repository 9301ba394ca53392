/**
 * The newest keys of the seen-set, exact and in RAM, until they are written as a run; the log holds them durably.
 * Invariant: a key stands once; 24 to 64 bytes each.
 */

import { SeenKeys } from "./seen_keys.ts";

const FIRST_PLACES = 256;

export class Memtable {
  readonly keys = new SeenKeys();
  /** Index + 1 into `keys` by the key's low word, the next place when taken; 0 = free. At most half of it is taken. */
  #places = new Int32Array(FIRST_PLACES);

  get count(): number {
    return this.keys.length;
  }

  has(low: number, high: number): boolean {
    return this.#places[this.#placeOf(low, high)] !== 0;
  }

  /** Adds what isn't in it. */
  addAll(keys: SeenKeys): void {
    for (let i = 0; i < keys.length; i++) this.#add(keys.clusters[i]!, keys.words[2 * i]!, keys.words[2 * i + 1]!);
  }

  #add(cluster: number, low: number, high: number): void {
    const place = this.#placeOf(low, high);
    if (this.#places[place] !== 0) return;
    this.keys.add(cluster, low, high);
    this.#places[place] = this.keys.length;
    if (2 * this.keys.length > this.#places.length) this.#grow();
  }

  #placeOf(low: number, high: number): number {
    const { words } = this.keys;
    const mask = this.#places.length - 1;
    let place = low & mask;
    for (;; place = (place + 1) & mask) {
      const index = this.#places[place]! - 1;
      if (index < 0 || (words[2 * index] === low && words[2 * index + 1] === high)) return place;
    }
  }

  #grow(): void {
    this.#places = new Int32Array(2 * this.#places.length);
    const { words, length } = this.keys;
    for (let i = 0; i < length; i++) this.#places[this.#placeOf(words[2 * i]!, words[2 * i + 1]!)] = i + 1;
  }
}
