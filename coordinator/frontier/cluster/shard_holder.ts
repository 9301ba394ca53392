/**
 * Takes shards, drops those that are lost, gives them back.
 * Invariant: what stands in the book is loaded, owned as far as is known, and knows every crawl; the shard of a slower
 * clock is asked for nothing before its owner's last promises have come true by this clock.
 */

import type { ShardStore } from "../../ports.ts";
import { OwnerLost } from "../../owner_ports.ts";
import type { CrawlDesk } from "../crawls/crawl_desk.ts";
import type { AllotmentDesk } from "./allotment_desk.ts";
import { enterShard } from "../crawls/seeding.ts";
import { lastWordOperation } from "../leases/sweep.ts";
import { crawlUnknownTo } from "../lost_databases.ts";
import type { CrawlBook } from "../crawls/crawl.ts";
import type { FrontierParts } from "../shard.ts";
import { ShardWriter } from "../writer.ts";
import type { ClockLead } from "./shard_watch.ts";

export interface HolderOptions {
  readonly parts: FrontierParts;
  readonly desk: CrawlDesk;
  readonly url: string;
  readonly beatMs: number;
  readonly allotments: AllotmentDesk;
  readonly openStore: (index: number) => ShardStore;
}

export interface Taking {
  readonly index: number;
  /** The owner term that was watched. */
  readonly overTerm: number;
  readonly lead: ClockLead;
}

/** After a shard couldn't be taken: so long it isn't tried again. */
const TRY_AGAIN_MS = 5_000;

export class ShardHolder {
  readonly #options: HolderOptions;
  readonly #stop = new AbortController();
  readonly #taking = new Map<number, Promise<void>>();
  readonly #dropping = new Set<Promise<void>>();
  /** Why a shard isn't taken, and when it is tried again. */
  readonly #refused = new Map<number, { readonly why: string; readonly untilMs: number }>();

  constructor(options: HolderOptions) {
    this.#options = options;
  }

  /** May be taken: nothing is under way with it, and the last try wasn't just now. */
  isFreeFor(index: number): boolean {
    const refused = this.#refused.get(index);
    const isOver = refused === undefined || this.#options.parts.clock.monotonicMs() >= refused.untilMs;
    return isOver && !this.#taking.has(index) && this.#options.parts.book.find(index) === undefined;
  }

  get takingCount(): number {
    return this.#taking.size;
  }

  problems(): string[] {
    return Array.from(this.#refused.values(), ({ why }) => why);
  }

  refuse(index: number, why: string): void {
    const untilMs = this.#options.parts.clock.monotonicMs() + TRY_AGAIN_MS;
    if (this.#refused.get(index)?.why !== why) this.#options.parts.log.error(why, { shard: index });
    this.#refused.set(index, { why, untilMs });
  }

  /** Resolves when the shard is in the book, or isn't going to be. */
  take(taking: Taking): Promise<void> {
    const { index } = taking;
    const done = this.#take(taking).catch((error) => {
      if (!(error instanceof OwnerLost)) {
        return this.refuse(index, `Taking shard ${index}: ${(error as Error).message}`);
      }
      this.#options.parts.log.info("another coordinator was first", { shard: index, reason: error.message });
    }).finally(() => this.#taking.delete(index));
    this.#taking.set(index, done);
    return done;
  }

  async #take({ index, overTerm, lead }: Taking): Promise<void> {
    const { parts, desk, beatMs, openStore } = this.#options;
    const store = openStore(index);
    let writer: ShardWriter | undefined;
    try {
      const ownedAtMs = parts.clock.monotonicMs();
      const { ownerTerm } = await store.open(parts.id, parts.core.keyVersion, overTerm);
      const onLost = (lost: ShardWriter, why: string) => this.#lose(lost, why);
      const saveCrawl = desk.save.bind(desk);
      writer = await ShardWriter.open(index, parts, {
        store,
        saveCrawl,
        owning: { ownerTerm, beatMs, aheadMs: lead.ms, aheadAfterMs: lead.afterMs, ownedAtMs, onLost },
      });
      if (crawlUnknownTo(parts.crawls, writer.shard) !== undefined) await desk.refresh();
      const unknown = crawlUnknownTo(parts.crawls, writer.shard);
      if (unknown !== undefined) throw unknown;
      await enterShard(writer, parts.crawls);
      countPages(writer, parts.crawls);
      await this.#options.allotments.enter(writer);
      if (lead.isKnown) await parts.clock.sleep(Math.ceil(lead.ms), this.#stop.signal);
      if (this.#stop.signal.aborted) throw new OwnerLost("Taking a shard: the coordinator is closing.");
      // Another may have taken it while the clock was waited for.
      if (writer.isStopped) throw new OwnerLost(writer.problem);
      this.#refused.delete(index);
      countPages(writer, parts.crawls);
      parts.book.put(index, writer);
      this.#learnOwners();
      parts.log.info("took a shard", { shard: index, term: ownerTerm, clockAheadMs: lead.ms });
    } catch (error) {
      this.#forget(index);
      if (writer === undefined) await store.giveBack().catch(() => {}).then(() => store.close());
      else await writer.close({ givesBack: true });
      throw error;
    }
  }

  /** The map says at once what is owned, not only when the directory does. */
  #learnOwners(): void {
    const { parts: { book }, url } = this.#options;
    const owners = Array.from({ length: book.count }, (_, index) => {
      const writer = book.find(index);
      return writer === undefined ? book.map.owners?.[index] ?? { url: "", term: 0 } : { url, term: writer.ownerTerm };
    });
    book.learn({ ...book.map, owners });
  }

  #lose(writer: ShardWriter, why: string): void {
    const { parts } = this.#options;
    if (parts.book.find(writer.index) !== writer) return;
    this.#forget(writer.index);
    parts.log.warn("lost a shard", { shard: writer.index, reason: why });
    const dropping = writer.close().catch((error) => {
      parts.log.warn("closing a lost shard failed", { shard: writer.index, error: String(error) });
    }).finally(() => this.#dropping.delete(dropping));
    this.#dropping.add(dropping);
  }

  /** What its RAM said of leases counts no more. */
  #forget(index: number): void {
    const { parts } = this.#options;
    parts.book.put(index, undefined);
    for (const crawl of parts.crawls.all()) {
      crawl.leased[index] = 0;
      crawl.freed[index] = 0;
    }
  }

  /** The shard may be taken by another at once. */
  async giveBack(writer: ShardWriter): Promise<void> {
    if (this.#options.parts.book.find(writer.index) !== writer) return;
    this.#forget(writer.index);
    // What it counted matters less than that it is free.
    await writer.submit(lastWordOperation).catch(() => {});
    await writer.close({ givesBack: true });
    this.#options.parts.log.info("gave a shard back", { shard: writer.index });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled([...this.#taking.values(), ...this.#dropping]);
    await Promise.allSettled(this.#options.parts.book.own.map((writer) => this.giveBack(writer)));
  }
}

/** A look at the shard that was begun before it was loaded may have said less since. */
function countPages({ index, shard }: ShardWriter, crawls: CrawlBook): void {
  for (const crawl of crawls.all()) crawl.pages[index] = shard.counters.get(crawl.id)?.pages ?? 0;
}
