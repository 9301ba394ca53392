/**
 * One shard's frontier in RAM: hosts, back queues, leases, origins, counters, and the batch that the current round
 * builds. The verbs stand in files of their own and change it through the methods here.
 * Invariant: between two rounds it says the same as the store; within a round every change is also in the batch.
 * It is never repaired: after a failed commit a new one is made by `loadShard`.
 */

import type { Core } from "../../core-wasm/core.ts";
import type { BlobStore, Clock, Digest, Logger, Random, Signer } from "../../runtime/ports.ts";
import type { RobotsJudge } from "../explain_ports.ts";
import type { OriginRow, UrlRow } from "../ports.ts";
import type { SlotMark } from "../slot_ports.ts";
import { type CrawlId, type HostKey, type LeaseId, type Origin, originOf, type WorkerId } from "../../protocol/mod.ts";
import { AddressBook } from "./clocks/address_book.ts";
import type { AddressDirectory } from "./clocks/address_directory.ts";
import { BackQueue } from "./queues/back_queue.ts";
import { DomainUse } from "./door/budget.ts";
import { BatchBuilder } from "./batch_builder.ts";
import { SitemapTrust } from "./order/sitemap_trust.ts";
import { ConnectTimes } from "./regions/connect_times.ts";
import { type Counts, newCounts } from "./counters.ts";
import type { Crawl, CrawlBook } from "./crawls/crawl.ts";
import { DeadOrigins } from "./robots/dead_origins.ts";
import { DomainBook } from "./clocks/domain_book.ts";
import { ContentMemory } from "./door/duplicates.ts";
import type { HostDirectory, HostPlace } from "./host_directory.ts";
import { type HostState, type LeaseState, newHost } from "./host_state.ts";
import { LinkCounter } from "./order/link_counter.ts";
import { OutboxIndex } from "./outbox_index.ts";
import { planNextLease } from "./regions/placement.ts";
import { ParkedHosts } from "./clocks/parked_hosts.ts";
import { readinessOf } from "./queues/readiness.ts";
import { RegionBook } from "./regions/region_book.ts";
import { HostSchedule } from "./queues/schedule.ts";
import { SeenSet } from "./seen/seen_set.ts";
import { SlotMarks } from "./handover/slot_marks.ts";
import type { SeenCopies } from "./seen/seen_copies.ts";
import { SentLinks } from "./seen/sent_links.ts";
import type { ShardBook } from "./shard_book.ts";
import type { FrontierSettings } from "./settings.ts";
import type { Announcement } from "./robots/sitemaps.ts";
import type { Ending } from "./clocks/start_groups.ts";
import { isParked, returnParts, takeParts } from "./clocks/start_limits.ts";
import { TallyBook } from "./door/tally.ts";

/** What the shards are told of the cluster that their coordinator is in. */
export interface ClusterWord {
  /** Not empty: why nothing may be leased now, as a clause. */
  silence(): string;
}

/** What all shards of a coordinator share. */
export interface FrontierParts {
  /** The name of this process: another one after each start. */
  readonly id: string;
  readonly core: Core;
  readonly clock: Clock;
  readonly random: Random;
  readonly digest: Digest;
  /** Absent: what a robots.txt says of one URL isn't explained. */
  readonly robots?: RobotsJudge;
  readonly log: Logger;
  readonly settings: FrontierSettings;
  /** The shards of this process, and the slot map. */
  readonly book: ShardBook;
  readonly crawls: CrawlBook;
  readonly directory: HostDirectory;
  /** Where copies of the seen-set's filters go; absent = nowhere. */
  readonly blobs?: BlobStore;
  /** Signs what other coordinators are told; absent = this one has all shards. */
  readonly signer?: Signer;
  readonly addresses: AddressDirectory;
  /** What the other coordinators have to do with it; absent = there are none. */
  readonly cluster?: ClusterWord;
  /** The shards of this process by index, each the one that was loaded last. */
  readonly shards: (Shard | undefined)[];
}

/** Origins (schemes and ports) of a host that are remembered. */
const ORIGINS_PER_HOST = 16;

export class Shard {
  readonly index: number;
  readonly parts: FrontierParts;
  readonly hosts = new Map<HostKey, HostState>();
  readonly origins = new Map<Origin, OriginRow>();
  readonly leases = new Map<LeaseId, LeaseState>();
  readonly leasesOfWorker = new Map<WorkerId, number>();
  readonly counters = new Map<CrawlId, Counts>();
  /** Back queues that hold (or held) something, per crawl. */
  readonly queuesOfCrawl = new Map<CrawlId, Set<BackQueue>>();
  readonly regions: RegionBook;
  readonly connectTimes = new ConnectTimes();
  readonly sitemapTrust = new SitemapTrust();
  readonly schedule: HostSchedule<HostState>;
  readonly domains: DomainBook;
  readonly addresses: AddressBook;
  readonly parkedAtDomain = new ParkedHosts<HostState>();
  readonly parkedAtAddress = new ParkedHosts<HostState>();
  readonly deadOrigins: DeadOrigins;
  /** Slots that this shard doesn't work on. */
  readonly marks = new SlotMarks();
  readonly seen: SeenSet;
  readonly linkCounter: LinkCounter;
  readonly tallies = new TallyBook();
  readonly domainUse = new DomainUse();
  readonly contents: ContentMemory;
  readonly sent = new SentLinks();
  readonly outbox: OutboxIndex;
  /** Queues that a lease found empty in RAM though the store has more. */
  readonly hungry = new Set<BackQueue>();
  /** Hosts that robots.txt makes us skip: their queues are emptied by sweeps. */
  readonly skippedHosts = new Set<HostState>();
  /** Hosts whose crawls had no page budget left. */
  readonly outOfBudget = new Set<HostState>();
  /** Crawls whose scope grew in this round: saved before the batch is committed. */
  readonly grownCrawls = new Set<Crawl>();
  /** Sitemaps that this round came to know of. */
  announcements: Announcement[] = [];
  batch = new BatchBuilder();
  batchSeq = 0;
  nextUrlSeq = 1;
  nextCaptureSeq = 1;
  headsInRam = 0;

  constructor(index: number, parts: FrontierParts, copies?: SeenCopies) {
    this.index = index;
    this.parts = parts;
    const { limits, affinityPatienceMs, regionSilentMs } = parts.settings;
    this.outbox = new OutboxIndex(parts.book);
    this.regions = new RegionBook(regionSilentMs);
    this.schedule = new HostSchedule({
      bands: limits.bands,
      patienceMs: affinityPatienceMs,
      isSilent: (region, now) => this.regions.isSilent(region, now),
    });
    this.domains = new DomainBook(limits, (domain) => this.parkedAtDomain.opened(domain));
    this.addresses = new AddressBook(limits, (address) => {
      for (const shard of parts.shards) shard?.parkedAtAddress.opened(address);
    });
    this.deadOrigins = new DeadOrigins(limits.attempts);
    this.seen = new SeenSet(parts.core, parts.settings, copies);
    this.contents = new ContentMemory(parts.settings.contentKeys);
    this.linkCounter = new LinkCounter(parts.settings.inLinkEntries);
  }

  /** Frees what the core holds for it. */
  free(): void {
    this.seen.free();
  }

  /** The batch is durable. */
  nextBatch(): void {
    this.batchSeq++;
    this.batch = new BatchBuilder();
    for (const crawl of this.parts.crawls.all()) crawl.freed[this.index] = 0;
  }

  countsOf(crawlId: CrawlId): Counts {
    let counts = this.counters.get(crawlId);
    if (counts === undefined) this.counters.set(crawlId, counts = newCounts(crawlId));
    return counts;
  }

  /** The counters, to be changed in this round. */
  changeCounts(crawlId: CrawlId): Counts {
    const counts = this.countsOf(crawlId);
    this.batch.changeCounts(counts);
    return counts;
  }

  /** Changes what is said of the slot, in RAM and in the batch. */
  mark(mark: SlotMark): void {
    this.marks.put(mark);
    this.batch.putMark(mark);
  }

  /** The slot is this shard's to work on. */
  unmark(slot: number): void {
    this.marks.remove(slot);
    this.batch.endMark(slot);
  }

  hostOf(place: Pick<HostPlace, "host" | "domain" | "slot">): HostState {
    let host = this.hosts.get(place.host);
    if (host === undefined) this.hosts.set(place.host, host = newHost(place));
    return host;
  }

  queueOf(host: HostState, crawlId: CrawlId): BackQueue {
    const found = host.queues.find((queue) => queue.crawlId === crawlId);
    if (found !== undefined) return found;
    const queue = new BackQueue({ slot: host.slot, crawlId, host: host.host });
    this.addQueue(host, queue);
    return queue;
  }

  addQueue(host: HostState, queue: BackQueue): void {
    host.queues.push(queue);
    const queues = this.queuesOfCrawl.get(queue.crawlId);
    if (queues === undefined) this.queuesOfCrawl.set(queue.crawlId, new Set([queue]));
    else queues.add(queue);
  }

  /** Most heads that a queue may keep in RAM at present; 0 = RAM is full, and no queue may grow. */
  get mostHeads(): number {
    const { headsPerQueue, headsPerShard, headsWhenFull } = this.parts.settings;
    if (this.headsInRam >= headsPerShard) return 0;
    return 2 * this.headsInRam < headsPerShard ? headsPerQueue : headsWhenFull;
  }

  /** Puts a ready URL into its queue; the row itself is changed by the caller. */
  enqueueReady(host: HostState, row: UrlRow): void {
    this.noteOrigin(host, row.url);
    this.headsInRam += this.queueOf(host, row.crawlId).insert(row, this.mostHeads);
  }

  noteOrigin(host: HostState, url: string): void {
    if (host.origins.size < ORIGINS_PER_HOST) host.origins.add(originOf(url));
  }

  /** Places the host where it belongs now; to be called after anything that its readiness depends on has changed. */
  reschedule(host: HostState, now: number): void {
    const readiness = readinessOf(host, this.parts.crawls, now);
    const isStopped = this.marks.has(host.slot) || this.domains.stopReason(host.domain) !== "";
    if (readiness === undefined || isStopped || isParked(this, host)) {
      this.schedule.remove(host);
    } else {
      const { at, band } = readiness;
      const { policyRegion, nextRegion } = host;
      this.schedule.place(host, { at, band, region: nextRegion, isFirm: policyRegion !== "" }, now);
    }
  }

  /** Notes that a lease is out. */
  addLease(lease: LeaseState): void {
    lease.host.lease = lease;
    this.schedule.remove(lease.host);
    this.leases.set(lease.leaseId, lease);
    this.leasesOfWorker.set(lease.workerId, (this.leasesOfWorker.get(lease.workerId) ?? 0) + 1);
    takeParts(this, lease);
    this.addLeasedPages(lease.crawlId, lease.pages.size);
  }

  /**
   * The lease is over: its unsettled targets go back to their queue untouched, its host is placed anew. `ending` says
   * until when its requests count.
   */
  endLease(lease: LeaseState, now: number, ending: Ending): void {
    const { host } = lease;
    for (const row of lease.pages.values()) this.enqueueReady(host, row);
    this.addLeasedPages(lease.crawlId, -lease.pages.size);
    lease.pages.clear();
    host.lease = undefined;
    this.leases.delete(lease.leaseId);
    const left = (this.leasesOfWorker.get(lease.workerId) ?? 1) - 1;
    if (left > 0) this.leasesOfWorker.set(lease.workerId, left);
    else this.leasesOfWorker.delete(lease.workerId);
    returnParts(this, lease, ending);
    this.batch.endLease(lease);
    this.batch.changeHost(host);
    this.planNextLease(host, now);
    this.reschedule(host, now);
  }

  /** Decides which region the host is leased to next. */
  planNextLease(host: HostState, now: number): void {
    const { random, settings: { probeShare } } = this.parts;
    planNextLease(host, { live: this.regions.live(now), now, random, probeShare });
  }

  /** What comes back is free for other shards' leases only once that is durable: a failed commit takes it back. */
  addLeasedPages(crawlId: CrawlId, count: number): void {
    const crawl = this.parts.crawls.get(crawlId);
    if (crawl === undefined) return;
    crawl.leased[this.index]! += count;
    if (count < 0) crawl.freed[this.index]! -= count;
  }

  /** The lease that a verb names, if it stands: the fence. */
  fenced(verb: { lease_id: LeaseId; epoch: number; worker_id?: WorkerId }): LeaseState | undefined {
    const lease = this.leases.get(verb.lease_id);
    if (lease === undefined || lease.epoch !== verb.epoch) return undefined;
    return verb.worker_id === undefined || verb.worker_id === lease.workerId ? lease : undefined;
  }
}
