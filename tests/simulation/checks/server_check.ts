/**
 * Watches requests as their servers see them: who may start, how far apart, and with what verdict of robots.txt.
 * Invariant: the only starts that are let off are those of an edge that was suspended while its lease ran out, and of
 * these no more than confirmMs has room for.
 */

import { type FailureClass, FAILURES, type HostKey, LIMITS, type Outcome } from "../../../protocol/mod.ts";
import type { Process } from "../machine.ts";
import { CRAWL_DELAY_S, type HostPlan } from "../web_plan.ts";
import type { CommitCheck, KnownLease } from "./commit_check.ts";
import type { Verdict } from "./verdict.ts";
import { type Flight, WindowCheck, type WindowLimit } from "./window_check.ts";

/** Clocks of whole milliseconds stand between two machines. */
const ROUNDING_MS = 1;
/** How long after its time a verdict may be used: it was fresh when its lease began. */
const VERDICT_SLACK_MS = 2 * LIMITS.leaseMs;

export interface ServerRules {
  readonly delayMs: number;
  readonly robotsTtlMs: number;
  /** Crawls may ask while an answer is awaited: then the gap is counted from sending, and the way's jitter shows (ADR 6). */
  readonly isParallel: boolean;
  readonly host: WindowLimit;
  readonly domain: WindowLimit;
  readonly address: WindowLimit;
  readonly now: () => number;
}

/** A request as its server sees it; `holder` is the same object for all requests of one lease. */
export interface Asking {
  readonly host: HostPlan;
  readonly url: string;
  readonly by: Process;
  readonly holder: object;
}

interface Start {
  readonly at: number;
  readonly lease: KnownLease | undefined;
}

interface HostView {
  last: Start | undefined;
  /** Of the robots.txt that was asked for last: virtual ms of its good answer; undefined = none yet, or it failed. */
  verdictAt: number | undefined;
  /** The coordinator knows of its Crawl-delay. */
  isSlow: boolean;
  /** Leases that were granted from `troubledSince` on start nothing before: a failure that was acknowledged asked for it. */
  quietUntil: number;
  troubledSince: number;
  /** When that failure was reported: successes behind it in the same report count already. */
  troubleCameAt: number;
  /** Successes that back-off still has to see before it may end; 0 = no back-off. */
  backingOff: number;
  policyMs: number;
  policySince: number;
}

export class ServerCheck {
  readonly #verdict: Verdict;
  readonly #commits: CommitCheck;
  readonly #rules: ServerRules;
  readonly #hosts = new Map<HostKey, HostView>();
  /** Leases that were handed to a process, by host, in order. */
  readonly #held = new WeakMap<Process, Map<HostKey, string[]>>();
  readonly #leaseOfHolder = new WeakMap<object, string>();
  readonly #taken = new Set<string>();
  /** Edges that stood still since they started. */
  readonly #suspended = new WeakSet<Process>();
  readonly #flights = new Set<Flight>();
  /** Requests that they started under leases that were lost. */
  readonly #stale = new Map<string, number>();
  /** When the report of a lease's target first arrived; it may have been applied then or later. */
  readonly #reported = new Set<string>();
  readonly #arrivals = new Map<string, number>();
  staleStarts = 0;
  starts = 0;
  readonly #perHost: WindowCheck;
  readonly #perDomain: WindowCheck;
  readonly #perAddress: WindowCheck;

  constructor(verdict: Verdict, commits: CommitCheck, rules: ServerRules) {
    this.#verdict = verdict;
    this.#commits = commits;
    this.#rules = rules;
    this.#perHost = new WindowCheck(verdict, "host", rules.host);
    this.#perDomain = new WindowCheck(verdict, "domain", rules.domain);
    this.#perAddress = new WindowCheck(verdict, "address", rules.address);
  }

  #of(host: HostKey): HostView {
    let view = this.#hosts.get(host);
    if (view === undefined) {
      view = {
        last: undefined,
        verdictAt: undefined,
        isSlow: false,
        quietUntil: 0,
        troubledSince: Infinity,
        troubleCameAt: Infinity,
        backingOff: 0,
        policyMs: 0,
        policySince: Infinity,
      };
      this.#hosts.set(host, view);
    }
    return view;
  }

  /** The edge stands still: it can't hang up on a server that is silent, and isn't blamed for it. */
  suspends(process: Process): void {
    this.#suspended.add(process);
    for (const flight of this.#flights) if (flight.by === process) flight.isOver = true;
  }

  /** The edge has a lease of the host in its hands. */
  holds(process: Process, host: HostKey, leaseId: string): void {
    let held = this.#held.get(process);
    if (held === undefined) this.#held.set(process, held = new Map());
    held.set(host, [...held.get(host) ?? [], leaseId]);
  }

  /**
   * Under which of its leases of the host an edge asks. An edge that was suspended may have two in its hands: the holder
   * that a request names is new with each, and the oldest lease that isn't over is taken to be its.
   */
  #leaseOf(by: Process, host: HostKey, holder: object): KnownLease | undefined {
    let leaseId = this.#leaseOfHolder.get(holder);
    if (leaseId === undefined) {
      const free = (this.#held.get(by)?.get(host) ?? []).filter((id) => !this.#taken.has(id));
      leaseId = free.find((id) => this.#commits.leases.get(id)?.endedAt === undefined) ?? free.at(-1);
      if (leaseId === undefined) return undefined;
      this.#leaseOfHolder.set(holder, leaseId);
      this.#taken.add(leaseId);
    }
    return this.#commits.leases.get(leaseId);
  }

  /** The edge holds a lease that stands. */
  isBusy(process: Process): boolean {
    for (const ids of this.#held.get(process)?.values() ?? []) {
      const lease = this.#commits.leases.get(ids.at(-1)!);
      if (lease !== undefined && lease.endedAt === undefined) return true;
    }
    return false;
  }

  /** A request arrives; what is returned is to be called when it is over. */
  started({ host, url, by, holder }: Asking): () => void {
    const now = this.#rules.now();
    const view = this.#of(host.name);
    const flight: Flight = { at: now, by, isOver: false };
    const over = () => {
      flight.isOver = true;
      this.#flights.delete(flight);
    };
    this.#flights.add(flight);
    this.starts++;
    const isHop = url.includes("/robots-of-");
    const lease = isHop ? undefined : this.#leaseOf(by, host.name, holder);
    if (lease?.endedAt !== undefined) {
      this.#lateStart(url, by, lease);
      return over;
    }
    // Its permit may have run out meanwhile: it counts among the stale requests of its suspended edge.
    if (isHop && this.#suspended.has(by)) return over;
    this.#verdict.expect(isHop || lease !== undefined, () => `${by.name} asked for ${url} without a lease`);
    this.#checkGap(view, { at: now, lease }, { host, url });
    this.#checkWindows(host, flight);
    view.last = { at: now, lease };
    if (url.endsWith("/robots.txt")) view.verdictAt = undefined;
    else if (!isHop) this.#checkRobots(view, host, url);
    return over;
  }

  #checkWindows(host: HostPlan, flight: Flight): void {
    const jitterMs = this.#rules.isParallel ? host.latencyMs[1] - host.latencyMs[0] : 0;
    const toleranceMs = ROUNDING_MS + jitterMs;
    this.#perHost.started(host.name, flight, toleranceMs);
    this.#perDomain.started(host.domain, flight, toleranceMs);
    this.#perAddress.started(host.address, flight, toleranceMs);
  }

  /** Promise 2: a suspended edge may start at most confirmMs worth of stale requests. */
  #lateStart(url: string, by: Process, { row }: KnownLease): void {
    this.#verdict.expect(
      this.#suspended.has(by),
      () => `${by.name} asked for ${url} under lease ${row.epoch}, which is over`,
    );
    const count = (this.#stale.get(row.leaseId) ?? 0) + 1;
    this.#stale.set(row.leaseId, count);
    this.staleStarts++;
    const most = 1 + Math.ceil(LIMITS.confirmMs / this.#rules.delayMs);
    this.#verdict.expect(count <= most, () => `${by.name} made ${count} requests of ${row.host} under a lost lease`);
  }

  #checkGap(view: HostView, start: Start, { host, url }: { host: HostPlan; url: string }): void {
    const { last } = view;
    const { delayMs } = this.#rules;
    const isNew = (start.lease?.since ?? -1) >= view.troubledSince;
    this.#verdict.expect(
      !isNew || start.at >= view.quietUntil - ROUNDING_MS,
      () => `${url} was asked for ${Math.round(view.quietUntil - start.at)} ms before its host's back-off was over`,
    );
    if (last === undefined) return;
    const bothPolicy = [last, start].every(({ lease }) => (lease?.since ?? -1) >= view.policySince);
    const wanted = Math.max(
      delayMs,
      view.isSlow ? CRAWL_DELAY_S * 1000 : 0,
      view.backingOff > 0 && isNew ? LIMITS.backoffMs : 0,
      bothPolicy ? view.policyMs : 0,
    );
    const gap = start.at - last.at;
    const isShared = this.#rules.isParallel && last.lease === start.lease;
    const jitterMs = isShared ? host.latencyMs[1] - host.latencyMs[0] : 0;
    this.#verdict.expect(
      gap >= wanted - jitterMs - ROUNDING_MS,
      () => `${url} was asked for ${gap} ms after its host's last request; ${wanted} ms are wanted`,
    );
  }

  /** Promise 7: no verdict, no fetch; and what is forbidden isn't fetched. */
  #checkRobots(view: HostView, host: HostPlan, url: string): void {
    const { verdictAt } = view;
    this.#verdict.expect(verdictAt !== undefined, () => `${url} was asked for without a verdict of robots.txt`);
    const age = this.#rules.now() - (verdictAt ?? 0);
    this.#verdict.expect(
      age <= this.#rules.robotsTtlMs + VERDICT_SLACK_MS,
      () => `${url} was asked for by a robots.txt that was fetched ${age} ms ago`,
    );
    this.#verdict.expect(
      host.robots === "none" || !url.includes("/private/"),
      () => `${url} was asked for though robots.txt forbids it`,
    );
  }

  /** An edge has the answer. */
  answered(url: string, status: number, by: Process): void {
    const { hostname, pathname } = new URL(url);
    const of = pathname.startsWith("/robots-of-")
      ? pathname.slice(11)
      : pathname === "/robots.txt"
      ? hostname
      : undefined;
    const isVerdict = status < 300 || (status >= 400 && status < 500 && status !== 429);
    const leaseId = of === undefined ? undefined : this.#held.get(by)?.get(of)?.at(-1);
    if (of === undefined || !isVerdict || this.#commits.leases.get(leaseId ?? "")?.endedAt !== undefined) return;
    this.#of(of).verdictAt = this.#rules.now();
  }

  policy(host: HostKey, delayMs: number): void {
    const view = this.#of(host);
    view.policyMs = delayMs;
    view.policySince = this.#rules.now();
  }

  /** An outcome reaches the coordinator: it may count from now on. `name` is that of its lease and target. */
  reported(host: HostKey, name: string, outcome: Outcome): void {
    const view = this.#of(host);
    if (!this.#reported.has(name)) this.#arrivals.set(name, this.#rules.now());
    this.#reported.add(name);
    if (view.backingOff > 0 && isSuccess(outcome)) view.backingOff--;
  }

  /** The coordinator acknowledged it; what it was told twice counts from the first time. */
  acknowledged(host: HostKey, name: string, outcome: Outcome): void {
    const arrivedAt = this.#arrivals.get(name);
    if (arrivedAt === undefined) return;
    this.#arrivals.delete(name);
    const view = this.#of(host);
    if (outcome.status === "robots" && outcome.crawl_delay_ms !== undefined) view.isSlow = true;
    if (view.troubleCameAt === arrivedAt && view.backingOff > 0 && isSuccess(outcome)) view.backingOff--;
    const failure = failureOf(outcome);
    if (failure === undefined || FAILURES[failure].backoff !== "always") return;
    const askedMs = "retry_after_ms" in outcome ? outcome.retry_after_ms ?? 0 : 0;
    view.quietUntil = Math.max(view.quietUntil, arrivedAt + Math.max(LIMITS.backoffMs, askedMs));
    view.troubledSince = this.#rules.now();
    view.troubleCameAt = arrivedAt;
    view.backingOff = LIMITS.backoffHalvesAfter;
  }
}

function isSuccess(outcome: Outcome): boolean {
  if (outcome.status === "robots") return outcome.class !== "unreachable";
  return ["fetched", "redirected", "unchanged"].includes(outcome.status);
}

function failureOf(outcome: Outcome): FailureClass | undefined {
  if (outcome.status === "failed") return outcome.failure;
  return outcome.status === "robots" && outcome.class === "unreachable" ? outcome.failure : undefined;
}
