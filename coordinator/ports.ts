/**
 * What the control plane asks of its storage. Adapters: store/memory_shard_store.ts (the specification) and
 * store/libsql_shard_store.ts; one contract suite (tests/contract) runs on both.
 * Invariant: `commit` is atomic and durable; a reader never sees half a batch.
 */

import type {
  CaptureRow,
  CrawlId,
  CrawlSpec,
  CrawlStats,
  Fingerprint,
  FrontierVerbs,
  HostKey,
  LeaseId,
  Origin,
  OutboxRow,
  RobotsClass,
  SlotMap,
  WorkerId,
} from "../protocol/mod.ts";
import type { BackQueueSummary } from "./back_queue_summary.ts";
import type { CrawlRow, SeedAnswer } from "./crawl_ports.ts";
import type { FleetView } from "./fleet_ports.ts";
import type { AddressRow, DomainRow, DomainView } from "./group_ports.ts";
import type { Explanation, UrlStatus } from "./explain_ports.ts";
import type { HostPolicy, HostView, RegionFacts } from "./host_ports.ts";
import type { Quarantiner } from "./operator_ports.ts";
import type { Listings, PageFeed } from "./page_ports.ts";
import type { Recrawler, RecrawlStorage, VisitFacts } from "./recrawl_ports.ts";
import type { SeenFacts, SeenStorage, SeenWrites } from "./seen_ports.ts";
import type { ReceivedRow, SlotMark, SlotSource, SlotWrites } from "./slot_ports.ts";
import type { TallyRow } from "./tally_row.ts";

export type { BackQueueSummary } from "./back_queue_summary.ts";
export type { ControlStore, CrawlRow, SeedAnswer } from "./crawl_ports.ts";
export type { FamilyRow, TallyRow } from "./tally_row.ts";

/** `ready` and `waiting` (until available_at) are queued; the others are settled. A leased URL stays `ready` here: the lease row says that it is out. */
export type UrlState = "ready" | "waiting" | "done" | "excluded" | "dead";

/** One accepted URL of one crawl. Key: (slot, crawlId, fingerprint). */
export interface UrlRow extends VisitFacts {
  readonly slot: number;
  readonly crawlId: CrawlId;
  readonly fingerprint: Fingerprint;
  readonly url: string;
  readonly host: HostKey;
  readonly domain: string;
  readonly state: UrlState;
  /** Front queue, 0 = most urgent. */
  readonly band: number;
  /** Order within the band; ascending in order of acceptance within a slot, no two alike. A whole number, as all times are. */
  readonly seq: number;
  /** 0 to 1, 1 = most urgent. */
  readonly priority: number;
  readonly depth: number;
  readonly hop: number;
  /** One letter per step from the seed, see DiscoveryKind; cut to its last 64. */
  readonly discoveryPath: string;
  /** URL of the page that linked here; "" for seeds. */
  readonly discoveredFrom: string;
  /** Wall ms. */
  readonly enqueuedAt: number;
  /** Wall ms; 0 unless `waiting`. */
  readonly availableAt: number;
  readonly attempts: number;
  /** Why it is excluded, dead or waiting; "" otherwise. */
  readonly reason: string;
  /** HTTP status of the last response; 0 = none. */
  readonly httpCode: number;
  /** Wall ms of the last fetch; 0 = never. */
  readonly lastFetchAt: number;
  /** Pages that link to it: the last power of 4 that was counted (frontier/order/in_links.ts); 1 = found once. */
  readonly inLinks: number;
  /** Who reported what became of it last; "" = nobody yet. */
  readonly worker: WorkerId;
}

/** Global politeness state of one host; crawls share it. Key: (slot, host). */
export interface HostRow {
  readonly slot: number;
  readonly host: HostKey;
  readonly domain: string;
  /** Of the newest lease; only grows. */
  readonly epoch: number;
  /** Wall ms before which no request may start. */
  readonly nextStartAt: number;
  /** From robots.txt; 0 = none asked. */
  readonly crawlDelayMs: number;
  /** How slowly it answers of late: at least the last response time, falling slowly; 0 = none yet. */
  readonly responseMs: number;
  /** 0 = not backing off. */
  readonly backoffMs: number;
  readonly failuresInRow: number;
  readonly successesInRow: number;
  /** Set by an operator's policy; -1 = no policy. */
  readonly policyDelayMs: number;
  readonly policyMaxParallel: number;
  readonly paused: boolean;
  /** Not empty: nothing of this host is leased, for this reason. */
  readonly blockedReason: string;
  /** At most eight. */
  readonly regions: readonly RegionFacts[];
  /** The region that is nearest, as far as known; "" = not known. */
  readonly homeRegion: string;
  /** The only region that it may be leased to; "" = any. */
  readonly policyRegion: string;
  /** The address (IPv6: network) that an edge connected to last for it, see addressGroup; "" = none yet. */
  readonly address: string;
}

/** What is known of an origin's robots.txt. Key: (slot, origin). */
export interface OriginRow {
  readonly slot: number;
  readonly origin: Origin;
  readonly host: HostKey;
  readonly class: RobotsClass;
  /** SHA-256 hex of the body in force; "" for classes without rules. */
  readonly digest: string;
  /** Digest of the last good copy, kept through failures; "" = never had one. */
  readonly lastGoodDigest: string;
  readonly fetchedAt: number;
  readonly expiresAt: number;
  /** Wall ms of the first failure of an unbroken row; 0 = last fetch succeeded. */
  readonly failingSince: number;
  /** While unreachable: next try; also how long pages of this origin wait. */
  readonly retryAt: number;
  readonly retryMs: number;
  /** Epoch of the lease that brought it: an older one never overwrites a newer. */
  readonly epoch: number;
  /** Sitemaps that the robots.txt in force names. */
  readonly sitemaps: readonly string[];
  /** Who brought the newest answer; absent = not known. */
  readonly worker?: WorkerId;
}

/** A lease that is out. Key: (slot, host): one per host. */
export interface LeaseRow {
  readonly slot: number;
  readonly host: HostKey;
  readonly domain: string;
  readonly leaseId: LeaseId;
  readonly epoch: number;
  readonly crawlId: CrawlId;
  readonly workerId: WorkerId;
  readonly grantedAt: number;
  /** Wall ms; the host is leased again only after expiresAt + fetch limit + gap. */
  readonly expiresAt: number;
  readonly gapMs: number;
  /** Requests at once that it may make. */
  readonly maxParallel: number;
  /** False: a crawl without delay, which domain and address limits don't bind. */
  readonly isPolite: boolean;
  /** Page targets; those whose URL isn't `ready` any more are settled. Not rewritten as they settle. */
  readonly fingerprints: readonly Fingerprint[];
  /** Origins whose robots.txt this lease asks for. */
  readonly robotsOrigins: readonly Origin[];
  /** Where its worker stands; "" = it didn't say. */
  readonly region: string;
}

/** Per shard and crawl; committed with the data that they count. */
export interface CrawlCounters {
  readonly crawlId: CrawlId;
  readonly accepted: number;
  readonly settled: number;
  readonly fetched: number;
  readonly pages: number;
  /** Answers to sitemaps; they aren't among `fetched` and `pages`. */
  readonly sitemaps: number;
  readonly redirected: number;
  readonly excluded: number;
  readonly dead: number;
  readonly bytes: number;
  readonly requests: number;
  /** Links written to the outbox, and links that came in through it. */
  readonly sent: number;
  readonly received: number;
  readonly rejectedByReason: Readonly<Record<string, number>>;
  readonly errorsByClass: Readonly<Record<string, number>>;
  readonly leasesByRegion: Readonly<Record<string, number>>;
  /** Leases of hosts that are nearer to one region than to others, and those of them that it got. */
  readonly leasesPlaced: number;
  readonly leasesHome: number;
}

/** What a shard's RAM is made of at start. */
export interface ShardSnapshot {
  readonly batchSeq: number;
  readonly nextUrlSeq: number;
  readonly nextCaptureSeq: number;
  readonly hosts: readonly HostRow[];
  readonly origins: readonly OriginRow[];
  readonly leases: readonly LeaseRow[];
  readonly domains: readonly DomainRow[];
  readonly addresses: readonly AddressRow[];
  readonly backQueues: readonly BackQueueSummary[];
  readonly counters: readonly CrawlCounters[];
  readonly outboxRows: number;
  readonly urlCount: number;
  readonly tallies: readonly TallyRow[];
  readonly marks: readonly SlotMark[];
}

/**
 * One group commit. Every array may be empty; within a batch a key stands once per array. A slot follows from the
 * host and the URL, so the same key never comes with two slots.
 */
export interface Batch {
  /** One more than that of the commit before; a commit that finds another number in the store is refused. */
  readonly batchSeq: number;
  /** The owner's wall clock. */
  readonly wallMs: number;
  /** URLs not yet in the store. */
  readonly newUrls: readonly UrlRow[];
  /** URLs in the store whose row changes; the whole new row, of the same host. */
  readonly changedUrls: readonly UrlRow[];
  readonly hosts: readonly HostRow[];
  readonly origins: readonly OriginRow[];
  readonly domains: readonly DomainRow[];
  readonly addresses: readonly AddressRow[];
  readonly robotsBodies: readonly { readonly digest: string; readonly body: string }[];
  readonly leases: readonly LeaseRow[];
  /** Leases that ended, as (slot, host); they go before `leases` of the same host. */
  readonly endedLeases: readonly { readonly slot: number; readonly host: HostKey }[];
  readonly captures: readonly (CaptureRow & {
    readonly slot: number;
    readonly fingerprint: Fingerprint;
    readonly textHash?: string;
    readonly etag?: string;
    readonly lastModified?: string;
    readonly noindex?: boolean;
    readonly canonical?: string;
  })[];
  readonly outbox: readonly OutboxRow[];
  readonly ackedOutbox: readonly { readonly leaseId: LeaseId; readonly seq: number }[];
  /** Rows of other shards that came in: remembered, so that a repeated delivery changes nothing. */
  readonly received: readonly ReceivedRow[];
  readonly counters: readonly CrawlCounters[];
  readonly tallies: readonly TallyRow[];
  /** Keys of the new URLs as the seen-set's log keeps them, until a run covers them; absent = none. */
  readonly seenLog?: Uint8Array;
  /** Numbers of captures that are no more; absent = none. */
  readonly withdrawn?: readonly number[];
  /** What the seen-set's upkeep writes along; absent = nothing. */
  readonly seen?: SeenWrites;
  /** What it changes of slots that come or go; absent = nothing. */
  readonly slots?: SlotWrites;
}

export interface UrlKey {
  readonly slot: number;
  readonly crawlId: CrawlId;
  readonly fingerprint: Fingerprint;
}

/** One shard's database; one process owns it at a time. */
export interface ShardStore extends SeenStorage, RecrawlStorage<UrlRow>, Listings, SlotSource {
  /**
   * Takes ownership: bumps the owner term, after which commits of an earlier owner are refused.
   * Refuses a store that was written with another keyVersion (an Error whose message is the sentence for the user).
   * With `overTerm` the shard is taken only if its owner term is still that one; OwnerLost otherwise. `owner`: the name
   * of this process, no other's.
   */
  open(owner: string, keyVersion: number, overTerm?: number): Promise<{ readonly ownerTerm: number }>;
  /** Tells who watches that the owner lives, while it commits nothing because it loads. Rejects with OwnerLost. */
  beat(wallMs: number): Promise<void>;
  /** Nobody owns it from now on: it may be taken at once. Changes nothing when another owner has it. */
  giveBack(): Promise<void>;
  load(): Promise<ShardSnapshot>;
  /** Durable (fsync) when it resolves. Rejects with OwnerLost when another owner has a newer term. */
  commit(batch: Batch): Promise<void>;
  /** The batchSeq of the newest commit: after a lost reply tells whether it happened. */
  lastBatchSeq(): Promise<number>;
  /** Ready URLs of a back queue in (band, seq) order, after the given position. */
  readReady(
    queue: { slot: number; crawlId: CrawlId; host: HostKey },
    after: { band: number; seq: number },
    limit: number,
  ): Promise<UrlRow[]>;
  /** Waiting URLs with availableAt <= until, earliest first. */
  readWaiting(
    queue: { slot: number; crawlId: CrawlId; host: HostKey },
    until: number,
    limit: number,
  ): Promise<UrlRow[]>;
  urls(keys: readonly UrlKey[]): Promise<(UrlRow | undefined)[]>;
  /** Which of these outbox rows came in before. */
  receivedBefore(rows: readonly ReceivedRow[]): Promise<Uint8Array>;
  /** Oldest first. */
  readOutbox(limit: number): Promise<OutboxRow[]>;
  /** Those of these that there are, in any order. */
  outboxRows(names: readonly { leaseId: LeaseId; seq: number }[]): Promise<OutboxRow[]>;
  robotsBody(digest: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The whole control plane, as the API and the one-process crawl use it (frontier/coordinator.ts). */
export interface Coordinator extends FrontierVerbs, Recrawler, Quarantiner {
  /** Durable when it resolves; the same id with the same spec again is the same crawl (resume), with another spec an Error. */
  createCrawl(
    crawlId: CrawlId,
    spec: CrawlSpec,
  ): Promise<{ readonly crawl: CrawlRow; readonly seeds: SeedAnswer; readonly resumed: boolean }>;
  /**
   * Gives a crawl another budget and pace, its clocks and queues left as they are: all of the spec may change but seeds
   * (as a set), scope and embeds, which is an Error. A crawl that its page limit ended goes on under a wider one.
   * Undefined when there is no such crawl. Durable when it resolves; leases that are out end as they were granted.
   */
  retuneCrawl(crawlId: CrawlId, spec: CrawlSpec): Promise<CrawlRow | undefined>;
  /**
   * Seeds that come later are seeds: without `discoveredFrom` their hosts join the scope (extraHosts), as those of the
   * spec's seeds did; with it they are discoveries, which the scope may refuse. An unknown crawl is an Error.
   */
  addSeeds(
    crawlId: CrawlId,
    urls: readonly string[],
    options: { readonly priority?: number; readonly depth?: number; readonly discoveredFrom?: string },
  ): Promise<SeedAnswer>;
  crawls(): CrawlRow[];
  /** Undefined when there is no such crawl. */
  crawl(crawlId: CrawlId): CrawlRow | undefined;
  stats(crawlId: CrawlId): CrawlStats | undefined;
  setCrawlState(crawlId: CrawlId, state: "running" | "paused" | "cancelled"): Promise<CrawlRow | undefined>;
  urlStatus(crawlId: CrawlId, url: string): Promise<UrlStatus | undefined>;
  /** Why the URL was or wasn't fetched; undefined = there is no such crawl. */
  explain(crawlId: CrawlId, url: string): Promise<Explanation | undefined>;
  /** The leases of the host that are out when the change took effect. */
  setHostPolicy(host: HostKey, policy: HostPolicy): Promise<{ readonly leasesOut: readonly LeaseId[] }>;
  fleet(): FleetView;
  /** Undefined when no URL, lease or policy of the host is known. */
  hostView(host: HostKey): HostView | undefined;
  /**
   * One registered domain, or the domain of a host that is named: obeyed by every lease from the answer on, on all its
   * hosts. The leases that were out then are listed.
   */
  setDomainPolicy(
    name: string,
    policy: {
      readonly minDelayMs?: number;
      readonly maxParallel?: number;
      readonly paused?: boolean;
      readonly blockedReason?: string;
    },
  ): Promise<DomainView>;
  /** Pages that were stored after a cursor (one number per shard), at most `limit`. */
  pageFeed(after: readonly number[], limit: number): Promise<PageFeed>;
  /** Captures with this content, the newest first. */
  pagesOfContent(contentHash: string, limit: number): Promise<CaptureRow[]>;
  /** Undefined when nothing is known of it. */
  domain(name: string): DomainView | undefined;
  shardCount(): number;
  /** Where slots and shards are, as far as this process knows. */
  slotMap(): SlotMap;
  /** True: no other coordinator is needed for anything. */
  ownsAll(): boolean;
  /** How the seen-set of each shard fares. */
  seenFacts(): SeenFacts[];
  /** A sentence for each thing that is wrong; empty = ready. */
  problems(): string[];
  /** Stops granting, commits what is pending, closes the stores. */
  close(): Promise<void>;
}
