/**
 * What a crawl counts of each host, as the store keeps it: a part of ports.ts, which names it too.
 * Invariant: a host without a row has counted nothing.
 */

import type { CrawlId, HostKey } from "../protocol/mod.ts";

/** What is known of a family of URLs that differ in a date or in values alone (frontier/door/traps.ts). */
export interface FamilyRow {
  /** Hash of what they have in common. */
  readonly shape: number;
  readonly accepted: number;
  /** Of these, dates far ahead of their time. */
  readonly ahead: number;
  /** Pages of it that were fetched, and how many had the content of another URL of the host. */
  readonly pages: number;
  readonly duplicates: number;
  /** The newest pages in a row that are alike and brought nothing new. */
  readonly barren: number;
  /** Body bytes of the newest page; -1 = none yet. */
  readonly lastLength: number;
}

/**
 * What one crawl has counted of one host: the basis of its budgets, its traps and its refusals. Key: (slot, crawlId, host);
 * a host without a row has counted nothing, and its budget is of cycle 0. `cycle`, `acceptedBefore` and `isCut` are
 * committed with what changes them; the other counts at most a sweep later.
 */
export interface TallyRow {
  readonly slot: number;
  readonly crawlId: CrawlId;
  /** "" = all hosts together that aren't counted one by one. */
  readonly host: HostKey;
  /** Number of the budget cycle that it is in, from 0. */
  readonly cycle: number;
  /** URLs of the host that were accepted before this cycle. */
  readonly acceptedBefore: number;
  /** Pages looked at in this cycle, and how many had the content of another URL of the host; both are halved at times. */
  readonly pages: number;
  readonly duplicates: number;
  /** Too many were duplicates: nothing more is accepted for now. */
  readonly isCut: boolean;
  /** URLs refused at the door, by reason. */
  readonly rejectedByReason: Readonly<Record<string, number>>;
  readonly families: readonly FamilyRow[];
}
