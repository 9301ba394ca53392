/**
 * Links that went to other shards a while ago and needn't go again.
 * Invariant: forgets everything from time to time: the other shard may have refused a link (a budget that was full, a
 * full queue) and would take it when it is found again. Bounded.
 */

import { type KeySalt, SeenCache } from "./seen_cache.ts";

/** How long a link that was sent isn't sent again, at most. */
const KEPT_MS = 10 * 60_000;
/** 10 bytes each. */
const LINKS = 1 << 16;

export class SentLinks {
  readonly #cache: SeenCache;
  #since = -Infinity;
  #isEmpty = true;

  constructor(links: number = LINKS) {
    this.#cache = new SeenCache(links);
  }

  /** Time passes; `now` is wall ms. A clock that went back forgets too. */
  tick(now: number): void {
    if (now >= this.#since && now - this.#since < KEPT_MS) return;
    this.#since = now;
    if (this.#isEmpty) return;
    this.#cache.clear();
    this.#isEmpty = true;
  }

  /** The depth at which it was sent, -1 = it wasn't, as far as is known. */
  depthOf(low: number, high: number, salt: KeySalt): number {
    return this.#isEmpty ? -1 : this.#cache.depthOf(low, high, salt);
  }

  depthOfKey(fingerprint: bigint, salt: KeySalt): number {
    return this.#isEmpty ? -1 : this.#cache.depthOfKey(fingerprint, salt);
  }

  add(fingerprint: bigint, salt: KeySalt, depth: number): void {
    this.#cache.add(fingerprint, salt, depth);
    this.#isEmpty = false;
  }
}
