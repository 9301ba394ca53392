/**
 * A crawl in RAM: its row, its compiled scope, and what of its page budget is used, over all shards.
 * Invariant: fetched pages + leased page targets never exceed `max_pages`, because every grant asks `pagesLeft` first.
 */

import type { Core } from "../../../core-wasm/core.ts";
import type { CrawlRow } from "../../ports.ts";
import {
  type CrawlId,
  type CrawlSettings,
  type CrawlSpec,
  type FetchRules,
  hostKeyOf,
  type Origin,
  slotOf,
} from "../../../protocol/mod.ts";
import { type ScopedUrl, type ScopeRules, scopeRules } from "../door/scope.ts";
import type { HostDirectory } from "../host_directory.ts";
import type { KeySalt } from "../seen/seen_cache.ts";

export interface CrawlParts {
  readonly core: Pick<Core, "url" | "xxh64">;
  readonly directory: HostDirectory;
  readonly book: { readonly count: number };
  /** Page limits are shared out among the shards of several coordinators. */
  readonly isShared?: boolean;
}

export class Crawl {
  readonly id: CrawlId;
  readonly salt: KeySalt;
  /** The owner of this slot sees to the crawl as a whole. */
  readonly homeSlot: number;
  row: CrawlRow;
  /** The row that the control database was last seen to hold. */
  saved: CrawlRow | undefined;
  rules: ScopeRules;
  settings: CrawlSettings;
  /** Per shard: 2xx pages fetched, and page targets out. */
  readonly pages: number[];
  readonly leased: number[];
  /** Per shard: targets that came back in a round whose commit is under way; were it to fail, they would be out still. */
  readonly freed: number[];
  /** Wall ms at which it may have run, here or elsewhere; undefined = nobody asked yet. Of this process only. */
  ranAt: number | undefined;
  /** Per shard: pages of the limit that it holds, where limits are shared out. */
  readonly allotted: number[];
  /** Origins whose sitemaps it was told of, since the start. */
  readonly announced = new Set<Origin>();
  readonly #parts: CrawlParts;
  readonly #seeds: ScopedUrl[];

  /** Throws a sentence when a pattern of the scope can't be compiled. */
  constructor(row: CrawlRow, parts: CrawlParts) {
    this.id = row.crawlId;
    this.row = row;
    this.#parts = parts;
    this.pages = new Array(parts.book.count).fill(0);
    this.leased = new Array(parts.book.count).fill(0);
    this.freed = new Array(parts.book.count).fill(0);
    this.allotted = new Array(parts.book.count).fill(0);
    const hash = parts.core.xxh64(new TextEncoder().encode(row.crawlId));
    this.homeSlot = slotOf(hash);
    this.salt = { low: Number(hash & 0xffffffffn), high: Number(hash >> 32n) };
    this.#seeds = row.spec.seeds.flatMap((seed) => scopedUrl(seed, parts.core) ?? []);
    this.rules = this.#compile();
    this.settings = crawlSettings(row);
  }

  #compile(): ScopeRules {
    const extras = this.row.extraHosts.map((entry) => {
      const host = entry.split("/", 1)[0]!;
      return { entry, host, domain: this.#parts.directory.placeOf(host).domain };
    });
    return scopeRules(this.row.spec, this.#seeds, extras);
  }

  get isRunning(): boolean {
    return this.row.state === "running";
  }

  get isPolite(): boolean {
    return this.row.spec.politeness.delay_ms > 0;
  }

  get pagesFetched(): number {
    return sum(this.pages);
  }

  /** Page targets that may still be leased; Infinity without `max_pages`. */
  get pagesLeft(): number {
    const most = this.row.spec.max_pages;
    return most === undefined ? Infinity : Math.max(0, most - sum(this.pages) - sum(this.leased) - sum(this.freed));
  }

  /** Pages of the limit that a shard has fetched or leased. */
  usedIn(shard: number): number {
    return (this.pages[shard] ?? 0) + (this.leased[shard] ?? 0) + (this.freed[shard] ?? 0);
  }

  /** Page targets that one shard may still lease; Infinity without `max_pages`. */
  pagesLeftIn(shard: number): number {
    if (this.row.spec.max_pages === undefined || this.#parts.isShared !== true) return this.pagesLeft;
    return Math.max(0, (this.allotted[shard] ?? 0) - this.usedIn(shard));
  }

  get isBudgetSpent(): boolean {
    const most = this.row.spec.max_pages;
    return most !== undefined && sum(this.pages) >= most;
  }

  /** Another budget, pace and words for the sites; `spec` has the seeds and the scope of the old one. */
  retune(spec: CrawlSpec): void {
    this.row = { ...this.row, spec, stateVersion: this.row.stateVersion + 1 };
    this.settings = crawlSettings(this.row);
  }

  /** Another coordinator changed it. */
  adopt(row: CrawlRow): void {
    this.row = row;
    this.settings = crawlSettings(row);
    this.rules = this.#compile();
  }

  /** Lets what `entry` names (host, or host + folder) into the scope; false when it was in already. */
  addExtra(entry: string): boolean {
    if (this.row.extraHosts.includes(entry)) return false;
    this.row = {
      ...this.row,
      extraHosts: [...this.row.extraHosts, entry],
      stateVersion: this.row.stateVersion + 1,
    };
    this.rules = this.#compile();
    return true;
  }
}

/** Shards that came later may have left gaps. */
function sum(parts: readonly (number | undefined)[]): number {
  let total = 0;
  for (const part of parts) total += part ?? 0;
  return total;
}

function scopedUrl(input: string, core: Pick<Core, "url">): ScopedUrl | undefined {
  const facts = core.url(input);
  return "error" in facts ? undefined : { href: facts.url, host: hostKeyOf(facts.host), domain: facts.domain };
}

/** Its fields that are there. */
function fetchRules({ content_types, cookies, noarchive }: FetchRules): FetchRules {
  return {
    ...(content_types === undefined ? {} : { content_types }),
    ...(cookies === undefined ? {} : { cookies }),
    ...(noarchive === undefined ? {} : { noarchive }),
  };
}

function crawlSettings(row: CrawlRow): CrawlSettings {
  const { spec, crawlId } = row;
  return {
    crawl_id: crawlId,
    user_agent: spec.user_agent,
    product_token: spec.product_token,
    ...(spec.contact === undefined ? {} : { contact: spec.contact }),
    polite: spec.politeness.delay_ms > 0,
    embeds: spec.embeds,
    respect_rel_nofollow: spec.respect_rel_nofollow,
    sitemaps: spec.sitemaps !== "none",
    scope_version: row.stateVersion,
    ...fetchRules(spec),
  };
}

/** The crawls that this coordinator knows. */
export class CrawlBook {
  readonly #crawls = new Map<CrawlId, Crawl>();

  get(id: CrawlId): Crawl | undefined {
    return this.#crawls.get(id);
  }

  add(crawl: Crawl): void {
    this.#crawls.set(crawl.id, crawl);
  }

  all(): IterableIterator<Crawl> {
    return this.#crawls.values();
  }
}
