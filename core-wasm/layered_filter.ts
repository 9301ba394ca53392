/**
 * A Bloom filter that grows: when a layer is full, one of twice the size is put on top.
 * Invariant: no false "absent" for a key that was added; a key is put into one layer only, and counts once.
 */

import type { Filter, LayeredFilter, LayerSizes, SnapshotRefused } from "./core.ts";
import { makeFilter, readFilter } from "./filter.ts";
import type { FilterDoor } from "./instance.ts";
import { hashOf, HEADER_BYTES, readHeader, refused, SNAPSHOT_KIND, writeHeader } from "./snapshot.ts";

export class GrowingFilter implements LayeredFilter {
  readonly #instance: () => FilterDoor;
  readonly #mostKeys: number;
  readonly #layers: Filter[];
  #nextKeys: number;
  #isFree = false;

  /** `instance` makes a wasm instance for a layer; `layers`: those of a snapshot, the smallest first. */
  constructor(instance: () => FilterDoor, { firstKeys, mostKeys }: LayerSizes, layers: readonly Filter[] = []) {
    this.#instance = instance;
    this.#mostKeys = mostKeys;
    this.#layers = [...layers];
    const last = layers.at(-1)?.capacity;
    this.#nextKeys = last === undefined ? firstKeys : Math.min(mostKeys, 2 * last);
  }

  get layers(): number {
    return this.#layers.length;
  }

  get capacity(): number {
    return this.#layers.reduce((sum, layer) => sum + layer.capacity, 0);
  }

  get count(): number {
    return this.#layers.reduce((sum, layer) => sum + layer.count, 0);
  }

  addAll(keys: BigUint64Array): Uint8Array {
    const fresh = new Uint8Array(keys.length);
    for (let start = 0; start < keys.length;) {
      const top = this.#top();
      const part = keys.subarray(start, start + top.capacity - top.count);
      fresh.set(this.#addTo(top, part), start);
      start += part.length;
    }
    return fresh;
  }

  /** Keys that an older layer has aren't added again: they would fill the top for nothing. */
  #addTo(top: Filter, keys: BigUint64Array): Uint8Array {
    const seen = this.#lookUp(keys, this.#layers.slice(0, -1));
    if (!seen.includes(1)) return top.addAll(keys);
    const fresh = new Uint8Array(keys.length);
    const places = Array.from(keys, (_, i) => i).filter((i) => seen[i] === 0);
    const answers = top.addAll(BigUint64Array.from(places, (i) => keys[i]!));
    places.forEach((place, i) => fresh[place] = answers[i]!);
    return fresh;
  }

  #top(): Filter {
    if (this.#isFree) throw new Error("Adding to a layered filter failed: it was freed; make another.");
    const top = this.#layers.at(-1);
    if (top !== undefined && top.count < top.capacity) return top;
    const layer = makeFilter(this.#instance(), this.#nextKeys);
    this.#nextKeys = Math.min(this.#mostKeys, 2 * this.#nextKeys);
    this.#layers.push(layer);
    return layer;
  }

  hasAll(keys: BigUint64Array): Uint8Array {
    return this.#lookUp(keys, this.#layers);
  }

  #lookUp(keys: BigUint64Array, layers: readonly Filter[]): Uint8Array {
    const answer = new Uint8Array(keys.length);
    for (const layer of layers) {
      const found = layer.hasAll(keys);
      for (let i = 0; i < answer.length; i++) answer[i]! |= found[i]!;
    }
    return answer;
  }

  /** A header of its own over the layers' headers, then the layers, each as a snapshot. */
  snapshot(position: bigint): readonly Uint8Array[] {
    const parts = this.#layers.flatMap((layer) => layer.snapshot(position));
    const { capacity, count } = this;
    const bodyBytes = parts.reduce((sum, part) => sum + part.length, 0);
    const raw = this.#instance();
    const facts = { kind: SNAPSHOT_KIND.layers, position, capacity, count, bodyBytes };
    const headers = parts.filter((_, i) => i % 2 === 0);
    return [writeHeader(raw, facts, hashOfAll(raw, headers)), ...parts];
  }

  free(): void {
    for (const layer of this.#layers) layer.free();
    this.#layers.length = 0;
    this.#isFree = true;
  }
}

/** Each header holds its body's hash, so that a hash over the headers is one over all. */
function hashOfAll(raw: FilterDoor, headers: readonly Uint8Array[]): bigint {
  const bytes = new Uint8Array(headers.length * HEADER_BYTES);
  headers.forEach((header, i) => bytes.set(header, i * HEADER_BYTES));
  return hashOf(raw, bytes);
}

/** See Core.restoreLayeredFilter. */
export function restoreLayers(
  instance: () => FilterDoor,
  bytes: Uint8Array,
  sizes: LayerSizes,
): { readonly filter: LayeredFilter; readonly position: bigint } | SnapshotRefused {
  const kind = SNAPSHOT_KIND.layers;
  const raw = instance();
  const facts = readHeader(raw, bytes, kind);
  if ("error" in facts) return facts;
  if (bytes.length !== HEADER_BYTES + facts.bodyBytes) {
    return refused(kind, `${bytes.length} bytes were found where ${HEADER_BYTES + facts.bodyBytes} are wanted`);
  }
  const layers: Filter[] = [];
  const headers: Uint8Array[] = [];
  for (let at = HEADER_BYTES; at < bytes.length;) {
    const layer = readFilter(instance(), bytes.subarray(at));
    if ("error" in layer) return layer;
    layers.push(layer.filter);
    headers.push(bytes.subarray(at, at + HEADER_BYTES));
    at += layer.used;
  }
  if (hashOfAll(raw, headers) !== facts.bodyHash) return refused(kind, "the layers don't have their checksum");
  return { filter: new GrowingFilter(instance, sizes, layers), position: facts.position };
}
