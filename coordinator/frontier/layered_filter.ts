/**
 * A Bloom filter that grows: when a layer is full, one of twice the size is put on top.
 * Invariant: no false "absent" for a key that was added; never the last word on "present" (E108, E110).
 */

import type { Core, Filter } from "../../core-wasm/core.ts";

export class LayeredFilter {
  readonly #core: Pick<Core, "filter">;
  readonly #mostKeys: number;
  readonly #layers: Filter[] = [];
  #nextKeys: number;

  constructor(core: Pick<Core, "filter">, sizes: { readonly firstKeys: number; readonly mostKeys: number }) {
    this.#core = core;
    this.#nextKeys = sizes.firstKeys;
    this.#mostKeys = sizes.mostKeys;
  }

  get layers(): number {
    return this.#layers.length;
  }

  /** Adds keys that are not yet in it. */
  addAll(keys: BigUint64Array): void {
    for (let start = 0; start < keys.length;) {
      const top = this.#top();
      const room = Math.max(1, top.capacity - top.count);
      top.addAll(keys.subarray(start, start + room));
      start += room;
    }
  }

  #top(): Filter {
    const top = this.#layers[this.#layers.length - 1];
    if (top !== undefined && top.count < top.capacity) return top;
    const layer = this.#core.filter(this.#nextKeys);
    this.#nextKeys = Math.min(this.#mostKeys, 2 * this.#nextKeys);
    this.#layers.push(layer);
    return layer;
  }

  /** For each key: 0 = certainly absent, 1 = perhaps present. */
  hasAll(keys: BigUint64Array): Uint8Array {
    const answer = new Uint8Array(keys.length);
    for (const layer of this.#layers) {
      const found = layer.hasAll(keys);
      for (let i = 0; i < answer.length; i++) answer[i]! |= found[i]!;
    }
    return answer;
  }

  free(): void {
    for (const layer of this.#layers) layer.free();
    this.#layers.length = 0;
  }
}
