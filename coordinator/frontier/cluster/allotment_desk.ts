/**
 * Page limits among several coordinators: each shard leases within what it holds of a crawl's `max_pages`, asks for more
 * before that runs out, and gives back what it doesn't use.
 * Invariant: RAM never says more than the control database does. What is given back is out of RAM first; what is got is
 * in it only when the database said so.
 */

import type { AllotmentStore } from "../../owner_ports.ts";
import type { CrawlId } from "../../../protocol/mod.ts";
import type { Crawl } from "../crawls/crawl.ts";
import type { FrontierParts } from "../shard.ts";
import type { ShardWriter } from "../writer.ts";

/** Pages that a shard with queued URLs keeps in hand at least, and asks for at a time at least. */
const LOW_PAGES = 20;
/** A shard asks for this part of what a fair share would be. */
const PART_OF_SHARE = 4;
/** Ticks without any use after which what is held goes back. */
const IDLE_TICKS = 2;

/** What one owner said of one crawl in one shard. */
interface Holding {
  readonly term: number;
  version: number;
  limit: number;
  /** Used at the last tick, and for how many ticks it was the same. */
  usedBefore: number;
  idleTicks: number;
  isAsking: boolean;
}

export class AllotmentDesk {
  readonly #parts: FrontierParts;
  readonly #store: AllotmentStore;
  readonly #holdings = new Map<string, Holding>();

  constructor(parts: FrontierParts, store: AllotmentStore) {
    this.#parts = parts;
    this.#store = store;
  }

  /** Tells what the shard of an earlier owner used, before anything is leased of it. */
  async enter(writer: ShardWriter): Promise<void> {
    for (const crawl of this.#parts.crawls.all()) {
      crawl.allotted[writer.index] = 0;
      if (crawl.isRunning && crawl.row.spec.max_pages !== undefined) await this.#claim(crawl, writer, 0);
    }
  }

  /** Resolves when every claim that it began has been answered; one that fails is made again by the next tick. */
  async tick(): Promise<void> {
    const asking: Promise<void>[] = [];
    for (const crawl of this.#parts.crawls.all()) {
      if (!crawl.isRunning || crawl.row.spec.max_pages === undefined) continue;
      for (const writer of this.#parts.book.own) {
        const more = this.#wanted(crawl, writer);
        if (more !== undefined) {
          asking.push(this.#claim(crawl, writer, more).catch((error) => this.#note(writer, error)));
        }
      }
    }
    await Promise.all(asking);
  }

  #note({ index }: ShardWriter, error: unknown): void {
    this.#parts.log.warn("pages of a crawl's limit could not be claimed", { shard: index, error: String(error) });
  }

  /** Pages that the shard should hold beyond those that it used; undefined = it may stay as it is. */
  #wanted(crawl: Crawl, writer: ShardWriter): number | undefined {
    const { index, shard } = writer;
    const limit = crawl.row.spec.max_pages!;
    const holding = this.#holdings.get(nameOf(crawl.id, index));
    if (holding?.isAsking) return undefined;
    if (holding === undefined || holding.term !== writer.ownerTerm || holding.limit > limit) return 0;
    const used = crawl.usedIn(index);
    const left = crawl.pagesLeftIn(index);
    const counts = shard.counters.get(crawl.id);
    const queued = counts === undefined ? 0 : counts.accepted - counts.settled - (crawl.leased[index] ?? 0);
    holding.idleTicks = used === holding.usedBefore ? holding.idleTicks + 1 : 0;
    holding.usedBefore = used;
    if (queued > left && left < LOW_PAGES) {
      const share = Math.ceil(limit / (PART_OF_SHARE * this.#parts.book.count));
      return Math.min(queued, Math.max(LOW_PAGES, share));
    }
    const isIdle = left > 0 && (queued === 0 || holding.idleTicks >= IDLE_TICKS);
    return isIdle ? 0 : undefined;
  }

  /** Claims `more` pages beyond those that are used. */
  async #claim(crawl: Crawl, writer: ShardWriter, more: number): Promise<void> {
    const { index } = writer;
    const name = nameOf(crawl.id, index);
    const limit = crawl.row.spec.max_pages!;
    const before = this.#holdings.get(name);
    const isNew = before === undefined || before.term !== writer.ownerTerm;
    const holding = isNew
      ? { term: writer.ownerTerm, version: 0, limit, usedBefore: -1, idleTicks: 0, isAsking: true }
      : before;
    this.#holdings.set(name, holding);
    holding.isAsking = true;
    holding.limit = limit;
    // While a round is committed, a page that it settles counts twice; what was held is never exceeded.
    const used = isNew ? crawl.usedIn(index) : Math.min(crawl.usedIn(index), crawl.allotted[index] ?? 0);
    const pages = used + more;
    if (pages < (crawl.allotted[index] ?? 0)) crawl.allotted[index] = pages;
    try {
      const version = ++holding.version;
      const held = await this.#store.claim({
        crawlId: crawl.id,
        shard: index,
        term: holding.term,
        version,
        used,
        pages,
        limit,
      });
      // No more than was asked for under this very claim, whatever an earlier one got.
      if (this.#holdings.get(name) === holding) crawl.allotted[index] = Math.min(held, pages);
    } finally {
      holding.isAsking = false;
    }
  }
}

function nameOf(crawlId: CrawlId, shard: number): string {
  return `${shard} ${crawlId}`;
}
