/**
 * How keys stand in the store, in the log and in the blocks of runs: two words of counts, the keys, then the clusters,
 * each with the place where its keys end. All words are little-endian, 32 bits.
 * Invariant: what is written by `packKeys` or a BlockPacker is read back key for key; 8 bytes a key and 8 a cluster.
 */

import { SEEN_BLOCK_BYTES as BLOCK_BYTES } from "../../seen_ports.ts";
import type { SeenKeys } from "./seen_keys.ts";

export const BLOCK_WORDS = BLOCK_BYTES / 4;
/** Keys of one cluster entry: the end of its keys is written in 16 bits. */
const PACK_KEYS = 0xffff;
const TWO_32 = 2 ** 32;

/** The cluster whose entry stands at `words[at]`, `words[at + 1]`. */
export function clusterAt(words: Uint32Array, at: number): number {
  return (words[at + 1]! & 0xffff) * TWO_32 + words[at]!;
}

export function writeCluster(words: Uint32Array, at: number, cluster: number, end: number): void {
  words[at] = cluster % TWO_32;
  words[at + 1] = Math.floor(cluster / TWO_32) | (end << 16);
}

/** The log's form of `keys`: packs of up to 65,535, one behind the other. Keys of a cluster that stand together share its entry. */
export function packKeys(keys: SeenKeys): Uint8Array<ArrayBuffer> {
  const packs: Uint32Array[] = [];
  for (let from = 0; from < keys.length; from += PACK_KEYS) {
    packs.push(onePack(keys, from, Math.min(keys.length, from + PACK_KEYS)));
  }
  const words = new Uint32Array(packs.reduce((sum, pack) => sum + pack.length, 0));
  let at = 0;
  for (const pack of packs) {
    words.set(pack, at);
    at += pack.length;
  }
  return new Uint8Array(words.buffer);
}

function onePack(keys: SeenKeys, from: number, to: number): Uint32Array {
  const count = to - from;
  const words = new Uint32Array(2 + 4 * count);
  words.set(keys.words.subarray(2 * from, 2 * to), 2);
  let at = 2 + 2 * count;
  for (let i = from; i < to; i++) {
    if (i + 1 < to && keys.clusters[i + 1] === keys.clusters[i]) continue;
    writeCluster(words, at, keys.clusters[i]!, i + 1 - from);
    at += 2;
  }
  words[0] = count;
  words[1] = (at - 2 - 2 * count) / 2;
  return words.slice(0, at);
}

/** The keys of a log entry, added to `out`. Throws a sentence when the bytes aren't whole packs. */
export function unpackKeys(bytes: Uint8Array, out: SeenKeys): void {
  const words = wordsOf(bytes);
  for (let at = 0; at < words.length;) {
    const [count, clusters] = [words[at]!, words[at + 1] ?? 0];
    const end = at + 2 + 2 * count + 2 * clusters;
    if (end > words.length || (count > 0 && clusters === 0)) {
      throw new Error(
        `Reading the seen-set's log failed: an entry of ${bytes.length} bytes ends within a pack; restore the database.`,
      );
    }
    readPack(words, at, out);
    at = end;
  }
}

/** Adds the keys of the pack, or block, that begins at `words[at]`. */
export function readPack(words: Uint32Array, at: number, out: SeenKeys): void {
  const [count, clusters] = [words[at]!, words[at + 1]!];
  const entries = at + 2 + 2 * count;
  let key = 0;
  for (let entry = entries; entry < entries + 2 * clusters; entry += 2) {
    const cluster = clusterAt(words, entry);
    for (const end = words[entry + 1]! >>> 16; key < end; key++) {
      out.add(cluster, words[at + 2 + 2 * key]!, words[at + 3 + 2 * key]!);
    }
  }
}

/** `bytes` as words; copied where they don't stand on a word's boundary. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
}

/** Whether the block at `words[base]` holds the key: the cluster's entry first, then the key among its keys. */
export function blockHolds(
  words: Uint32Array,
  base: number,
  key: { cluster: number; low: number; high: number },
): boolean {
  const count = words[base]!;
  const entries = base + 2 + 2 * count;
  let low = 0;
  let high = words[base + 1]!;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (clusterAt(words, entries + 2 * middle) < key.cluster) low = middle + 1;
    else high = middle;
  }
  if (low === words[base + 1] || clusterAt(words, entries + 2 * low) !== key.cluster) return false;
  const end = words[entries + 2 * low + 1]! >>> 16;
  const start = low === 0 ? 0 : words[entries + 2 * low - 1]! >>> 16;
  return holdsKey(words, base + 2 + 2 * start, base + 2 + 2 * end, key);
}

/**
 * Keys are spread evenly, so the place is guessed from the first and the last, and walked to from there: it touches two or
 * three lines of memory where halving touches seven.
 */
function holdsKey(words: Uint32Array, from: number, to: number, { low, high }: { low: number; high: number }): boolean {
  const first = words[from + 1]!;
  const last = words[to - 1]!;
  if (high < first || high > last) return false;
  const share = last === first ? 0 : (high - first) / (last - first);
  let at = from + 2 * Math.floor(share * ((to - from) / 2 - 1));
  const orderAt = (place: number) => words[place + 1]! - high || words[place]! - low;
  let order = orderAt(at);
  const step = order < 0 ? 2 : -2;
  while (order !== 0 && (order < 0) === (step > 0)) {
    at += step;
    if (at < from || at >= to) return false;
    order = orderAt(at);
  }
  return order === 0;
}

/** Lays keys that come in their order into blocks. */
export class BlockPacker {
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #most: number;
  /** Clusters of the block that is being filled, with the ends of their keys. */
  readonly #clusters: number[] = [];
  readonly #ends: number[] = [];
  #blocks = 0;
  #count = 0;

  /** Room for `blocks` blocks. */
  constructor(blocks: number) {
    this.#most = blocks;
    this.#words = new Uint32Array(blocks * BLOCK_WORDS);
  }

  /** Blocks that are closed. */
  get blocks(): number {
    return this.#blocks;
  }

  /** No key fits any more. */
  get isFull(): boolean {
    return this.#blocks === this.#most;
  }

  /** Not to be called when full. */
  add(cluster: number, low: number, high: number): void {
    const isSame = this.#count > 0 && this.#clusters[this.#clusters.length - 1] === cluster;
    const base = this.#blocks * BLOCK_WORDS + 2 + 2 * this.#count;
    this.#words[base] = low;
    this.#words[base + 1] = high;
    if (!isSame) {
      this.#clusters.push(cluster);
      this.#ends.push(0);
    }
    this.#ends[this.#ends.length - 1] = ++this.#count;
  }

  /** To be called before each `add`, which then fits unless the packer is full. */
  makeRoom(cluster: number): void {
    const { length } = this.#clusters;
    const entries = length > 0 && this.#clusters[length - 1] === cluster ? length : length + 1;
    if (2 + 2 * (this.#count + 1) + 2 * entries > BLOCK_WORDS) this.close();
  }

  /** Ends the block that is being filled, if there is one. */
  close(): void {
    if (this.#count === 0) return;
    const base = this.#blocks * BLOCK_WORDS;
    this.#words[base] = this.#count;
    this.#words[base + 1] = this.#clusters.length;
    let at = base + 2 + 2 * this.#count;
    for (let i = 0; i < this.#clusters.length; i++, at += 2) {
      writeCluster(this.#words, at, this.#clusters[i]!, this.#ends[i]!);
    }
    this.#blocks++;
    this.#count = this.#clusters.length = this.#ends.length = 0;
  }

  /** The closed blocks, one behind the other. */
  bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#words.buffer, 0, this.#blocks * BLOCK_BYTES);
  }
}
