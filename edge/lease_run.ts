/**
 * Works through one lease: its targets in order, at its pace, up to max_parallel requests in flight; answers are settled
 * beside the requests that follow. Invariant: every target is reported or handed back, and the lease is ended once.
 */

import { type Lease, LIMITS, type Outcome, type Target } from "../protocol/mod.ts";
import { faultSentence } from "./health/bugs.ts";
import { LeaseHold } from "./lease_hold.ts";
import { LeaseRobots } from "./lease_robots.ts";
import { settlePage } from "./page_outcome.ts";
import { captureName, crawlPage, type PageAnswer } from "./page_target.ts";
import type { EdgeParts } from "./parts.ts";
import { crawlRobots, unreadable } from "./robots_target.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** An archive that takes longer is one that the host needn't wait for. */
const SOON_MS = 500;

/** Resolves when the coordinator knows the end of the lease. Never rejects. */
export async function runLease(lease: Lease, parts: EdgeParts, sent: Stopwatch, stop: AbortSignal): Promise<void> {
  const run = new LeaseRun(lease, parts, sent, stop);
  try {
    await run.targets();
  } catch (error) {
    run.trouble(error);
  }
  await run.end();
}

class LeaseRun {
  readonly #lease: Lease;
  readonly #parts: EdgeParts;
  readonly #hold: LeaseHold;
  readonly #robots: LeaseRobots;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #settling = new Set<Promise<void>>();

  constructor(lease: Lease, parts: EdgeParts, sent: Stopwatch, stop: AbortSignal) {
    parts.busy.begin();
    this.#lease = lease;
    this.#parts = parts;
    this.#hold = new LeaseHold(lease, parts, sent, stop);
    this.#robots = new LeaseRobots(lease, parts, sent);
  }

  async targets(): Promise<void> {
    const pages = this.#lease.targets.filter((target) => target.kind !== "robots");
    for (const target of this.#lease.targets) {
      if (target.kind === "robots" && !this.#hold.over) await this.#robotsTarget(target);
    }
    for (const target of pages) {
      while (this.#inFlight.size >= this.#hold.maxParallel) await Promise.race(this.#inFlight);
      while (this.#settling.size >= this.#parts.settings.settlingPerLease) await Promise.race(this.#settling);
      if (this.#parts.backlog.isFull) this.#parts.archive.hurry?.();
      await this.#parts.backlog.room();
      if (this.#hold.over) break;
      if (this.#lease.max_parallel <= 1) await this.#page(target);
      else this.#track(this.#inFlight, this.#page(target));
    }
    await Promise.all(this.#inFlight);
  }

  async end(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
    if (this.#parts.busy.end()) this.#parts.archive.hurry?.();
    await this.#durable();
    await Promise.all([this.#hold.addresses.giveBack(), this.#hold.reporter.end(this.#hold.pace)]);
  }

  /** Waits for what isn't settled. Where that takes longer, the host is freed before, and the lease kept meanwhile. */
  async #durable(): Promise<void> {
    if (this.#settling.size === 0) return;
    const isSettled = async () => {
      while (this.#settling.size > 0) await Promise.all(this.#settling);
    };
    const settled = isSettled().finally(() => waiting.abort());
    const waiting = new AbortController();
    await this.#parts.clock.sleep(SOON_MS, waiting.signal);
    if (!waiting.signal.aborted) {
      await this.#hold.addresses.giveBack();
      await this.#hold.freeHost();
      await this.#hold.keepUntil(waiting.signal);
    }
    await settled;
  }

  /** This machine's fault: the rest goes back, nothing loses an attempt. */
  trouble(error: unknown): void {
    this.#hold.endEarly();
    this.#parts.health.machineFailed(error instanceof Error ? error.message : String(error));
  }

  #track(set: Set<Promise<void>>, work: Promise<void>): void {
    const tracked: Promise<void> = work.catch((error) => this.trouble(error)).finally(() => set.delete(tracked));
    set.add(tracked);
  }

  async #robotsTarget(target: Target): Promise<void> {
    const outcome = await crawlRobots(target, this.#hold, this.#robots, this.#parts).catch((error) => {
      this.#blame(target, error);
      return unreadable(target, this.#robots);
    });
    if (outcome) this.#whenDurable(() => this.#report(target, outcome));
  }

  /** Throws `error` again, unless it is a fault of ours that this target brought to light. */
  #blame({ url }: Target, error: unknown): string {
    if (!this.#parts.health.bugs.isOfPage(error)) throw error;
    this.#parts.log.error("this is a bug", { url, error: String(error), stack: error.stack });
    return faultSentence(url, error);
  }

  /** What is told of a page that can't be worked on. It was asked for, as far as is known. */
  #faulty(target: Target, error: unknown): Outcome {
    const detail = this.#blame(target, error);
    return { target_id: target.target_id, status: "failed", failure: "scan_failed", detail, requests: 1 };
  }

  /** Reports at once where all that it rests on is durable. */
  #whenDurable(report: () => void): void {
    const { undurable } = this.#hold;
    if (undurable.isEmpty) report();
    else this.#track(this.#settling, undurable.all().then(report));
  }

  #report(target: Target, outcome: Outcome, acknowledged?: () => void): void {
    const { capture, http_code: httpCode, hops } = outcome;
    this.#hold.reporter.add(outcome, () => {
      acknowledged?.();
      if (capture === undefined || httpCode === undefined) return;
      const name = captureName(this.#hold, target, hops?.length ?? 0);
      const where = { crawlId: this.#lease.crawl.crawl_id, httpCode, url: target.url, captureName: name };
      this.#parts.payloads.acknowledged(where, capture);
    });
  }

  async #page(target: Target): Promise<void> {
    const page: PageAnswer = await crawlPage(target, this.#hold, this.#robots, this.#parts).catch((error) => ({
      kind: "outcome",
      outcome: this.#faulty(target, error),
    }));
    if (page.kind === "outcome") return this.#whenDurable(() => this.#report(target, page.outcome));
    if (page.kind !== "answer") return;
    const isOurs = this.#parts.health.judge(this.#lease.host, page.answered.answer);
    if (isOurs !== false && await isOurs) this.#handBack(target, page);
    else this.#settle(target, page);
  }

  /** This machine couldn't reach the host: the target has lost nothing, but what was sent counts. */
  #handBack({ target_id }: Target, { requests, hops }: Extract<PageAnswer, { kind: "answer" }>): void {
    this.#hold.endEarly();
    this.#hold.pace.forgetAnswer();
    const reason = `edge_unhealthy: ${this.#parts.health.sentence}`.slice(0, LIMITS.unhealthyChars);
    const outcome = { target_id, status: "deferred", reason, requests, hops } as const;
    this.#whenDurable(() => this.#hold.reporter.add(outcome));
  }

  #settle(target: Target, page: Extract<PageAnswer, { kind: "answer" }>): void {
    const { answered: { answer }, verdict } = page;
    if (!answer.ok) this.#hold.failed(answer.failure);
    else if (verdict?.kind === "failed") this.#hold.failed(verdict.failure, verdict.retryAfterMs);
    else this.#hold.succeeded();
    const bytes = answer.ok ? answer.body.length + answer.decoded.length : 0;
    const settling = settlePage({ target, ...page }, this.#hold, this.#parts).then((done) => {
      this.#parts.health.bugs.nothing();
      return done;
    }, (error) => ({ outcome: this.#faulty(target, error), acknowledged: undefined }));
    const settled = this.#parts.backlog.hold(bytes, settling);
    this.#track(
      this.#settling,
      settled.then(async ({ outcome, acknowledged }) => {
        if (!this.#hold.undurable.isEmpty) await this.#hold.undurable.all();
        this.#report(target, outcome, acknowledged);
      }),
    );
  }
}
