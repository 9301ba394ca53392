/**
 * A bounded memory of fingerprints that are certainly in the store.
 * Invariant: a hit is true up to the accepted 64-bit collision; a miss says nothing. Crawls are told apart by a salt
 * that is xored to the key.
 */

const WAYS = 4;

export interface KeySalt {
  readonly low: number;
  readonly high: number;
}

export class SeenCache {
  /** (low, high) pairs; four ways per bucket. */
  readonly #words: Uint32Array;
  readonly #depths: Uint16Array;
  readonly #mask: number;
  #chance = 1;

  /** `keys` is a power of two; 10 bytes each. */
  constructor(keys: number) {
    this.#words = new Uint32Array(2 * keys);
    this.#depths = new Uint16Array(keys);
    this.#mask = keys / WAYS - 1;
  }

  /** The depth by which the URL is known (65,535 = unknown), or -1 when the cache can't tell whether it is known. */
  depthOf(low: number, high: number, salt: KeySalt): number {
    const a = (low ^ salt.low) >>> 0;
    const b = (high ^ salt.high) >>> 0;
    const words = this.#words;
    const first = (a & this.#mask) * WAYS;
    for (let way = first; way < first + WAYS; way++) {
      if (words[2 * way] === a && words[2 * way + 1] === b) return (a | b) === 0 ? -1 : this.#depths[way]!;
    }
    return -1;
  }

  depthOfKey(fingerprint: bigint, salt: KeySalt): number {
    return this.depthOf(Number(fingerprint & 0xffffffffn), Number(fingerprint >> 32n), salt);
  }

  add(fingerprint: bigint, salt: KeySalt, depth: number): void {
    const a = (Number(fingerprint & 0xffffffffn) ^ salt.low) >>> 0;
    const b = (Number(fingerprint >> 32n) ^ salt.high) >>> 0;
    const at = this.#placeFor(a, b);
    this.#words[2 * at] = a;
    this.#words[2 * at + 1] = b;
    this.#depths[at] = Math.min(depth, 0xffff);
  }

  /** Its own place, a free one, or one by chance (a linear congruence, so that runs can be repeated). */
  #placeFor(a: number, b: number): number {
    const words = this.#words;
    const first = (a & this.#mask) * WAYS;
    let free = -1;
    for (let way = first; way < first + WAYS; way++) {
      if (words[2 * way] === a && words[2 * way + 1] === b) return way;
      if (words[2 * way] === 0 && words[2 * way + 1] === 0) free = way;
    }
    if (free >= 0) return free;
    this.#chance = (Math.imul(this.#chance, 1664525) + 1013904223) >>> 0;
    return first + (this.#chance >>> 30);
  }

  clear(): void {
    this.#words.fill(0);
  }
}
