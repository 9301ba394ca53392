/**
 * When a crawl is finished: nothing queued, leased or under way between shards, in two successive sweeps (promise 6);
 * or its page limit is reached and nothing is out.
 * Invariant: pure; a crawl whose hosts only back off is waiting, never finished.
 */

import type { CrawlId } from "../../../protocol/mod.ts";
import type { Crawl } from "./crawl.ts";
import type { Census } from "../leases/sweep.ts";

export class FinishDetector {
  /** What stood still in the sweep before, per crawl. */
  readonly #still = new Map<CrawlId, string>();

  /** A crawl stood still in the last sweep: the next one decides. */
  get isExpecting(): boolean {
    return this.#still.size > 0;
  }

  /** The reason why the crawl is finished, or undefined. `parts` are the shards' censuses of this sweep. */
  sweep(crawl: Crawl, parts: readonly Census[]): string | undefined {
    const total = (name: keyof Census) => parts.reduce((sum, part) => sum + part[name], 0);
    const isFilling = crawl.row.seeding || (crawl.row.recrawlBefore ?? 0) > 0;
    const end = isFilling || total("leases") > 0 ? undefined : endOf(crawl, total);
    if (end === undefined) {
      this.#still.delete(crawl.id);
      return undefined;
    }
    const state = `${total("accepted")} ${total("settled")} ${total("sent")} ${total("received")}`;
    const before = this.#still.get(crawl.id);
    this.#still.set(crawl.id, state);
    if (before !== state) return undefined;
    this.#still.delete(crawl.id);
    return end;
  }
}

function endOf(crawl: Crawl, total: (name: keyof Census) => number): string | undefined {
  const most = crawl.row.spec.max_pages;
  if (crawl.isBudgetSpent) return `reached its limit of ${most} ${most === 1 ? "page" : "pages"}`;
  if (total("accepted") !== total("settled") || total("sent") !== total("received")) return undefined;
  if (total("outboxRows") > 0) return undefined;
  return total("accepted") === 0 ? "no seed was accepted" : "every accepted URL is settled";
}
