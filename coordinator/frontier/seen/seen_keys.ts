/**
 * Keys of the seen-set in columns: the cluster, by which keys that are asked for together lie together, and the 64-bit
 * key, which alone says what URL of what crawl it is.
 * Invariant: a key is the URL's fingerprint xored with the crawl's salt, so one set serves all crawls of a shard, with
 * no more than the accepted 64-bit collisions. Order is by cluster, then key, both unsigned.
 */

import type { KeySalt } from "./seen_cache.ts";

const FIRST_ROOM = 64;
const TWO_20 = 2 ** 20;
const TWO_36 = 2 ** 36;

/**
 * (slot, crawl, domain) as one whole number of 48 bits: 12 of slot, 16 of the crawl's salt, 20 of the domain's hash.
 * `domainHash`: the upper 32 bits of the hash whose upper 12 bits are the slot. Two domains of one cluster cost nothing.
 */
export function clusterOf(domainHash: number, salt: KeySalt): number {
  return (domainHash >>> 20) * TWO_36 + (salt.high & 0xffff) * TWO_20 + (domainHash & 0xfffff);
}

export class SeenKeys {
  length = 0;
  clusters = new Float64Array(FIRST_ROOM);
  /** The keys; `words` are the same bytes as (low, high) pairs, because arithmetic on BigInt is slow. */
  keys = new BigUint64Array(FIRST_ROOM);
  words = new Uint32Array(this.keys.buffer);

  /** A URL's fingerprint under its crawl's salt. */
  addUrl(cluster: number, fingerprint: bigint, salt: KeySalt): void {
    const at = this.#grown();
    this.clusters[at] = cluster;
    this.keys[at] = fingerprint;
    this.words[2 * at]! ^= salt.low;
    this.words[2 * at + 1]! ^= salt.high;
  }

  add(cluster: number, low: number, high: number): void {
    const at = this.#grown();
    this.clusters[at] = cluster;
    this.words[2 * at] = low;
    this.words[2 * at + 1] = high;
  }

  #grown(): number {
    const at = this.length++;
    if (at < this.clusters.length) return at;
    const clusters = new Float64Array(2 * at);
    clusters.set(this.clusters);
    this.clusters = clusters;
    const keys = new BigUint64Array(2 * at);
    keys.set(this.keys);
    this.keys = keys;
    this.words = new Uint32Array(keys.buffer);
    return at;
  }

  /** The same keys in their order, in new columns. */
  sorted(): SeenKeys {
    const places = new Map<number, number>();
    for (let i = 0; i < this.length; i++) {
      const cluster = this.clusters[i]!;
      places.set(cluster, (places.get(cluster) ?? 0) + 1);
    }
    const order = Float64Array.from(places.keys()).sort();
    const out = new SeenKeys();
    out.length = this.length;
    out.clusters = new Float64Array(this.length);
    out.keys = new BigUint64Array(this.length);
    out.words = new Uint32Array(out.keys.buffer);
    let start = 0;
    for (const cluster of order) {
      const count = places.get(cluster)!;
      out.clusters.fill(cluster, start, start + count);
      places.set(cluster, start);
      start += count;
    }
    for (let i = 0; i < this.length; i++) {
      const at = places.get(this.clusters[i]!)!;
      places.set(this.clusters[i]!, at + 1);
      out.words[2 * at] = this.words[2 * i]!;
      out.words[2 * at + 1] = this.words[2 * i + 1]!;
    }
    start = 0;
    for (const cluster of order) {
      const end = places.get(cluster)!;
      if (end - start > 1) out.keys.subarray(start, end).sort();
      start = end;
    }
    return out;
  }
}
