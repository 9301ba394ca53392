/**
 * Creates crawls, adds seeds to them and changes their state.
 * Invariant: a crawl is durable before its seeds are injected, and stays marked as seeding until they all are; its row
 * is written by one writer at a time, always the newest one.
 */

import type { ControlStore, CrawlRow, SeedAnswer } from "../../ports.ts";
import type { CrawlId, CrawlSpec } from "../../../protocol/mod.ts";
import { Crawl, type CrawlParts } from "./crawl.ts";
import { recrawlShard } from "./recrawl.ts";
import { rescheduleOperation } from "../clocks/host_policy.ts";
import { type CrawlChange, CrawlRows } from "./crawl_rows.ts";
import { enterShards, injectSeeds, malformedSeeds, type SeedRequest } from "./seeding.ts";
import type { FrontierParts } from "../shard.ts";

const NO_SEEDS: SeedAnswer = { enqueued: 0, alreadySeen: 0, rejected: [], malformed: [] };

const RUNNING = { state: "running", reason: "", finishedAt: 0 } as const;

export interface Created {
  readonly crawl: CrawlRow;
  readonly seeds: SeedAnswer;
  readonly resumed: boolean;
}

export class CrawlDesk {
  readonly #parts: FrontierParts;
  readonly #rows: CrawlRows;
  readonly #crawlParts: CrawlParts;
  #creating: Promise<unknown> = Promise.resolve();

  constructor(parts: FrontierParts, store: ControlStore) {
    this.#parts = parts;
    this.#crawlParts = {
      core: parts.core,
      directory: parts.directory,
      book: parts.book,
      isShared: parts.cluster !== undefined,
    };
    this.#rows = new CrawlRows(store, parts.crawls, this.#crawlParts);
  }

  /** Reads all crawls into the book; what others changed is obeyed by every lease from now on. */
  async refresh(): Promise<void> {
    const changed = await this.#rows.refresh();
    await Promise.all(changed.map((crawl) => this.#reschedule(crawl)));
  }

  /** Injects the seeds of a crawl that a crash caught seeding, and queues what it caught being queued again. */
  resume(crawl: Crawl): Promise<void> {
    const done = this.#creating.then(async () => {
      if (crawl.row.seeding) await this.#seed(crawl);
      const { recrawlBefore = 0 } = crawl.row;
      if (recrawlBefore > 0) await this.#requeue(crawl, recrawlBefore);
    });
    this.#creating = done.catch(() => {});
    return done;
  }

  /** See Recrawler. One at a time. */
  recrawl(crawlId: CrawlId): Promise<number | undefined> {
    const queued = this.#creating.then(() => this.#recrawl(crawlId));
    this.#creating = queued.catch(() => {});
    return queued;
  }

  async #recrawl(crawlId: CrawlId): Promise<number | undefined> {
    const crawl = this.#parts.crawls.get(crawlId);
    if (crawl === undefined) return undefined;
    // Throws where another coordinator has a shard: a part of a crawl can't be taken up again.
    for (let shard = 0; shard < this.#parts.book.count; shard++) this.#parts.book.get(shard);
    const recrawlBefore = this.#parts.clock.wallMs();
    // Marked first: a crawl that is being queued isn't finished, whatever its counters say.
    await this.#change(crawl, { ...(crawl.row.state === "finished" ? RUNNING : {}), recrawlBefore });
    return await this.#requeue(crawl, recrawlBefore);
  }

  async #requeue(crawl: Crawl, before: number): Promise<number> {
    const { own } = this.#parts.book;
    const queued = await Promise.all(own.map((writer) => recrawlShard(writer, crawl.id, before)));
    await this.#change(crawl, { recrawlBefore: 0 });
    return queued.reduce((sum, one) => sum + one, 0);
  }

  /** Writes the crawl's newest row. */
  save(crawl: Crawl): Promise<void> {
    return this.#rows.save(crawl);
  }

  /** One at a time: two requests for one id must not both create it. */
  create(crawlId: CrawlId, spec: CrawlSpec): Promise<Created> {
    const created = this.#creating.then(() => this.#create(crawlId, spec));
    this.#creating = created.catch(() => {});
    return created;
  }

  async #create(crawlId: CrawlId, spec: CrawlSpec): Promise<Created> {
    const known = this.#parts.crawls.get(crawlId);
    if (known !== undefined) return await this.#resume(known, spec);
    const row = newRow(crawlId, spec, { now: this.#parts.clock.wallMs(), seeder: this.#parts.id });
    const malformed = malformedSeeds(spec.seeds, this.#parts.core);
    if (malformed.length > 0) return notCreated(row, malformed);
    const crawl = new Crawl(row, this.#crawlParts);
    if (!await this.#rows.add(crawl)) {
      // Another coordinator was first.
      await this.refresh();
      return await this.#resume(this.#parts.crawls.get(crawlId)!, spec);
    }
    const seeds = await this.#seed(crawl);
    return { crawl: crawl.row, seeds, resumed: false };
  }

  async #resume(known: Crawl, spec: CrawlSpec): Promise<Created> {
    if (canonical(known.row.spec) !== canonical(spec)) {
      throw new Error(
        `Creating the crawl ${known.id}: one of that name exists with other settings; wanted the same settings to ` +
          "resume it, or another name.",
      );
    }
    const seeds = known.row.seeding ? await this.#seed(known) : NO_SEEDS;
    return { crawl: known.row, seeds, resumed: true };
  }

  async #seed(crawl: Crawl): Promise<SeedAnswer> {
    const { seeds: urls, priority } = crawl.row.spec;
    await enterShards(crawl.id, this.#parts.book);
    const answer = await injectSeeds(crawl, { urls, priority, depth: 0, discoveredFrom: "" }, this.#parts);
    crawl.row = { ...crawl.row, seeding: false, stateVersion: crawl.row.stateVersion + 1 };
    try {
      await this.save(crawl);
    } catch (error) {
      // Its row may say so still: then it has to be seeded again, by whoever looks.
      crawl.row = { ...crawl.row, seeding: true };
      throw error;
    }
    return answer;
  }

  /** Seeds that come later; a finished crawl that gets new URLs runs again. */
  async addSeeds(
    crawlId: CrawlId,
    request: Omit<SeedRequest, "priority"> & { priority?: number },
  ): Promise<SeedAnswer> {
    const crawl = this.#parts.crawls.get(crawlId);
    if (crawl === undefined) {
      throw new Error(`Adding seeds: there is no crawl ${crawlId}; wanted one that was created.`);
    }
    const malformed = malformedSeeds(request.urls, this.#parts.core);
    if (malformed.length > 0) return { ...NO_SEEDS, malformed };
    const priority = request.priority ?? crawl.row.spec.priority;
    const answer = await injectSeeds(crawl, { ...request, priority }, this.#parts);
    if (answer.enqueued > 0 && crawl.row.state === "finished" && !crawl.isBudgetSpent) {
      await this.#change(crawl, RUNNING);
    }
    return answer;
  }

  /** A finished crawl runs again. */
  async reopen(crawl: Crawl): Promise<void> {
    if (crawl.row.state === "finished") await this.#change(crawl, RUNNING);
  }

  /** See Coordinator.retuneCrawl. */
  async retune(crawlId: CrawlId, spec: CrawlSpec): Promise<CrawlRow | undefined> {
    const crawl = this.#parts.crawls.get(crawlId);
    if (crawl === undefined) return undefined;
    if (identityOf(crawl.row.spec) !== identityOf(spec)) {
      throw new Error(
        `Changing the settings of the crawl ${crawlId}: found other seeds or another scope, wanted its own; they make ` +
          "another crawl.",
      );
    }
    if (canonical(crawl.row.spec) === canonical(spec)) return crawl.row;
    const before = crawl.row.spec;
    const isStarved = crawl.row.state === "finished" && crawl.isBudgetSpent;
    crawl.retune(spec);
    const { state, reason, finishedAt } = crawl.row;
    const goesOn = isStarved && !crawl.isBudgetSpent;
    try {
      await this.#change(crawl, goesOn ? RUNNING : { state, reason, finishedAt });
    } catch (error) {
      crawl.retune(before);
      throw error;
    }
    return crawl.row;
  }

  /** A crawl that is finished or cancelled stays so. */
  async setState(crawlId: CrawlId, state: "running" | "paused" | "cancelled"): Promise<CrawlRow | undefined> {
    const crawl = this.#parts.crawls.get(crawlId);
    if (crawl === undefined) return undefined;
    const isOver = crawl.row.state === "finished" || crawl.row.state === "cancelled";
    if (isOver) return crawl.row;
    const finishedAt = state === "cancelled" ? this.#parts.clock.wallMs() : 0;
    const reason = state === "running" ? "" : `${state} by an operator`;
    // Also where it says so already: an earlier change may be under way, or its failed save may have been done after all.
    await this.#change(
      crawl,
      crawl.row.state === state ? { state, reason: crawl.row.reason } : { state, reason, finishedAt },
    );
    return crawl.row;
  }

  async finish(crawl: Crawl, reason: string): Promise<void> {
    await this.#change(crawl, { state: "finished", reason, finishedAt: this.#parts.clock.wallMs() });
    this.#parts.log.info("crawl finished", { crawl: crawl.id, reason });
  }

  /** Obeyed by every lease from now on; durable when it resolves. */
  async #change(crawl: Crawl, change: CrawlChange): Promise<void> {
    const { state, reason, finishedAt, recrawlBefore = 0 } = crawl.row;
    crawl.row = { ...crawl.row, ...change, stateVersion: crawl.row.stateVersion + 1 };
    try {
      await this.#rows.save(crawl, change);
    } catch (error) {
      crawl.row = { ...crawl.row, state, reason, finishedAt, recrawlBefore };
      throw error;
    }
    await this.#reschedule(crawl);
  }

  async #reschedule({ id }: Crawl): Promise<void> {
    await Promise.all(this.#parts.book.own.map((writer) => writer.submit(rescheduleOperation(id))));
  }
}

function newRow(
  crawlId: CrawlId,
  spec: CrawlSpec,
  { now, seeder }: { readonly now: number; readonly seeder: string },
): CrawlRow {
  return {
    crawlId,
    spec,
    state: "running",
    reason: "",
    stateVersion: 1,
    createdAt: now,
    finishedAt: 0,
    seeding: true,
    seeder,
    extraHosts: [],
  };
}

function notCreated(row: CrawlRow, malformed: SeedAnswer["malformed"]): Created {
  const reason = `not created: ${malformed.length} of ${row.spec.seeds.length} seeds are no URLs`;
  return {
    crawl: { ...row, state: "cancelled", reason, seeding: false },
    seeds: { ...NO_SEEDS, malformed },
    resumed: false,
  };
}

/** What makes two specs the same crawl: where it begins, how far it goes, what it takes along. */
function identityOf({ seeds, scope, embeds }: CrawlSpec): string {
  return canonical([[...seeds].sort(), scope, embeds]);
}

/** JSON with sorted keys: equal for equal values. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1));
  });
}
