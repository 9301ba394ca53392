/**
 * A look at a shard by who doesn't own it: what its database says, as of one moment.
 * Invariant: nothing is written, nothing is made, and the owner isn't kept waiting.
 */

import type { ListingReader } from "./page_ports.ts";
import type { CrawlCounters } from "./ports.ts";
import type { SlotSource } from "./slot_ports.ts";
import type { CrawlId } from "../protocol/mod.ts";

/** What a shard holds of one crawl. */
export interface CrawlLook {
  readonly crawlId: CrawlId;
  /** Absent: nothing was counted yet. */
  readonly counters?: CrawlCounters;
  readonly leases: number;
  /** Page targets that these leases were granted with; some of them may be settled. */
  readonly leasedPages: number;
  readonly outboxRows: number;
}

/** A shard's row and what is counted, all of one moment. */
export interface ShardLook {
  /** "" = nobody: it was given back, or never owned. */
  readonly owner: string;
  readonly ownerTerm: number;
  readonly batchSeq: number;
  /** The owner's wall clock at its newest commit; 0 = there was none. */
  readonly ownerWallMs: number;
  readonly crawls: readonly CrawlLook[];
}

export interface ShardReader extends Pick<ListingReader, "captures" | "capturesOfContent" | "lookUp" | "close"> {
  /** Undefined: there is no shard yet. */
  look(): Promise<ShardLook | undefined>;
  /** As those of ShardStore; nothing where there is no shard yet. */
  slotMarks: SlotSource["slotMarks"];
  slotPage: SlotSource["slotPage"];
  robotsBody(digest: string): Promise<string | undefined>;
}
