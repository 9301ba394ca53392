/**
 * What a crawl counts of each host: its budget, its duplicates, its families of URLs, and what it was refused for.
 * Invariant: the memory is bounded: a tally for each host that has a queue, and for `STRANGERS_PER_CRAWL` others, which
 * then share one. A change that decides on budgets is in the batch of its round; plain counts are written by a sweep.
 */

import type { TallyRow } from "../../ports.ts";
import type { CrawlId, HostKey } from "../../../protocol/mod.ts";
import { addTo } from "../counters.ts";
import type { FamilyState } from "./traps.ts";

export interface Tally {
  readonly slot: number;
  readonly crawlId: CrawlId;
  readonly host: HostKey;
  cycle: number;
  acceptedBefore: number;
  pages: number;
  duplicates: number;
  isCut: boolean;
  readonly rejectedByReason: Record<string, number>;
  readonly families: FamilyState[];
}

export interface TallyKey {
  readonly slot: number;
  readonly crawlId: CrawlId;
  readonly host: HostKey;
}

/** Hosts without a queue (out of scope, of another shard) that one crawl counts one by one in one shard. */
const STRANGERS_PER_CRAWL = 10_000;

export function newTally({ slot, crawlId, host }: TallyKey): Tally {
  return {
    slot,
    crawlId,
    host,
    cycle: 0,
    acceptedBefore: 0,
    pages: 0,
    duplicates: 0,
    isCut: false,
    rejectedByReason: {},
    families: [],
  };
}

/** A copy that later changes don't touch. */
export function tallyRow(tally: Tally): TallyRow {
  return {
    ...tally,
    rejectedByReason: { ...tally.rejectedByReason },
    families: tally.families.map((family) => ({ ...family })),
  };
}

export class TallyBook {
  readonly #crawls = new Map<CrawlId, Map<HostKey, Tally>>();
  readonly #strangers = new Map<CrawlId, number>();
  /** Changed since they were written last. */
  readonly #late = new Set<Tally>();

  load(row: TallyRow, isStranger: boolean): void {
    const { rejectedByReason, families } = row;
    const tally = { ...row, rejectedByReason: { ...rejectedByReason }, families: families.map((one) => ({ ...one })) };
    this.#hosts(row.crawlId).set(row.host, tally);
    if (isStranger) this.#addStranger(row.crawlId);
  }

  find(crawlId: CrawlId, host: HostKey): Tally | undefined {
    return this.#crawls.get(crawlId)?.get(host);
  }

  /** Of a host that has a queue. */
  of(key: TallyKey): Tally {
    const hosts = this.#hosts(key.crawlId);
    let tally = hosts.get(key.host);
    if (tally === undefined) hosts.set(key.host, tally = newTally(key));
    return tally;
  }

  /** A URL of the host was refused. `hasQueue`: the crawl has accepted others of it in this shard. */
  reject(key: TallyKey, reason: string, hasQueue: boolean): void {
    let tally = this.find(key.crawlId, key.host);
    if (tally === undefined) {
      const isFull = !hasQueue && (this.#strangers.get(key.crawlId) ?? 0) >= STRANGERS_PER_CRAWL;
      if (!hasQueue && !isFull) this.#addStranger(key.crawlId);
      tally = this.of(isFull ? { slot: 0, crawlId: key.crawlId, host: "" } : key);
    }
    addTo(tally.rejectedByReason, reason);
    this.#late.add(tally);
  }

  /** It is written by the next sweep. */
  changeLater(tally: Tally): void {
    this.#late.add(tally);
  }

  /** Up to `most` tallies to be written now. */
  takeLate(most: number): Tally[] {
    const taken: Tally[] = [];
    for (const tally of this.#late) {
      if (taken.length >= most) break;
      this.#late.delete(tally);
      taken.push(tally);
    }
    return taken;
  }

  /** Those of the slot that no sweep has written yet. */
  takeLateOf(slot: number): Tally[] {
    const taken = [...this.#late].filter((tally) => tally.slot === slot && tally.host !== "");
    for (const tally of taken) this.#late.delete(tally);
    return taken;
  }

  /** Another shard counts the slot's hosts from now on. Those that had no queue here, of each crawl, are returned. */
  dropSlot(slot: number, hasQueue: (crawlId: CrawlId, host: HostKey) => boolean): Tally[] {
    const strangers: Tally[] = [];
    for (const [crawlId, hosts] of this.#crawls) {
      for (const [host, tally] of hosts) {
        if (tally.slot !== slot || host === "") continue;
        hosts.delete(host);
        this.#late.delete(tally);
        if (hasQueue(crawlId, host)) continue;
        strangers.push(tally);
        this.#strangers.set(crawlId, Math.max(0, (this.#strangers.get(crawlId) ?? 0) - 1));
      }
    }
    return strangers;
  }

  #hosts(crawlId: CrawlId): Map<HostKey, Tally> {
    let hosts = this.#crawls.get(crawlId);
    if (hosts === undefined) this.#crawls.set(crawlId, hosts = new Map());
    return hosts;
  }

  #addStranger(crawlId: CrawlId): void {
    this.#strangers.set(crawlId, (this.#strangers.get(crawlId) ?? 0) + 1);
  }
}
