/**
 * Rows of crawls between RAM and the control database, which other coordinators write to too.
 * Invariant: one write at a time, always of the newest row, over the version that was seen; where another came between,
 * both say their part: hosts that joined the scope are never lost, and a crawl that is over stays over.
 */

import type { ControlStore, CrawlRow } from "../../ports.ts";
import type { CrawlId } from "../../../protocol/mod.ts";
import { Crawl, type CrawlBook, type CrawlParts } from "./crawl.ts";

/** What is wanted of a row, whatever it says now. */
export type CrawlChange = Partial<Pick<CrawlRow, "state" | "reason" | "finishedAt" | "recrawlBefore">>;

export class CrawlRows {
  readonly #store: ControlStore;
  readonly #book: CrawlBook;
  readonly #parts: CrawlParts;
  /** Writes and looks, one behind the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: ControlStore, book: CrawlBook, parts: CrawlParts) {
    this.#store = store;
    this.#book = book;
    this.#parts = parts;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Reads all; those whose row another coordinator made or changed. */
  refresh(): Promise<Crawl[]> {
    return this.#inTurn(async () => {
      const changed: Crawl[] = [];
      for (const row of await this.#store.crawls()) {
        const known = this.#book.get(row.crawlId);
        if (known === undefined) {
          const crawl = new Crawl(row, this.#parts);
          crawl.saved = row;
          this.#book.add(crawl);
          changed.push(crawl);
        } else if (known.saved === undefined || row.stateVersion > known.saved.stateVersion) {
          known.adopt(merged(known.row, { base: known.saved, theirs: row }));
          known.saved = row;
          changed.push(known);
        }
      }
      return changed;
    });
  }

  /** A crawl that isn't known here; false when there is one of its name. */
  add(crawl: Crawl): Promise<boolean> {
    return this.#inTurn(async () => {
      const { row } = crawl;
      if (!await this.#store.putCrawl(row, 0)) return false;
      crawl.saved = row;
      this.#book.add(crawl);
      return true;
    });
  }

  /** Writes the crawl's newest row; `change` holds against what others wrote meanwhile. */
  save(crawl: Crawl, change: CrawlChange = {}): Promise<void> {
    return this.#inTurn(async () => {
      for (;;) {
        const { row } = crawl;
        if (await this.#store.putCrawl(row, crawl.saved?.stateVersion ?? 0)) {
          crawl.saved = row;
          return;
        }
        const theirs = await this.#find(crawl.id);
        if (theirs === undefined) {
          throw new Error(`Saving the crawl ${crawl.id}: it is gone from the control database; wanted its row there.`);
        }
        crawl.adopt(merged(crawl.row, { base: crawl.saved, theirs, change }));
        crawl.saved = theirs;
      }
    });
  }

  async #find(crawlId: CrawlId): Promise<CrawlRow | undefined> {
    return (await this.#store.crawls()).find((row) => row.crawlId === crawlId);
  }
}

interface Others {
  /** The row that both started from. */
  readonly base: CrawlRow | undefined;
  readonly theirs: CrawlRow;
  readonly change?: CrawlChange;
}

/** What `mine` changed since `base`, on top of `theirs`. */
function merged(mine: CrawlRow, { base, theirs, change = {} }: Others): CrawlRow {
  const extraHosts = [...new Set([...theirs.extraHosts, ...mine.extraHosts])];
  const pick = <N extends "spec" | "seeding">(name: N) => mine[name] === base?.[name] ? theirs[name] : mine[name];
  const isTheirEnd = isOver(theirs) && (base === undefined || !isOver(base));
  const isMine = mine.state !== base?.state && !isTheirEnd;
  const { state, reason, finishedAt } = isMine ? mine : theirs;
  const row = {
    ...theirs,
    spec: pick("spec"),
    seeding: pick("seeding"),
    extraHosts,
    ...{ state, reason, finishedAt },
    ...(isTheirEnd ? {} : change),
  };
  const isSame = JSON.stringify(row) === JSON.stringify(theirs);
  return isSame ? theirs : { ...row, stateVersion: Math.max(mine.stateVersion, theirs.stateVersion) + 1 };
}

function isOver({ state }: CrawlRow): boolean {
  return state === "finished" || state === "cancelled";
}
