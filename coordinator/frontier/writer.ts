/**
 * The single writer of a shard: takes all waiting operations, reads what they need, applies them, commits once, and only
 * then answers (group commit: at once when idle, else with everything that came meanwhile, see FrontierSettings.groupCommitMs).
 * Invariant: a caller whose promise resolved will find its change after any crash. A failed or unknown commit discards
 * the RAM and loads it anew; a lost owner stops for good.
 */

import { OwnerLost } from "../owner_ports.ts";
import type { ShardStore } from "../ports.ts";
import type { SeenWrites } from "../seen_ports.ts";
import type { Crawl } from "./crawls/crawl.ts";
import { ClockSteps } from "./clock_steps.ts";
import { gather } from "./gather.ts";
import { keepStarts, type LoadOptions, loadShard } from "./load.ts";
import { type Operation, Round } from "./round.ts";
import { SeenCopies } from "./seen/seen_copies.ts";
import { clusterOf, SeenKeys } from "./seen/seen_keys.ts";
import type { FrontierParts, Shard } from "./shard.ts";
import { AnnounceOperation } from "./robots/sitemaps.ts";

interface Waiting {
  readonly operation: Operation<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Of a shard that other coordinators may take over. */
export interface Owning extends Pick<LoadOptions, "aheadMs" | "aheadAfterMs"> {
  readonly ownerTerm: number;
  readonly beatMs: number;
  /** Monotonic ms at which the shard was surely owned. */
  readonly ownedAtMs: number;
  /** Another has it; the writer is to be closed. */
  readonly onLost: (writer: ShardWriter, reason: string) => void;
}

export interface WriterMeans {
  /** Open. */
  readonly store: ShardStore;
  readonly saveCrawl: (crawl: Crawl) => Promise<void>;
  /** Absent: nobody else takes the shard while this process lives. */
  readonly owning?: Owning;
}

/** Wait before a load that failed is tried again; doubles up to the cap. */
const RELOAD_MS = 500;
const RELOAD_MAX_MS = 30_000;
/** Steps that the wait for company is taken in: one that brings nobody ends it. */
const GROUP_STEPS = 5;

export class ShardWriter {
  readonly store: ShardStore;
  readonly #index: number;
  readonly #parts: FrontierParts;
  readonly #saveCrawl: (crawl: Crawl) => Promise<void>;
  readonly #copies: SeenCopies | undefined;
  readonly #owning: Owning | undefined;
  readonly #steps: ClockSteps;
  readonly #stop = new AbortController();
  readonly #leaving = new AbortController();
  #shard: Shard;
  #waiting: Waiting[] = [];
  /** Those of them whose callers can't go on without an answer. */
  #urgent = 0;
  #running: Promise<void> | undefined;
  #committedAt = -Infinity;
  /** Monotonic ms at which the last commit that was done began: then the shard was owned. */
  #ownedAt: number;
  #beating: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** Aborted when enough operations wait. */
  #enough = new AbortController();
  #isClosed = false;
  #problem = "";
  /** What the log was told of the seen-set's filters. */
  #alarm = "";

  private constructor(shard: Shard, { store, saveCrawl, owning }: WriterMeans, copies: SeenCopies | undefined) {
    this.#shard = shard;
    this.#index = shard.index;
    this.#parts = shard.parts;
    this.store = store;
    this.#saveCrawl = saveCrawl;
    this.#copies = copies;
    this.#owning = owning;
    this.#steps = new ClockSteps(shard.parts.clock);
    this.#ownedAt = owning?.ownedAtMs ?? -Infinity;
    if (owning !== undefined) this.#beating = this.#beatForEver(owning);
  }

  /** Loads the shard. */
  static async open(index: number, parts: FrontierParts, means: WriterMeans): Promise<ShardWriter> {
    const { store, owning } = means;
    const copies = parts.blobs === undefined ? undefined : new SeenCopies(parts.blobs, index, parts.log);
    const { aheadMs = 0, aheadAfterMs } = owning ?? {};
    const loading = loadShard(parts, { index, store, isStart: true, copies, aheadMs, aheadAfterMs });
    const shard = owning === undefined ? await loading : await whileBeating(loading, { parts, store, owning });
    if (aheadMs > 0) keepStarts(shard, parts.clock.wallMs());
    return new ShardWriter(shard, means, copies);
  }

  get index(): number {
    return this.#index;
  }

  /** 0 where nobody else takes shards. */
  get ownerTerm(): number {
    return this.#owning?.ownerTerm ?? 0;
  }

  /** The shard as it is now; may be ahead of the store by the round under way. For reading. */
  get shard(): Shard {
    return this.#shard;
  }

  /** It takes nothing any more: it was closed, or another owns the shard. */
  get isStopped(): boolean {
    return this.#isClosed;
  }

  /** A sentence when the shard can't work; "" otherwise. */
  get problem(): string {
    return this.#problem;
  }

  /** Resolves with the operation's answer when its change is durable. */
  submit<T>(operation: Operation<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error(this.#problem || `Shard ${this.#index} is closed.`));
    if (this.#waiting.length >= this.#parts.settings.operationsWaiting) {
      return Promise.reject(
        new Error(`Shard ${this.#index} has ${this.#waiting.length} operations waiting; try later.`),
      );
    }
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ operation, resolve: resolve as (answer: unknown) => void, reject });
      if (operation.isPatient !== true) this.#urgent++;
      // With a reason of its own: the usual one is an exception with a stack.
      if (this.#hasCompany()) this.#enough.abort("company");
      this.#running ??= this.#run().finally(() => this.#running = undefined);
    });
  }

  /** It is closed soon: a load that fails is tried once more, and not waited for. */
  leave(): void {
    this.#leaving.abort();
  }

  /** Commits what waits, then closes the store. */
  close({ givesBack = false } = {}): Promise<void> {
    return this.#closing ??= this.#close(givesBack);
  }

  async #close(givesBack: boolean): Promise<void> {
    this.#isClosed = true;
    this.leave();
    this.#stop.abort();
    this.#enough.abort();
    await this.#running;
    await this.#beating;
    if (givesBack) await this.store.giveBack().catch((error) => this.#noteNotGivenBack(error));
    await this.#shard.seen.settled();
    this.#shard.free();
    await this.store.close();
  }

  #noteNotGivenBack(error: unknown): void {
    this.#parts.log.warn("a shard could not be given back; it is free when its owner is silent for long enough", {
      shard: this.#index,
      error: String(error),
    });
  }

  /** Who watches must see that the owner lives, and the owner that it owns. */
  async #beatForEver({ beatMs }: Owning): Promise<void> {
    while (!this.#isClosed) {
      await this.#parts.clock.sleep(beatMs / 2, this.#stop.signal);
      if (!this.#isClosed && this.#mustBeat) await this.submit({ apply: () => {} }).catch(() => {});
    }
  }

  /** Nothing may be answered from RAM any more: the fence is to be asked. */
  get #mustBeat(): boolean {
    return this.#owning !== undefined && this.#parts.clock.monotonicMs() - this.#ownedAt >= this.#owning.beatMs;
  }

  async #run(): Promise<void> {
    // A first turn of the queue, so that callers of one moment share a commit.
    await Promise.resolve();
    while (this.#waiting.length > 0 || this.#hasUpkeep) {
      await this.#waitForCompany();
      await this.#followClock();
      const taken = this.#waiting.splice(0, this.#parts.settings.operationsPerCommit);
      for (const { operation } of taken) if (operation.isPatient !== true) this.#urgent--;
      try {
        const answers = await this.#round(taken);
        taken.forEach(({ resolve }, i) => resolve(answers[i]));
        this.#announce();
      } catch (error) {
        const reason = error instanceof Error ? error : new Error(String(error));
        for (const { reject } of taken) reject(reason);
        await this.#recover(reason);
      }
      await this.#parts.clock.sleep(0);
    }
  }

  /** What the round found in robots.txt files is made known to crawls in rounds of its own, before anyone sweeps. */
  #announce(): void {
    for (const announcement of this.#shard.announcements.splice(0)) {
      this.submit(new AnnounceOperation(announcement)).catch((error) => {
        // The next lease of the origin, in this process or the next, makes them known.
        announcement.crawl.announced.delete(announcement.origin);
        this.#parts.log.warn("sitemaps could not be made known", { origin: announcement.origin, error: String(error) });
      });
    }
  }

  /** The seen-set's upkeep goes on while nobody waits. */
  get #hasUpkeep(): boolean {
    return this.#shard.seen.hasWork && !this.#isClosed;
  }

  /** Enough operations wait to be worth a commit now. */
  #hasCompany(): boolean {
    const leases = this.#shard.leases.size;
    const most = Math.min(this.#parts.settings.operationsPerCommit, leases);
    return this.#waiting.length >= most || this.#urgent >= Math.ceil(leases / 2);
  }

  /**
   * A commit's cost hardly grows with what it carries, so it pays to wait a moment for those who are about to come, as
   * long as each step brings somebody.
   */
  async #waitForCompany(): Promise<void> {
    const { clock, settings } = this.#parts;
    const endMs = this.#committedAt + settings.groupCommitMs;
    for (let before = 0; this.#waiting.length > before;) {
      const leftMs = endMs - clock.monotonicMs();
      if (leftMs <= 0 || this.#hasCompany() || this.#isClosed) return;
      before = this.#waiting.length;
      this.#enough = new AbortController();
      await clock.sleep(Math.min(leftMs, settings.groupCommitMs / GROUP_STEPS), this.#enough.signal);
    }
  }

  async #round(taken: readonly Waiting[]): Promise<unknown[]> {
    const shard = this.#shard;
    const round = new Round(shard, this.#parts.clock.wallMs());
    for (const { operation } of taken) operation.plan?.(round);
    await gather(round, this.store);
    const upkeep = await shard.seen.work(this.store);
    const answers = taken.map(({ operation }) => operation.apply(round));
    await this.#commit(shard, upkeep);
    this.#tick(shard);
    while (shard.seen.isBehind) {
      await this.#commit(shard, await shard.seen.work(this.store));
      this.#tick(shard);
      await this.#parts.clock.sleep(0);
    }
    return answers;
  }

  /** Lets the seen-set freeze and copy what it is time for, and says when its filters are worse than they may be. */
  #tick(shard: Shard): void {
    shard.seen.tick(shard.batchSeq, this.#parts.clock.monotonicMs());
    const { problem } = shard.seen.tally;
    if (problem !== "" && this.#alarm === "") this.#parts.log.warn(`Shard ${shard.index}: ${problem}`);
    this.#alarm = problem;
  }

  async #commit(shard: Shard, upkeep: SeenWrites | undefined): Promise<void> {
    if (shard.batch.isEmpty && upkeep === undefined && !this.#mustBeat) return;
    const seenLog = this.#logOf(shard);
    // The wider scope first: were it lost after the batch, links that it let in would be refused later.
    for (const crawl of shard.grownCrawls) await this.#saveCrawl(crawl);
    shard.grownCrawls.clear();
    const batch = {
      ...shard.batch.build(shard.batchSeq + 1, this.#parts.clock.wallMs()),
      ...(seenLog === undefined ? {} : { seenLog }),
      ...(upkeep === undefined ? {} : { seen: upkeep }),
    };
    const beganMs = this.#parts.clock.monotonicMs();
    await this.store.commit(batch);
    this.#ownedAt = beganMs;
    shard.seen.committed();
    this.#committedAt = this.#parts.clock.monotonicMs();
    for (const row of batch.outbox) shard.outbox.add(row);
    shard.nextBatch();
  }

  /** What the batch accepts is seen from now on; the keys as the log wants them. */
  #logOf(shard: Shard): Uint8Array | undefined {
    const { crawls, directory } = this.#parts;
    const keys = new SeenKeys();
    for (const { crawlId, host, fingerprint } of shard.batch.newRows()) {
      const { salt } = crawls.get(crawlId)!;
      keys.addUrl(clusterOf(directory.placeOf(host).domainHash, salt), fingerprint, salt);
    }
    return keys.length === 0 ? undefined : shard.seen.add(keys);
  }

  /** What is in RAM may differ from the store now: it is thrown away. */
  async #recover(reason: Error): Promise<void> {
    if (reason instanceof OwnerLost) return this.#abandon(reason);
    this.#parts.log.error("a commit failed; the shard is loaded anew", { shard: this.#index, error: reason.message });
    await this.#reload(reason, { after: "a failed commit", stepMs: 0 });
  }

  /** What was promised for later stays as far away as it was when the wall clock is set forward. */
  async #followClock(): Promise<void> {
    const stepMs = this.#steps.forwardMs();
    if (stepMs === 0) return;
    const after = `its wall clock was set forward by ${stepMs} ms, or slept`;
    this.#parts.log.warn("a shard is loaded anew, with the delays that it had", { shard: this.#index, after });
    await this.#reload(new Error(`Loading shard ${this.#index} after ${after}.`), { after, stepMs });
  }

  async #reload(reason: Error, { after, stepMs }: { after: string; stepMs: number }): Promise<void> {
    const { log } = this.#parts;
    for (let waitMs = RELOAD_MS;; waitMs = Math.min(RELOAD_MAX_MS, 2 * waitMs)) {
      try {
        const fresh = await this.#loadAnew(stepMs);
        this.#shard.free();
        this.#shard = fresh;
        this.#problem = "";
        return;
      } catch (error) {
        if (error instanceof OwnerLost) return this.#abandon(error);
        this.#problem = `Loading shard ${this.#index} after ${after}: ${String(error)}; trying again.`;
        log.error("loading the shard failed", { shard: this.#index, error: String(error), retryInMs: waitMs });
        // Whoever waits hears of it: it may last.
        this.#rejectWaiting(error instanceof Error ? error : new Error(String(error)));
      }
      if (this.#leaving.signal.aborted) return this.#abandon(reason);
      await this.#parts.clock.sleep(waitMs, this.#leaving.signal);
    }
  }

  /**
   * A commit whose fate is unknown may be on its way to the store still: its number is taken here, so that it is refused
   * when it comes, and what is in RAM stays true.
   */
  async #loadAnew(stepMs: number): Promise<Shard> {
    const { store } = this;
    const aheadMs = (this.#owning?.aheadMs ?? 0) + stepMs;
    const aheadAfterMs = stepMs > 0 ? 0 : this.#owning?.aheadAfterMs;
    const options = { index: this.#index, store, isStart: false, copies: this.#copies, aheadMs, aheadAfterMs };
    const loading = loadShard(this.#parts, options);
    const owning = this.#owning;
    const fresh = owning === undefined
      ? await loading
      : await whileBeating(loading, { parts: this.#parts, store, owning });
    try {
      if (stepMs > 0) keepStarts(fresh, this.#parts.clock.wallMs());
      await store.commit(fresh.batch.build(fresh.batchSeq + 1, this.#parts.clock.wallMs()));
    } catch (error) {
      fresh.free();
      throw error;
    }
    fresh.nextBatch();
    return fresh;
  }

  #abandon(reason: Error): void {
    this.#isClosed = true;
    this.#problem = `Shard ${this.#index} stopped: ${reason.message}`;
    this.#parts.log.error("the shard stopped", { shard: this.#index, error: reason.message });
    this.#rejectWaiting(reason);
    this.#owning?.onLost(this, this.#problem);
  }

  #rejectWaiting(reason: Error): void {
    this.#urgent = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }
}

/** A large shard takes longer to load than an owner may be silent. */
async function whileBeating(
  loading: Promise<Shard>,
  { parts, store, owning }: { readonly parts: FrontierParts; readonly store: ShardStore; readonly owning: Owning },
): Promise<Shard> {
  const done = new AbortController();
  const beat = async () => {
    while (!done.signal.aborted) {
      await parts.clock.sleep(owning.beatMs, done.signal);
      // Whoever lost the shard meanwhile is told by the first commit.
      if (!done.signal.aborted) await store.beat(parts.clock.wallMs()).catch(() => {});
    }
  };
  const beating = beat();
  try {
    return await loading;
  } finally {
    done.abort();
    await beating;
  }
}
