/**
 * Crawls as the control database keeps them.
 * Invariant: several coordinators write a crawl's row; whoever writes says which version it has seen.
 */

import type { CrawlId, CrawlSpec, CrawlState, HostKey } from "../protocol/mod.ts";

/** A crawl in the control database. */
export interface CrawlRow {
  readonly crawlId: CrawlId;
  readonly spec: CrawlSpec;
  readonly state: CrawlState;
  readonly reason: string;
  /** Bumped with each change of state or scope. */
  readonly stateVersion: number;
  readonly createdAt: number;
  readonly finishedAt: number;
  /** Seeds are (still) to be injected: done again after a crash, which the seen-set makes harmless. */
  readonly seeding: boolean;
  /** The coordinator that injects them; absent = there is one coordinator. */
  readonly seeder?: string;
  /** URLs that were settled before this wall ms are to be queued again: goes on after a crash. 0 or absent = none are. */
  readonly recrawlBefore?: number;
  /** Hosts that joined the scope because a seed redirected there. */
  readonly extraHosts: readonly HostKey[];
}

/** Crawls and idempotency keys. Small, and never on the hot path. */
export interface ControlStore {
  open(): Promise<void>;
  crawls(): Promise<CrawlRow[]>;
  /**
   * Writes the row in place of the one whose stateVersion is `over` (0: there is none yet), and bumps the directory's
   * `changes`. False, and nothing is written, when another one is there; the same row again is true.
   */
  putCrawl(crawl: CrawlRow, over: number): Promise<boolean>;
  /** The first answer given under this key, if it is younger than 24 h at `now` (wall ms). */
  idempotent(key: string, now: number): Promise<string | undefined>;
  putIdempotent(key: string, answer: string, now: number): Promise<void>;
  close(): Promise<void>;
}

/** What seed injection did. URLs that are no URLs are refused before anything is enqueued, by index. */
export interface SeedAnswer {
  readonly enqueued: number;
  readonly alreadySeen: number;
  /** Stored, and on their way to shards of other coordinators, who decide whether they are new; absent = none. */
  readonly forwarded?: number;
  /** Refused at the door (scope, limits), with the reason. */
  readonly rejected: readonly { readonly url: string; readonly reason: string }[];
  /** Not empty: nothing was enqueued. */
  readonly malformed: readonly { readonly index: number; readonly url: string; readonly error: string }[];
}
