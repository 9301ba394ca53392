/**
 * The operator: creates the crawls, pauses, slows and resumes; asks again until there is an answer, as a person would.
 * Invariant: what was answered is remembered from that moment on, and forgotten before it is taken back; every order is
 * given again until it was answered.
 */

import { NotOwned } from "../../coordinator/owner_ports.ts";
import type { Coordinator } from "../../coordinator/ports.ts";
import type { CrawlId, HostKey } from "../../protocol/mod.ts";
import type { Chance } from "./chance.ts";
import type { CoordinatorMachine } from "./coordinator_machine.ts";
import type { CrawlPlan } from "./scenario.ts";
import type { Scheduler } from "./scheduler.ts";

/** Patience before an order is given again, ms. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 500;

export interface OperatorParts {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly coordinators: readonly CoordinatorMachine[];
  readonly onSlowed: (host: HostKey, delayMs: number) => void;
  readonly onError: (error: Error) => void;
}

export class Operator {
  readonly #parts: OperatorParts;
  readonly pausedHosts = new Set<HostKey>();
  readonly pausedCrawls = new Set<CrawlId>();
  /** Hosts and crawls that may be paused, answered or not. */
  readonly #touchedHosts = new Set<HostKey>();
  readonly #touchedCrawls = new Set<CrawlId>();
  /** The last order on a host or crawl. */
  readonly #last = new Map<string, Promise<void>>();
  #open = 0;
  #isHealing = false;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  /** No order waits for its answer. */
  get isIdle(): boolean {
    return this.#open === 0;
  }

  createCrawl({ id, spec }: CrawlPlan): void {
    this.#order(id, (coordinator) => coordinator.createCrawl(id, spec), () => {});
  }

  pauseHost(host: HostKey, ms: number): void {
    this.#touchedHosts.add(host);
    this.#order(host, (coordinator) => coordinator.setHostPolicy(host, { paused: true }), () => {
      if (this.#isHealing || !this.#touchedHosts.has(host)) return this.#resumeHost(host);
      this.pausedHosts.add(host);
      this.#parts.scheduler.plan({ afterMs: ms }, () => this.#resumeHost(host));
    });
  }

  pauseCrawl(crawlId: CrawlId, ms: number): void {
    this.#touchedCrawls.add(crawlId);
    this.#order(crawlId, (coordinator) => coordinator.setCrawlState(crawlId, "paused"), (row) => {
      if (this.#isHealing || !this.#touchedCrawls.has(crawlId)) return this.#resumeCrawl(crawlId);
      if (row?.state === "paused") this.pausedCrawls.add(crawlId);
      this.#parts.scheduler.plan({ afterMs: ms }, () => this.#resumeCrawl(crawlId));
    });
  }

  slowHost(host: HostKey, delayMs: number): void {
    this.#order(
      host,
      (coordinator) => coordinator.setHostPolicy(host, { minDelayMs: delayMs }),
      () => this.#parts.onSlowed(host, delayMs),
    );
  }

  resumeAll(): void {
    this.#isHealing = true;
    for (const host of this.#touchedHosts) this.#resumeHost(host);
    for (const crawlId of this.#touchedCrawls) this.#resumeCrawl(crawlId);
  }

  #resumeHost(host: HostKey): void {
    this.pausedHosts.delete(host);
    this.#touchedHosts.delete(host);
    this.#order(host, (coordinator) => coordinator.setHostPolicy(host, { paused: false }), () => {});
  }

  #resumeCrawl(crawlId: CrawlId): void {
    this.pausedCrawls.delete(crawlId);
    this.#touchedCrawls.delete(crawlId);
    this.#order(crawlId, (coordinator) => coordinator.setCrawlState(crawlId, "running"), () => {});
  }

  /** Asks one coordinator, then those that it sends to; undefined = no answer. */
  async #ask<T>(give: (coordinator: Coordinator) => Promise<T>): Promise<{ readonly value: T } | undefined> {
    const { scheduler, chance, coordinators, onError } = this.#parts;
    const first = coordinators.length === 1 ? 0 : chance.below(coordinators.length);
    for (let turn = 0; turn < coordinators.length; turn++) {
      const running = coordinators[(first + turn) % coordinators.length]!.running;
      if (running === undefined) continue;
      let isElsewhere = false;
      const given = async () => await give(running.verbs);
      const answer = given().then((value) => ({ value }), (error) => {
        onError(error);
        isElsewhere = error instanceof NotOwned;
        return undefined;
      });
      const found = await Promise.race([answer, scheduler.wait({ afterMs: PATIENCE_MS })]);
      if (found !== undefined || !isElsewhere) return found ?? undefined;
    }
    return undefined;
  }

  /**
   * Until one answer has come. An order whose answer was lost is given again, which must do no harm. Orders on one subject
   * are given one after the other, or the later one might be overtaken.
   */
  #order<T>(subject: string, give: (coordinator: Coordinator) => Promise<T>, answered: (answer: T) => void): void {
    this.#open++;
    const before = this.#last.get(subject);
    const insist = async () => {
      await before;
      for (;;) {
        const found = await this.#ask(give);
        if (found !== undefined) return found.value;
        await this.#parts.scheduler.wait({ afterMs: PAUSE_MS });
      }
    };
    const done = insist().then((value) => {
      this.#open--;
      answered(value);
    });
    this.#last.set(subject, done);
  }
}
