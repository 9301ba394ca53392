/**
 * How many URLs a host and its registered domain may still have accepted in this budget cycle.
 * Invariant: a host's use is its accepted URLs less those before the cycle, both of them committed rows; a domain's is the
 * sum over its hosts, which all lie in one shard. So both are the same after any crash.
 */

import type { CrawlId } from "../../../protocol/mod.ts";
import type { Tally } from "./tally.ts";

/** Number of the cycle at `now`, from 0; a clock before the crawl's creation counts as cycle 0. */
export function cycleAt(createdAt: number, now: number, cycleMs: number): number {
  return Math.max(0, Math.floor((now - createdAt) / cycleMs));
}

/** Wall ms at which the next cycle begins. */
export function cycleEndsAt(createdAt: number, cycle: number, cycleMs: number): number {
  return createdAt + (cycle + 1) * cycleMs;
}

/**
 * URLs of the host that count against its budget in `cycle`: `accepted` are all of it ever. Without a tally it is in
 * cycle 0, where all count.
 */
export function usedInCycle(tally: Tally | undefined, accepted: number, cycle: number): number {
  if (tally === undefined) return cycle === 0 ? accepted : 0;
  return tally.cycle < cycle ? 0 : accepted - tally.acceptedBefore;
}

/** Begins `cycle` for the host; false when it is in it already (or, after the clock went back, in a later one). */
export function beginCycle(tally: Tally, accepted: number, cycle: number): boolean {
  if (tally.cycle >= cycle) return false;
  tally.cycle = cycle;
  tally.acceptedBefore = accepted;
  tally.pages = 0;
  tally.duplicates = 0;
  tally.isCut = false;
  return true;
}

/** Use of each registered domain in each crawl, in RAM: made from the hosts' at a start. */
export class DomainUse {
  readonly #used = new Map<string, { cycle: number; count: number }>();

  count(crawlId: CrawlId, domain: string, cycle: number): number {
    const use = this.#used.get(`${crawlId} ${domain}`);
    return use === undefined || use.cycle < cycle ? 0 : use.count;
  }

  /** Another shard has the domain from now on. */
  drop(crawlId: CrawlId, domain: string): void {
    this.#used.delete(`${crawlId} ${domain}`);
  }

  add(crawlId: CrawlId, domain: string, cycle: number, count = 1): void {
    const name = `${crawlId} ${domain}`;
    const use = this.#used.get(name);
    if (use === undefined) this.#used.set(name, { cycle, count });
    else if (use.cycle < cycle) {
      use.cycle = cycle;
      use.count = count;
    } else use.count += count;
  }
}
