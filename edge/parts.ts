/**
 * What the data plane is made of: every port and setting that a worker needs, passed down as one value.
 */

import type { Core } from "../core-wasm/core.ts";
import type { SlotMap, WorkerId } from "../protocol/mod.ts";
import type { Clock, Digest, Logger } from "../runtime/ports.ts";
import type { Backlog } from "./backlog.ts";
import type { Busy } from "./busy.ts";
import type { Health } from "./health/health.ts";
import type { Archive, CookieJar, Fetcher, FetchLimits, Frontier, ScanThreads, Unpack } from "./ports.ts";
import type { RulesCache } from "./rules_cache.ts";
import type { SeenContent } from "./steps/dedup.ts";
import type { KnownLinks } from "./steps/known_links.ts";
import type { KnownPayloads } from "./steps/known_payloads.ts";

export interface EdgeSettings {
  readonly workerId: WorkerId;
  readonly region: string;
  /** Hosts that are crawled at the same time. */
  readonly maxLeases: number;
  /** Targets asked for with one lease request. */
  readonly maxTargets: number;
  readonly fetchLimits: FetchLimits;
  /** Age of the last confirmation after which a lease is confirmed before anything starts, ms. */
  readonly confirmMs: number;
  /**
   * Answers of one lease that may wait for scan and archive. Few keep its memory small; where the archive gathers captures
   * for seconds, a lease must not wait for it between two pages.
   */
  readonly settlingPerLease: number;
}

export interface EdgeParts {
  readonly frontier: Frontier;
  readonly fetcher: Fetcher;
  readonly archive: Archive;
  readonly core: Core;
  /** Absent: every page is scanned where it was fetched. */
  readonly threads?: ScanThreads | undefined;
  readonly rules: RulesCache;
  readonly content: SeenContent;
  readonly links: KnownLinks;
  readonly payloads: KnownPayloads;
  readonly backlog: Backlog;
  readonly busy: Busy;
  /** An empty one for each lease whose crawl keeps cookies. */
  readonly newCookieJar: () => CookieJar;
  readonly digest: Digest;
  readonly unpack: Unpack;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: EdgeSettings;
  /** Whether this machine, not the web, is in trouble. */
  readonly health: Health;
  /** Told the slot map of every lease reply. */
  readonly onSlotMap: (map: SlotMap) => void;
}
