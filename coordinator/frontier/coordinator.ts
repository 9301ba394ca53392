/**
 * The control plane in one object: shards with their writers, crawls, and the sweep that lets time pass.
 * Invariant: a promise of this interface resolves only when what it says is durable; nothing is leased before every
 * shard is loaded.
 */

import type { SeenFacts } from "../seen_ports.ts";
import type { ControlStore, Coordinator, CrawlRow } from "../ports.ts";
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
  type SlotMap,
} from "../../protocol/mod.ts";
import { CompleteOperation } from "./leases/complete.ts";
import { QuarantineDesk } from "./crawls/quarantine.ts";
import { CrawlDesk } from "./crawls/crawl_desk.ts";
import { ExchangeDesk } from "./exchange_desk.ts";
import { domainPolicyOperation, domainView } from "./clocks/domain_policy.ts";
import { CrawlSweep } from "./crawls/crawl_sweep.ts";
import { Keeper } from "./cluster/keeper.ts";
import { clusterTimes } from "./cluster/times.ts";
import { fleetView } from "./views/fleet_view.ts";
import { checkNothingLost } from "./lost_databases.ts";
import { policyOperation } from "./clocks/host_policy.ts";
import { newHost } from "./host_state.ts";
import { hostView } from "./views/host_view.ts";
import { LeaseDesk } from "./leases/lease_desk.ts";
import { extendOperation, releaseOperation, settledOperation } from "./leases/lease_verbs.ts";
import { readFeed } from "./views/page_feed.ts";
import { type CoordinatorOptions, frontierParts } from "./coordinator_options.ts";
import type { FrontierParts } from "./shard.ts";
import { SlotOffice } from "./handover/slot_office.ts";
import { StandingBoard } from "./views/standing_board.ts";
import { lastWordOperation } from "./leases/sweep.ts";
import { WholeFrontier } from "./views/whole_frontier.ts";
import { UrlDesk } from "./views/url_desk.ts";
import { PermitDesk } from "./leases/permit_desk.ts";
import { ShardWriter } from "./writer.ts";

export type { CoordinatorOptions } from "./coordinator_options.ts";

/** Opens the stores, loads every shard, finishes what a crash left half done, and starts sweeping. */
export async function openCoordinator(options: CoordinatorOptions): Promise<FrontierCoordinator> {
  const { controlStore, cluster, random } = options;
  const shardStores = options.shardStores ?? [];
  const id = random.hex(8);
  let keeper: Keeper | undefined;
  let slots: SlotOffice | undefined;
  const parts = frontierParts(options, { id, silence: () => keeper?.silence() ?? "" });
  const { book, core } = parts;
  const desk = new CrawlDesk(parts, controlStore);
  try {
    await controlStore.open();
    const slotsOptions = options.slots ??
      (cluster && { directory: cluster.store.directory, openReader: cluster.openReader });
    slots = slotsOptions && new SlotOffice(parts, slotsOptions);
    if (cluster !== undefined) {
      const times = clusterTimes(cluster.times);
      keeper = new Keeper({ parts, desk, times, options: cluster, onView: (view) => void slots?.tick(view) });
      await keeper.start();
    } else {
      await desk.refresh();
      const saveCrawl = desk.save.bind(desk);
      for (const [index, store] of shardStores.entries()) {
        if (store === undefined) continue;
        await store.open(id, core.keyVersion);
        book.put(index, await ShardWriter.open(index, parts, { store, saveCrawl }));
      }
      checkNothingLost(book, parts.crawls);
      for (const crawl of parts.crawls.all()) await desk.resume(crawl);
    }
  } catch (error) {
    // Nothing stays open behind an error: the data folder must be free for the next try. Writers first: one that is
    // loading its shard anew would still commit.
    await slots?.close();
    await keeper?.close().catch(() => {});
    await Promise.allSettled(book.own.map((writer) => writer.close()));
    await Promise.allSettled([...shardStores, controlStore].map((store) => store?.close()));
    throw error;
  }
  return new FrontierCoordinator({ parts, desk, controlStore, keeper, slots });
}

interface Rooms {
  readonly slots: SlotOffice | undefined;
  readonly parts: FrontierParts;
  readonly desk: CrawlDesk;
  readonly controlStore: ControlStore;
  /** Undefined: there are no other coordinators. */
  readonly keeper: Keeper | undefined;
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
  /** Slots that move between shards; undefined: this coordinator has no directory. */
  readonly slots: SlotOffice | undefined;
  readonly #keeper: Keeper | undefined;
  readonly #whole: WholeFrontier;
  readonly #crawlSweep: CrawlSweep;
  readonly #stop = new AbortController();
  readonly #quarantines: QuarantineDesk;
  readonly #sweeping: Promise<void>;
  /** Aborted when a crawl may have come to its end: the sweep that finds out needn't wait for its turn. */
  #sweepNow = new AbortController();

  constructor({ parts, desk, controlStore, keeper, slots }: Rooms) {
    this.slots = slots;
    this.#parts = parts;
    this.#desk = desk;
    this.#keeper = keeper;
    const foreign = keeper?.foreign;
    this.#whole = new WholeFrontier(parts, foreign);
    this.#crawlSweep = new CrawlSweep({ parts, desk, foreign, liveOthers: () => keeper?.liveOthers() ?? [] });
    this.#controlStore = controlStore;
    this.#board = new StandingBoard(() => parts.book.own.map((writer) => writer.shard));
    this.#leases = new LeaseDesk(parts, this.#board);
    this.#urls = new UrlDesk(parts);
    this.#permits = new PermitDesk(parts);
    this.#exchange = new ExchangeDesk(parts, this.#whole, () => desk.refresh());
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
      const waitMs = this.#crawlSweep.isExpecting ? Math.min(settings.sweepMs, SECOND_SWEEP_MS) : settings.sweepMs;
      await clock.sleep(waitMs, this.#sweepNow.signal);
      if (this.#stop.signal.aborted) return;
      this.#sweepNow = new AbortController();
      try {
        await this.#crawlSweep.sweep();
      } catch (error) {
        log.error("sweeping failed; trying again", { error: String(error) });
      }
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
    const limit = Math.min(LIMITS.capturesPerReply, Math.max(1, Math.floor(request.limit)));
    const reads = this.#whole.readsOf(request.shard);
    const rows = await reads.captures(request.storage_prefix, request.after_seq, limit + 1);
    return { rows: rows.slice(0, limit), more: rows.length > limit };
  };

  createCrawl: Coordinator["createCrawl"] = async (crawlId, spec) => {
    if (this.#parts.crawls.get(crawlId) === undefined) this.#keeper?.mustBeWhole();
    const created = await this.#desk.create(crawlId, spec);
    await this.#keeper?.allotments.tick();
    return created;
  };

  retuneCrawl: Coordinator["retuneCrawl"] = async (crawlId, spec) => {
    const row = await this.#desk.retune(crawlId, spec);
    await this.#keeper?.obeyed();
    return row;
  };

  recrawl: Coordinator["recrawl"] = (crawlId) => this.#parts.book.whileStill(() => this.#desk.recrawl(crawlId));

  quarantine: Coordinator["quarantine"] = (name) => this.#parts.book.whileStill(() => this.#quarantines.reverse(name));

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

  crawl(crawlId: CrawlId): CrawlRow | undefined {
    return this.#parts.crawls.get(crawlId)?.row;
  }

  setCrawlState: Coordinator["setCrawlState"] = async (crawlId, state) => {
    const row = await this.#desk.setState(crawlId, state);
    await this.#keeper?.obeyed();
    return row;
  };

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
    return readFeed({ core, directory, stores: this.#whole.reads() }, after, limit);
  };

  pagesOfContent: Coordinator["pagesOfContent"] = (hash, limit) => this.#whole.pagesOfContent(hash, limit);

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
    return this.#whole.stats(crawl, this.#board.of([crawlId], now), this.#leases.workers.trouble(now));
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
    return [...this.#keeper?.problems() ?? [], ...ofShards, ...ofSlots === "" ? [] : [ofSlots]];
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#sweepNow.abort();
    for (const writer of this.#writers) writer.leave();
    await this.#sweeping;
    await this.slots?.close();
    await this.#keeper?.close();
    for (const writer of this.#writers) {
      // What it counted matters less than that it closes.
      await writer.submit(lastWordOperation).catch(() => {});
      await writer.close();
    }
    await this.#controlStore.close();
  }
}
