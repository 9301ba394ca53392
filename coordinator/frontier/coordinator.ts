/**
 * The control plane in one object: shards with their writers, crawls, and the sweep that lets time pass.
 * Invariant: a promise of this interface resolves only when what it says is durable; nothing is leased before every
 * shard is loaded.
 */

import type { SeenFacts } from "../seen_ports.ts";
import type { ControlStore, Coordinator, CrawlRow, ShardStore } from "../ports.ts";
import type { FleetView } from "../fleet_ports.ts";
import { hasDomainPolicy } from "../group_ports.ts";
import type { HostView } from "../host_ports.ts";
import {
  type CapturesReply,
  type CapturesRequest,
  type Completion,
  type CrawlId,
  type CrawlStats,
  type ExtendReply,
  type HostKey,
  type LeaseReply,
  LIMITS,
  type ReleaseRequest,
  type ShardOwner,
  type SlotMap,
} from "../../protocol/mod.ts";
import { AddressDirectory } from "./clocks/address_directory.ts";
import { CompleteOperation } from "./leases/complete.ts";
import { CrawlBook } from "./crawls/crawl.ts";
import { QuarantineDesk } from "./crawls/quarantine.ts";
import { CrawlDesk } from "./crawls/crawl_desk.ts";
import { crawlStats } from "./views/crawl_stats.ts";
import { ExchangeDesk } from "./exchange_desk.ts";
import { domainPolicyOperation, domainView } from "./clocks/domain_policy.ts";
import { FinishDetector } from "./crawls/finish.ts";
import { fleetView } from "./views/fleet_view.ts";
import { HostDirectory } from "./host_directory.ts";
import { checkNothingLost } from "./lost_databases.ts";
import { policyOperation } from "./clocks/host_policy.ts";
import { newHost } from "./host_state.ts";
import { hostView } from "./views/host_view.ts";
import { MergeOutboxOperation } from "./merge_outbox.ts";
import { LeaseDesk } from "./leases/lease_desk.ts";
import { extendOperation, releaseOperation, settledOperation } from "./leases/lease_verbs.ts";
import { readFeed } from "./views/page_feed.ts";
import { type FrontierSettings, frontierSettings } from "./settings.ts";
import type { FrontierParts, Shard } from "./shard.ts";
import { ShardBook } from "./shard_book.ts";
import { SlotOffice, type SlotOfficeOptions } from "./handover/slot_office.ts";
import { StandingBoard } from "./views/standing_board.ts";
import { lastWordOperation, SweepOperation } from "./leases/sweep.ts";
import { UrlDesk } from "./views/url_desk.ts";
import { PermitDesk } from "./leases/permit_desk.ts";
import { ShardWriter } from "./writer.ts";

/** What all parts are given. */
type Given = Pick<FrontierParts, "core" | "clock" | "random" | "digest" | "log" | "robots" | "blobs" | "signer">;

export interface CoordinatorOptions extends Given {
  /** One per shard; the slots are shared out evenly among them. Undefined: another coordinator has that shard. */
  readonly shardStores: readonly (ShardStore | undefined)[];
  readonly controlStore: ControlStore;
  readonly settings?: Partial<FrontierSettings>;
  /** The slot map, where it isn't the even one of the first start. */
  readonly slotMap?: SlotMap;
  /** Where slots are moved, and how a shard of another coordinator is read; absent = none moves. */
  readonly slots?: SlotOfficeOptions;
  /** Who has which shard, for as long as nothing newer is known. */
  readonly owners?: readonly ShardOwner[];
}

/** Opens the stores, loads every shard, finishes what a crash left half done, and starts sweeping. */
export async function openCoordinator(options: CoordinatorOptions): Promise<FrontierCoordinator> {
  const { core, shardStores, controlStore, clock, random, digest, log } = options;
  const shards: Shard[] = [];
  const book = new ShardBook(shardStores.length, shards);
  if (options.slotMap !== undefined) book.learn(options.slotMap);
  if (options.owners !== undefined) book.learn({ ...book.map, owners: options.owners });
  const settings = frontierSettings(options.settings);
  const parts: FrontierParts = {
    core,
    clock,
    random,
    digest,
    ...(options.robots === undefined ? {} : { robots: options.robots }),
    log,
    book,
    settings,
    crawls: new CrawlBook(),
    directory: new HostDirectory(core, book),
    ...(options.blobs === undefined ? {} : { blobs: options.blobs }),
    ...(options.signer === undefined ? {} : { signer: options.signer }),
    addresses: new AddressDirectory(core, book, settings.exemptAddresses),
    shards,
  };
  const desk = new CrawlDesk(parts, controlStore);
  try {
    await controlStore.open();
    await desk.refresh();
    const owner = random.hex(8);
    for (const [index, store] of shardStores.entries()) {
      if (store === undefined) continue;
      await store.open(owner, core.keyVersion);
      book.put(index, await ShardWriter.open(index, parts, store, (crawl) => desk.save(crawl)));
    }
    checkNothingLost(book, parts.crawls);
    await desk.resumeSeeding();
  } catch (error) {
    // Nothing stays open behind an error: the data folder must be free for the next try. Writers first: one that is
    // loading its shard anew would still commit.
    await Promise.allSettled(book.own.map((writer) => writer.close()));
    await Promise.allSettled([...shardStores, controlStore].map((store) => store?.close()));
    throw error;
  }
  return new FrontierCoordinator({ parts, desk, controlStore, slots: options.slots });
}

interface Rooms {
  readonly slots: CoordinatorOptions["slots"];
  readonly parts: FrontierParts;
  readonly desk: CrawlDesk;
  readonly controlStore: ControlStore;
}

/** Between the two sweeps that must agree on the end of a crawl. */
const SECOND_SWEEP_MS = 50;

export class FrontierCoordinator implements Coordinator {
  readonly #parts: FrontierParts;
  readonly #desk: CrawlDesk;
  readonly #leases: LeaseDesk;
  readonly #urls: UrlDesk;
  readonly #permits: PermitDesk;
  readonly #exchange: ExchangeDesk;
  readonly #board: StandingBoard;
  readonly #controlStore: ControlStore;
  readonly #finish = new FinishDetector();
  /** Slots that move between shards; undefined: this coordinator has no directory. */
  readonly slots: SlotOffice | undefined;
  readonly #stop = new AbortController();
  readonly #quarantines: QuarantineDesk;
  readonly #sweeping: Promise<void>;
  /** Aborted when a crawl may have come to its end: the sweep that finds out needn't wait for its turn. */
  #sweepNow = new AbortController();

  constructor({ parts, desk, controlStore, slots }: Rooms) {
    this.slots = slots && new SlotOffice(parts, slots);
    this.#parts = parts;
    this.#desk = desk;
    this.#controlStore = controlStore;
    this.#board = new StandingBoard(() => parts.book.own.map((writer) => writer.shard));
    this.#leases = new LeaseDesk(parts, this.#board);
    this.#urls = new UrlDesk(parts);
    this.#permits = new PermitDesk(parts);
    this.#exchange = new ExchangeDesk(parts);
    this.#quarantines = new QuarantineDesk(parts, (crawl) => desk.reopen(crawl));
    this.#sweeping = this.#sweepForEver();
  }

  get #writers(): readonly ShardWriter[] {
    return this.#parts.book.own;
  }

  /** The writer of a slot; undefined for what is no slot. Throws NotOwned. */
  #ofSlot(slot: number): ShardWriter | undefined {
    return this.#parts.book.ofSlot(slot);
  }

  async #sweepForEver(): Promise<void> {
    const { clock, log, settings } = this.#parts;
    while (!this.#stop.signal.aborted) {
      const waitMs = this.#finish.isExpecting ? Math.min(settings.sweepMs, SECOND_SWEEP_MS) : settings.sweepMs;
      await clock.sleep(waitMs, this.#sweepNow.signal);
      if (this.#stop.signal.aborted) return;
      this.#sweepNow = new AbortController();
      try {
        await this.#sweep();
      } catch (error) {
        log.error("sweeping failed; trying again", { error: String(error) });
      }
    }
  }

  async #sweep(): Promise<void> {
    const parts = await Promise.all(this.#writers.map((writer) => {
      if (writer.shard.outbox.mergeable().length > 0) void writer.submit(new MergeOutboxOperation()).catch(() => {});
      return writer.submit(new SweepOperation());
    }));
    for (const crawl of this.#parts.crawls.all()) {
      const census = parts.map((part) => part.get(crawl.id));
      if (!crawl.isRunning || census.includes(undefined)) continue;
      const reason = this.#finish.sweep(crawl, census.map((part) => part!));
      if (reason !== undefined) await this.#desk.finish(crawl, reason);
    }
  }

  lease: Coordinator["lease"] = (request) => {
    if (!this.#stop.signal.aborted) return this.#leases.lease(request);
    const reply: LeaseReply = {
      leases: [],
      retry_after_ms: 1_000,
      reason: "the coordinator is closing",
      outbox: [],
      slot_map: this.#parts.book.map,
    };
    return Promise.resolve(reply);
  };

  complete: Coordinator["complete"] = async (completion: Completion) => {
    const writer = this.#ofSlot(completion.slot);
    if (writer === undefined) return { status: "stale", accepted: 0 };
    // First, as the lease's end is the last that its edge tells.
    const referrals = await this.#permits.told(completion, writer);
    const reply = await writer.submit(new CompleteOperation(completion));
    if (completion.done && writer.shard.leases.size === 0) this.#sweepNow.abort();
    return referrals.length === 0 ? reply : { ...reply, referrals };
  };

  extend: Coordinator["extend"] = async (request) => {
    const stale: ExtendReply = { status: "stale", expires_in_ms: 0, stop: true };
    return await this.#ofSlot(request.slot)?.submit(extendOperation(request)) ?? stale;
  };

  release: Coordinator["release"] = async ({ leases, worker_id }: ReleaseRequest) => {
    const released = leases.map(async (lease) => {
      await this.#ofSlot(lease.slot)?.submit(releaseOperation({ worker_id, lease }));
    });
    // Those that are here end, whoever has the others.
    await Promise.allSettled(released);
    await Promise.all(released);
  };

  settled: Coordinator["settled"] = async (request) => {
    await this.#ofSlot(request.slot)?.submit(settledOperation(request));
  };

  permit: Coordinator["permit"] = (request) => this.#permits.visit(request, this.#ofSlot(request.slot));

  permitAddress: Coordinator["permitAddress"] = (request) => this.#permits.address(request, this.#ofSlot(request.slot));

  returnPermits: Coordinator["returnPermits"] = (request) => this.#permits.giveBack(request);

  visited: Coordinator["visited"] = async (request) => {
    if (this.#ofSlot(request.slot) !== undefined) await this.#permits.visited(request);
  };

  deliverOutbox: Coordinator["deliverOutbox"] = (delivery) => this.#exchange.deliver(delivery);

  ackOutbox: Coordinator["ackOutbox"] = (ack) => this.#exchange.acknowledge(ack);

  robotsBody: Coordinator["robotsBody"] = (request) => this.#exchange.robotsBody(request);

  captures: Coordinator["captures"] = async (request: CapturesRequest): Promise<CapturesReply> => {
    if (request.shard >= this.shardCount()) return { rows: [], more: false };
    const writer = this.#parts.book.get(request.shard);
    const limit = Math.min(LIMITS.capturesPerReply, Math.max(1, Math.floor(request.limit)));
    const rows = await writer.store.captures(request.storage_prefix, request.after_seq, limit + 1);
    return { rows: rows.slice(0, limit), more: rows.length > limit };
  };

  createCrawl: Coordinator["createCrawl"] = (crawlId, spec) => this.#desk.create(crawlId, spec);

  retuneCrawl: Coordinator["retuneCrawl"] = (crawlId, spec) => this.#desk.retune(crawlId, spec);

  recrawl: Coordinator["recrawl"] = async (crawlId) => {
    this.#parts.book.checkStill();
    return await this.#desk.recrawl(crawlId);
  };

  quarantine: Coordinator["quarantine"] = (name) => this.#quarantines.reverse(name);

  addSeeds: Coordinator["addSeeds"] = (crawlId, urls, { priority, depth, discoveredFrom }) =>
    this.#desk.addSeeds(crawlId, {
      urls,
      depth: depth ?? 0,
      discoveredFrom: discoveredFrom ?? "",
      ...(priority === undefined ? {} : { priority }),
    });

  crawls(): CrawlRow[] {
    return Array.from(this.#parts.crawls.all(), (crawl) => crawl.row);
  }

  setCrawlState: Coordinator["setCrawlState"] = (crawlId, state) => this.#desk.setState(crawlId, state);

  setHostPolicy: Coordinator["setHostPolicy"] = (host, policy) => {
    const place = this.#parts.directory.placeOf(host);
    return this.#parts.book.forChange(place).submit(policyOperation(place, policy));
  };

  fleet(): FleetView {
    const now = this.#parts.clock.wallMs();
    const said = { slots: this.#leases.slots.figures(now), edges: this.#leases.edges(now) };
    return fleetView(this.#writers.map(({ shard }) => shard), said, now);
  }

  hostView(name: HostKey): HostView | undefined {
    const place = this.#parts.directory.placeOf(name);
    const shards = this.#writers.map((writer) => writer.shard);
    const { shard } = this.#parts.book.get(place.shard);
    const known = shard.hosts.get(place.host);
    const view = hostView(shard, known ?? newHost(place), { shards, now: this.#parts.clock.wallMs() });
    return known === undefined && view.crawls.length === 0 ? undefined : view;
  }

  pageFeed: Coordinator["pageFeed"] = (after, limit) => {
    const { core, directory } = this.#parts;
    return readFeed({ core, directory, stores: this.#writers.map(({ store }) => store) }, after, limit);
  };

  pagesOfContent: Coordinator["pagesOfContent"] = async (contentHash, limit) => {
    const found = await Promise.all(this.#writers.map(({ store }) => store.capturesOfContent(contentHash, limit)));
    return found.flat().sort((a, b) => b.fetched_at - a.fetched_at).slice(0, limit);
  };

  setDomainPolicy: Coordinator["setDomainPolicy"] = (name, policy) => {
    const place = this.#placeOfDomain(name);
    return this.#parts.book.forChange(place).submit(domainPolicyOperation(place, policy));
  };

  domain: Coordinator["domain"] = (name) => {
    const { shard, domain } = this.#placeOfDomain(name);
    const view = domainView(this.#parts.book.get(shard).shard, domain);
    return view.hosts > 0 || hasDomainPolicy(view.policy) ? view : undefined;
  };

  /** A host of it will do: its registered domain is meant. */
  #placeOfDomain(name: string) {
    return this.#parts.directory.placeOf(name);
  }

  stats(crawlId: CrawlId): CrawlStats | undefined {
    const crawl = this.#parts.crawls.get(crawlId);
    if (crawl === undefined) return undefined;
    const now = this.#parts.clock.wallMs();
    const shards = this.#writers.map((writer) => writer.shard);
    const trouble = this.#leases.workers.trouble(now);
    return crawlStats(crawl, { shards, standing: this.#board.of([crawlId], now), trouble, now });
  }

  urlStatus: Coordinator["urlStatus"] = (crawlId, url) => this.#urls.status(crawlId, url);

  explain: Coordinator["explain"] = (crawlId, url) => this.#urls.explain(crawlId, url);

  seenFacts(): SeenFacts[] {
    return this.#writers.map(({ shard }) => ({ shard: shard.index, ...shard.seen.facts() }));
  }

  shardCount(): number {
    return this.#parts.book.count;
  }

  slotMap(): SlotMap {
    return this.#parts.book.map;
  }

  ownsAll(): boolean {
    return this.#parts.book.ownsAll;
  }

  problems(): string[] {
    const { limits } = this.#parts.settings;
    const ofShards = this.#writers.flatMap(({ problem, shard }) => {
      if (problem !== "") return [problem];
      if (shard.outbox.size < limits.outboxRows) return [];
      return [`Shard ${shard.index} leases nothing: ${shard.outbox.size} outbox rows wait for delivery.`];
    });
    const ofSlots = this.#leases.slots.problem(this.#parts.clock.wallMs());
    return ofSlots === "" ? ofShards : [...ofShards, ofSlots];
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#sweepNow.abort();
    await this.#sweeping;
    await this.slots?.close();
    for (const writer of this.#writers) {
      // What it counted matters less than that it closes.
      await writer.submit(lastWordOperation).catch(() => {});
      await writer.close();
    }
    await this.#controlStore.close();
  }
}
