/**
 * One coordinator among several: announces itself, learns what the directory says, watches the shards of others, takes
 * those that are free or whose owner died, and gives away what it has too much of.
 * Invariant: it changes nothing of a shard that it doesn't own but the owner term, over the one that it watched; while
 * it can't read the directory nothing is leased.
 */

import type { ShardReader } from "../../reader_ports.ts";
import { type ClusterStore, type CoordinatorEntry, type DirectoryView, NotObeyed } from "../../owner_ports.ts";
import type { ShardStore } from "../../ports.ts";
import type { CrawlDesk } from "../crawls/crawl_desk.ts";
import { notePages } from "../crawls/crawl_sweep.ts";
import { lostDatabase } from "../lost_databases.ts";
import type { FrontierParts } from "../shard.ts";
import { addNewShard } from "../handover/new_shard.ts";
import { AllotmentDesk } from "./allotment_desk.ts";
import { fairShare, hasTooMany } from "./fair_share.ts";
import { type ForeignShard, ForeignShards } from "./foreign_shards.ts";
import { LiveCoordinators } from "./live_coordinators.ts";
import { ShardHolder } from "./shard_holder.ts";
import type { ClusterTimes } from "./times.ts";

export interface ClusterOptions {
  readonly store: ClusterStore;
  /** Base URL under which edges and operators reach this coordinator. */
  readonly url: string;
  /** Databases of the frontier: the first coordinator shares the slots out among them; later ones may add some. */
  readonly locations: readonly string[];
  readonly openStore: (location: string) => ShardStore;
  readonly openReader: (location: string) => ShardReader;
  readonly times?: Partial<ClusterTimes>;
}

export interface KeeperParts {
  readonly parts: FrontierParts;
  readonly desk: CrawlDesk;
  readonly times: ClusterTimes;
  readonly options: ClusterOptions;
  /** Told of what each look at the directory found, once crawls and the map are as it says. */
  readonly onView: (view: DirectoryView) => void;
}

/** Looks within which a start waits until every shard has, or had, an owner. */
const FIRST_LOOKS = 20;
/** Looks within two times of the directory for another coordinator of the same URL. */
const URL_WAITS = 8;
/** Looks for which a free shard is left to who has fewer. */
const LEFT_LOOKS = 4;

export class Keeper {
  readonly #parts: FrontierParts;
  readonly #desk: CrawlDesk;
  readonly #id: string;
  readonly #times: ClusterTimes;
  readonly #options: ClusterOptions;
  readonly #onView: KeeperParts["onView"];
  readonly #live: LiveCoordinators;
  readonly #stop = new AbortController();
  readonly foreign: ForeignShards;
  readonly holder: ShardHolder;
  readonly allotments: AllotmentDesk;
  #locations: readonly string[] = [];
  #beat = 0;
  #applied = 0;
  /** Monotonic ms at which the newest look began whose word all shards obey. */
  #obeyedAt: number;
  #problem = "";
  #running: Promise<void> | undefined;
  #lookNow = new AbortController();

  constructor({ parts, desk, times, options, onView }: KeeperParts) {
    this.#parts = parts;
    this.#desk = desk;
    this.#id = parts.id;
    this.#onView = onView;
    this.#times = times;
    this.#options = options;
    this.#live = new LiveCoordinators(times.ownerTtlMs);
    this.#obeyedAt = parts.clock.monotonicMs();
    this.foreign = new ForeignShards(parts.clock, options.openReader);
    const openStore = (index: number) => options.openStore(this.#locations[index]!);
    this.allotments = new AllotmentDesk(parts, options.store.allotments);
    const { url } = options;
    const { allotments } = this;
    this.holder = new ShardHolder({ parts, desk, url, beatMs: times.beatMs, allotments, openStore });
  }

  get #directory() {
    return this.#options.store.directory;
  }

  /** Joins: resolves when every shard has an owner, as far as that can be had. */
  async start(): Promise<void> {
    const { locations } = this.#options;
    await this.#checkOthers();
    if (locations.length > 0) await this.#directory.found(locations);
    const known = (await this.#directory.read()).locations;
    if (known.length === 0) {
      throw new Error(
        "Joining the coordinators: the control database knows no shard; wanted the first databases of it.",
      );
    }
    for (const location of locations) {
      if (known.includes(location)) continue;
      await addNewShard(location, { directory: this.#directory, openReader: this.#options.openReader });
    }
    // Before crawls are read: whoever changes one from now on waits for this process to obey.
    await this.#announce();
    for (let looks = 0; looks < FIRST_LOOKS; looks++) {
      const takes = await this.#look();
      await Promise.all(takes);
      if (this.foreign.all.every((shard) => this.#parts.book.find(shard.index) !== undefined || wasOwned(shard))) break;
      await this.#parts.clock.sleep(this.#times.directoryMs / 2, this.#stop.signal);
    }
    this.#running = this.#run();
  }

  /**
   * Who starts under the URL of a dead process takes its shards at once. One that lives would lose them, and edges would
   * be sent to the wrong one. Where one calls others dead sooner than these stop to lease, a pause could be answered too early.
   */
  async #checkOthers(): Promise<void> {
    const { clock } = this.#parts;
    const { url } = this.#options;
    const { ownerTtlMs } = this.#times;
    const isUnfit = (entry: CoordinatorEntry) => entry.url === url || (entry.ownerTtlMs ?? ownerTtlMs) !== ownerTtlMs;
    const beats = async () => (await this.#directory.read()).coordinators.filter(isUnfit);
    const before = new Map((await beats()).map(({ id, beat }) => [id, beat]));
    for (let waits = 0; before.size > 0 && waits < URL_WAITS; waits++) {
      await clock.sleep(2 * this.#times.directoryMs / URL_WAITS, this.#stop.signal);
      const live = (await beats()).find(({ id, beat }) => before.has(id) && before.get(id) !== beat);
      if (live === undefined) continue;
      throw new Error(
        live.url === url
          ? `Joining the coordinators: another one beats under the URL ${url}; wanted is a --url of its own for each.`
          : `Joining the coordinators: that at ${live.url} has an --owner-ttl-ms of ${live.ownerTtlMs}, and this one ` +
            `of ${ownerTtlMs}; wanted is the same for all.`,
      );
    }
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(this.#times.directoryMs, this.#lookNow.signal);
      if (this.#stop.signal.aborted) return;
      this.#lookNow = new AbortController();
      try {
        await this.#look();
        this.#problem = "";
      } catch (error) {
        const problem = `Reading the directory failed: ${(error as Error).message}`;
        if (this.#problem === "") log.error(problem);
        this.#problem = problem;
      }
    }
  }

  /** One look at everything; what it begins to take is under way when it resolves. */
  async #look(): Promise<Promise<void>[]> {
    const { clock, book } = this.#parts;
    const beganMs = clock.monotonicMs();
    const view = await this.#directory.read();
    book.learn(view.slotMap);
    this.#locations = view.locations;
    this.foreign.learn(view.locations);
    this.#live.see(view.coordinators, beganMs);
    if (view.changes !== this.#applied) await this.#desk.refresh();
    this.#applied = view.changes;
    this.#obeyedAt = beganMs;
    this.#onView(view);
    // Those that answer at once are heard now, others at a later look.
    const looks = this.#others().map((shard) => this.foreign.look(shard));
    await Promise.race([Promise.all(looks), clock.sleep(this.#times.directoryMs / 2, this.#stop.signal)]);
    notePages(this.foreign.all, this.#parts);
    void this.allotments.tick();
    const takes = this.#others().flatMap((shard) => this.#consider(shard, view) ?? []);
    if (takes.length === 0) await this.#balance();
    await this.#announce();
    const gone = this.#live.gone(clock.monotonicMs()).filter(({ id }) => id !== this.#id);
    for (const { id } of gone) await this.#directory.withdraw(id);
    return takes;
  }

  /** Shards that this process doesn't own. */
  #others(): ForeignShard[] {
    return this.foreign.all.filter(({ index }) => this.#parts.book.find(index) === undefined);
  }

  /** The take that it begins, if any. */
  #consider(shard: ForeignShard, view: DirectoryView): Promise<void> | undefined {
    const { clock, book, crawls } = this.#parts;
    const { index, look, watch } = shard;
    if (!shard.hasLooked || !this.holder.isFreeFor(index)) return undefined;
    const isFree = look === undefined || look.owner === "";
    const isPredecessor = !isFree &&
      view.coordinators.some(({ id, url }) => id === look.owner && id !== this.#id && url === this.#options.url);
    const isDead = !isFree && (look.owner === this.#id || watch.stillMs >= this.#times.ownerTtlMs);
    if (!isFree && !isPredecessor && !isDead) return undefined;
    const nowMs = clock.monotonicMs();
    const hasShare = book.own.length + this.holder.takingCount >= this.#share(nowMs);
    const leftMs = isFree ? nowMs - shard.freeSinceMs : watch.stillMs - this.#times.ownerTtlMs;
    if (hasShare && leftMs < LEFT_LOOKS * this.#times.directoryMs) return undefined;
    const lost = lostDatabase(index, { map: book.map, crawls, ownerTerm: look?.ownerTerm ?? 0 });
    if (lost !== undefined) {
      this.holder.refuse(index, lost);
      return undefined;
    }
    const { lead } = watch;
    this.foreign.forget(shard);
    return this.holder.take({ index, overTerm: look?.ownerTerm ?? 0, lead });
  }

  #share(nowMs: number): number {
    const others = this.#live.live(nowMs).filter(({ id, url }) => id !== this.#id && url !== this.#options.url);
    return fairShare(this.#parts.book.count, others.length + 1);
  }

  /** One shard at a time, and only when each has an owner: then nothing is under way. */
  async #balance(): Promise<void> {
    const { clock, book } = this.#parts;
    if (this.holder.takingCount > 0) return;
    if (this.#others().some(({ hasLooked, look }) => !hasLooked || look === undefined || look.owner === "")) return;
    const others = this.#live.live(clock.monotonicMs()).filter(({ id }) => id !== this.#id);
    if (!hasTooMany(book.own.length, others.map(({ shards }) => shards.length))) return;
    const last = book.own.at(-1);
    if (last === undefined) return;
    await this.holder.giveBack(last);
    const given = this.foreign.get(last.index);
    if (given !== undefined) this.foreign.forget(given);
  }

  async #announce(): Promise<void> {
    await this.#directory.announce({
      id: this.#id,
      url: this.#options.url,
      beat: ++this.#beat,
      applied: this.#applied,
      ownerTtlMs: this.#times.ownerTtlMs,
      shards: this.#parts.book.own.map(({ index, ownerTerm }) => ({ shard: index, term: ownerTerm })),
    });
  }

  /** A shard that has slots and is made only after a crawl would be taken for one that was lost. Throws a sentence. */
  mustBeWhole(): void {
    const { book } = this.#parts;
    const withSlots = [...new Set(book.map.runs.map(([, shard]) => shard))];
    const unmade = withSlots.filter((index) => {
      const foreign = this.foreign.get(index);
      return book.find(index) === undefined && (foreign === undefined || !wasOwned(foreign));
    });
    if (unmade.length === 0) return;
    throw new Error(
      `Creating a crawl: nobody has made the database of shard ${
        unmade.join(" and ")
      } yet; wanted all shards to have ` +
        "had an owner before the first crawl. Ask again.",
    );
  }

  /** Not empty: why nothing may be leased now, as a clause. */
  silence(): string {
    const silentMs = this.#parts.clock.monotonicMs() - this.#obeyedAt;
    if (silentMs < this.#times.ownerTtlMs - this.#times.marginMs) return "";
    const why = this.#problem === "" ? "" : ` (${this.#problem})`;
    return `the control database couldn't be read for ${Math.round(silentMs / 1000)} s, so nothing is leased${why}`;
  }

  problems(): string[] {
    const silence = this.silence();
    const own = silence === "" ? [] : [`Leasing nothing: ${silence}.`];
    const looks = this.#others().flatMap(({ problem }) => problem === "" ? [] : [problem]);
    return [...own, ...this.holder.problems(), ...looks];
  }

  /** Other coordinators that live, by the newest look. */
  liveOthers(): readonly string[] {
    return this.#live.live(this.#parts.clock.monotonicMs()).flatMap(({ id }) => id === this.#id ? [] : [id]);
  }

  /** Resolves when every coordinator that beats obeys what the directory says now. Rejects with NotObeyed. */
  async obeyed(): Promise<void> {
    const { clock } = this.#parts;
    const endMs = clock.monotonicMs() + this.#times.obeyMs;
    this.#lookNow.abort();
    const target = (await this.#directory.read()).changes;
    for (;;) {
      const { coordinators } = await this.#directory.read();
      const nowMs = clock.monotonicMs();
      const late = coordinators.filter((entry) =>
        entry.id !== this.#id && entry.applied < target && (this.#live.isLive(entry, nowMs) || !this.#live.knows(entry))
      );
      if (late.length === 0) return;
      if (nowMs >= endMs) throw new NotObeyed(late.map(({ url }) => url), this.#times.obeyMs);
      await clock.sleep(this.#times.directoryMs / 5, this.#stop.signal);
    }
  }

  /** Gives everything back and leaves the directory. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#lookNow.abort();
    await this.#running;
    await this.holder.close();
    await this.foreign.close();
    await this.#directory.withdraw(this.#id).catch((error) => {
      this.#parts.log.warn("leaving the directory failed", { error: String(error) });
    });
  }
}

/** It had an owner some time: crawls that came since are made known to it when it is taken. */
function wasOwned({ look }: ForeignShard): boolean {
  return look !== undefined && look.ownerTerm > 0;
}
