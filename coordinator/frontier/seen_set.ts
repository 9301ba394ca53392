/**
 * What a crawl has seen, from RAM: a Bloom filter per crawl answers "new", a cache answers "certainly seen"; what
 * neither knows is asked of the store.
 * Invariant: "new" and "seen" given here are true; "perhaps" is settled by the exact store only.
 */

import type { Core, LayeredFilter } from "../../core-wasm/core.ts";
import type { CrawlId } from "../../protocol/mod.ts";
import { SeenCache } from "./seen_cache.ts";
import type { FrontierSettings } from "./settings.ts";

export class SeenSet {
  readonly cache: SeenCache;
  readonly #core: Pick<Core, "layeredFilter">;
  readonly #sizes: { readonly firstKeys: number; readonly mostKeys: number };
  readonly #filters = new Map<CrawlId, LayeredFilter>();

  constructor(core: Pick<Core, "layeredFilter">, settings: FrontierSettings) {
    this.#core = core;
    this.#sizes = { firstKeys: settings.bloomFirstKeys, mostKeys: settings.bloomMaxKeys };
    this.cache = new SeenCache(settings.seenCacheKeys);
  }

  /** Accepted fingerprints of the crawl that weren't in it. */
  add(crawlId: CrawlId, fingerprints: BigUint64Array): void {
    let filter = this.#filters.get(crawlId);
    if (filter === undefined) this.#filters.set(crawlId, filter = this.#core.layeredFilter(this.#sizes));
    filter.addAll(fingerprints);
  }

  /** For each: 0 = certainly new to the crawl, 1 = perhaps seen. */
  perhapsSeen(crawlId: CrawlId, fingerprints: BigUint64Array): Uint8Array {
    return this.#filters.get(crawlId)?.hasAll(fingerprints) ?? new Uint8Array(fingerprints.length);
  }

  free(): void {
    for (const filter of this.#filters.values()) filter.free();
    this.#filters.clear();
  }
}
