/**
 * What a sweep does about crawls: finds those that came to their end, and those that go on after it.
 * Invariant: the end of a crawl is seen by one coordinator, the owner of its home slot, in counts that were all taken
 * after those of the sweep before; a crawl that is finished while a shard has something of it left runs again.
 */

import { type CrawlId, shardOf } from "../../../protocol/mod.ts";
import { crawlLookOf, type ForeignShard, type ForeignShards } from "../cluster/foreign_shards.ts";
import type { Census } from "../leases/sweep.ts";
import { SweepOperation } from "../leases/sweep.ts";
import { MergeOutboxOperation } from "../merge_outbox.ts";
import type { FrontierParts } from "../shard.ts";
import type { Crawl } from "./crawl.ts";
import type { CrawlDesk } from "./crawl_desk.ts";
import { FinishDetector } from "./finish.ts";

const NOTHING: Census = { accepted: 0, settled: 0, sent: 0, received: 0, leases: 0, outboxRows: 0 };

export interface SweepParts {
  readonly parts: FrontierParts;
  readonly desk: CrawlDesk;
  /** Absent: there are no other coordinators. */
  readonly foreign: ForeignShards | undefined;
  /** Names of other coordinators that live. */
  readonly liveOthers: () => readonly string[];
}

export class CrawlSweep {
  readonly #parts: FrontierParts;
  readonly #desk: CrawlDesk;
  readonly #foreign: ForeignShards | undefined;
  readonly #liveOthers: () => readonly string[];
  readonly #finish = new FinishDetector();

  constructor({ parts, desk, foreign, liveOthers }: SweepParts) {
    this.#parts = parts;
    this.#desk = desk;
    this.#foreign = foreign;
    this.#liveOthers = liveOthers;
  }

  /** A crawl stood still in the last sweep: the next one decides. */
  get isExpecting(): boolean {
    return this.#finish.isExpecting;
  }

  /** Rejects with what a shard's sweep failed with, when the others have been swept. */
  async sweep(): Promise<void> {
    const own = this.#parts.book.own.map((writer) => {
      if (writer.shard.outbox.mergeable().length > 0) void writer.submit(new MergeOutboxOperation()).catch(() => {});
      return writer.submit(new SweepOperation());
    });
    const swept = await Promise.allSettled(own);
    const failed = swept.find((part) => part.status === "rejected");
    const censuses = swept.flatMap((part) => part.status === "fulfilled" ? [part.value] : []);
    if (failed === undefined) await this.#findEnds(censuses);
    await this.#takeUp();
    if (failed !== undefined) throw failed.reason;
  }

  async #findEnds(censuses: readonly Map<CrawlId, Census>[]): Promise<void> {
    let looks: readonly ForeignShard[] | undefined;
    for (const crawl of this.#parts.crawls.all()) {
      const own = censuses.map((census) => census.get(crawl.id));
      if (!crawl.isRunning || own.includes(undefined) || !this.#isHome(crawl)) continue;
      const mayEnd = own.every((part) => part!.leases === 0) && !this.#othersAreBusy(crawl.id);
      if (mayEnd) looks ??= await this.#lookAtOthers();
      // Without counts of all shards nothing is said, and what was said before is forgotten.
      const others = mayEnd ? looks?.map((shard) => censusOf(shard, crawl.id)) : undefined;
      const all = others === undefined ? [{ ...NOTHING, leases: 1 }] : [...own.map((part) => part!), ...others];
      const reason = this.#finish.sweep(crawl, all);
      if (reason !== undefined) await this.#desk.finish(crawl, reason);
    }
  }

  #isHome({ homeSlot }: Crawl): boolean {
    const { book } = this.#parts;
    return book.find(shardOf(book.map, homeSlot)) !== undefined;
  }

  /** By the newest looks: it spares looks of this sweep's own. */
  #othersAreBusy(crawlId: CrawlId): boolean {
    return this.#others().some((shard) => (crawlLookOf(shard, crawlId)?.leases ?? 0) > 0);
  }

  #others(): ForeignShard[] {
    const { book } = this.#parts;
    return (this.#foreign?.all ?? []).filter(({ index }) => book.find(index) === undefined);
  }

  async #lookAtOthers(): Promise<readonly ForeignShard[] | undefined> {
    const { book } = this.#parts;
    const missing = Array.from({ length: book.count }, (_, index) => index).filter((index) => {
      return book.find(index) === undefined;
    });
    if (missing.length === 0) return [];
    const looks = await this.#foreign?.lookAfresh(missing);
    if (looks !== undefined) notePages(looks, this.#parts);
    return looks;
  }

  /** What others left half done, in crawls whose home is here or whose URLs are. */
  async #takeUp(): Promise<void> {
    const live = this.#liveOthers();
    for (const crawl of this.#parts.crawls.all()) {
      const { seeding, seeder = "", recrawlBefore = 0 } = crawl.row;
      const isOurs = seeder === this.#parts.id;
      const isLeft = (seeding || recrawlBefore > 0) && !live.includes(seeder);
      // What is under way here goes first: resuming what is done by then changes nothing.
      if (isLeft && (isOurs || this.#isHome(crawl))) await this.#desk.resume(crawl);
      if (this.#foreign === undefined) continue;
      if (crawl.row.state === "finished" && !crawl.isBudgetSpent && this.#hasLeft(crawl.id)) {
        await this.#desk.reopen(crawl);
      }
    }
  }

  /** Something came to a shard of this process when the crawl's end had been seen already. */
  #hasLeft(crawlId: CrawlId): boolean {
    return this.#parts.book.own.some(({ shard }) => {
      const counts = shard.counters.get(crawlId);
      return shard.outbox.countOf(crawlId) > 0 || (counts !== undefined && counts.accepted > counts.settled);
    });
  }
}

function censusOf(shard: ForeignShard, crawlId: CrawlId): Census {
  const look = crawlLookOf(shard, crawlId);
  if (look === undefined) return NOTHING;
  const { accepted, settled, sent, received } = look.counters ?? NOTHING;
  return { accepted, settled, sent, received, leases: look.leases, outboxRows: look.outboxRows };
}

/** Pages that others fetched count for a page limit. */
export function notePages(shards: readonly ForeignShard[], { crawls, book }: FrontierParts): void {
  for (const shard of shards) {
    if (book.find(shard.index) !== undefined) continue;
    for (const { crawlId, counters } of shard.look?.crawls ?? []) {
      const crawl = crawls.get(crawlId);
      if (crawl !== undefined && counters !== undefined) crawl.pages[shard.index] = counters.pages;
    }
  }
}
