/**
 * The registered domains of one shard: what an operator said of them, and who may ask their hosts.
 * Invariant: the stricter of default and policy holds; requests by permit and policies are in the domain's row, so they
 * survive a crash; what leases hold is told by the leases' own rows.
 */

import { type DomainRow, hasDomainPolicy } from "../../group_ports.ts";
import type { FrontierLimits } from "../settings.ts";
import { type Ending, StartGroups } from "./start_groups.ts";
import {
  type GrantedPart,
  type GroupLimit,
  type Holding,
  limitWithin,
  startsInWindow,
  windowMs,
  type Wish,
} from "./start_window.ts";

/** An operator's word on a whole registered domain. */
export interface DomainPolicy {
  /** Mean gap between two starts on any of its hosts, ms; 0 takes an earlier policy back. */
  readonly minDelayMs?: number;
  /** Most requests at once on all its hosts; 0 takes an earlier policy back. */
  readonly maxParallel?: number;
  readonly paused?: boolean;
  /** Not empty: nothing of it is leased, for this reason; "" unblocks. */
  readonly blockedReason?: string;
}

/** Begins the names of holders that are requests by permit: they are kept in the domain's row. */
const VISIT = "visit:";
const AFTER_START = "after a restart";

export class DomainBook {
  readonly #limits: FrontierLimits;
  readonly #groups: StartGroups;
  /** Full domains that a request by permit waits for, and until when (wall ms) the next part is kept for it. */
  readonly #awaited = new Map<string, number>();
  /** Domains with a policy. */
  readonly #policies = new Map<string, DomainRow>();
  /** Domains with a row in the store, and those of them whose visits are all over. */
  readonly #stored = new Map<string, number>();
  readonly #finished = new Set<string>();

  constructor(limits: FrontierLimits, onOpen: (domain: string) => void) {
    this.#limits = limits;
    this.#groups = new StartGroups({
      limitOf: (domain) => this.limitOf(domain),
      onOpen,
      onEmpty: (domain) => this.#finished.add(domain),
    });
  }

  limitOf(domain: string): GroupLimit {
    const { domainInFlight, domainGapMs, fetchWallMs } = this.#limits;
    const { policyMaxParallel = 0, policyDelayMs = 0 } = this.#policies.get(domain) ?? {};
    const inFlight = policyMaxParallel > 0 ? Math.min(policyMaxParallel, domainInFlight) : domainInFlight;
    return limitWithin(fetchWallMs, { inFlight, gapMs: Math.max(domainGapMs, policyDelayMs) });
  }

  /** Why nothing of the domain may be leased; "" = it may. */
  stopReason(domain: string): string {
    const policy = this.#policies.get(domain);
    if (policy === undefined) return "";
    return policy.paused ? "paused by an operator" : policy.blockedReason;
  }

  offer(domain: string, wish: Wish, now: number): GrantedPart | undefined {
    const isAwaited = (this.#awaited.get(domain) ?? 0) > now;
    if (isAwaited && this.#groups.room(domain, now) < 2) return undefined;
    return this.#groups.offer(domain, wish, now);
  }

  /** True when a request by permit finds room; false: the next part is kept for it until `keepUntil`. */
  admitsVisit(domain: string, now: number, keepUntil: number): boolean {
    const hasRoom = this.#groups.room(domain, now) >= 1;
    if (hasRoom) this.#awaited.delete(domain);
    else this.#awaited.set(domain, keepUntil);
    return hasRoom;
  }

  /** A lease is out, with this gap and so many requests at once. */
  lease(
    domain: string,
    lease: { readonly leaseId: string; readonly gapMs: number; readonly maxParallel: number },
  ): void {
    const starts = startsInWindow(this.limitOf(domain), lease.gapMs);
    const until = { startsUntil: Infinity, parallelUntil: Infinity };
    this.#groups.hold(domain, lease.leaseId, { starts, parallel: lease.maxParallel, ...until });
  }

  endLease(domain: string, leaseId: string, ending: Ending): void {
    this.#groups.release(domain, leaseId, ending);
  }

  /** One request by permit, which starts no later than `startBy`. Returns the row that makes it durable. */
  visit(place: { readonly slot: number; readonly domain: string }, visitId: string, startBy: number): DomainRow {
    const { domain } = place;
    const startsUntil = startBy + windowMs(this.limitOf(domain));
    const parallelUntil = startBy + this.#limits.fetchWallMs;
    this.#groups.hold(domain, VISIT + visitId, { starts: 1, parallel: 1, startsUntil, parallelUntil });
    return this.#stores(this.row(place));
  }

  /** The request is over, or was never made: what may have been started counts still. Returns the row that makes it durable. */
  visitOver(place: { readonly slot: number; readonly domain: string }, visitId: string): DomainRow | undefined {
    const held = this.#groups.holding(place.domain, VISIT + visitId);
    if (held === undefined) return undefined;
    this.#groups.hold(place.domain, VISIT + visitId, { ...held, parallelUntil: 0 });
    return this.#stores(this.row(place));
  }

  /** Changes the policy; returns the row that makes it durable. */
  setPolicy(place: { readonly slot: number; readonly domain: string }, change: DomainPolicy): DomainRow {
    const before = this.row(place);
    const windowBefore = windowMs(this.limitOf(place.domain));
    const policy: DomainRow = {
      ...before,
      policyDelayMs: change.minDelayMs === undefined ? before.policyDelayMs : orNone(change.minDelayMs),
      policyMaxParallel: change.maxParallel === undefined ? before.policyMaxParallel : orNone(change.maxParallel),
      paused: change.paused ?? before.paused,
      blockedReason: change.blockedReason ?? before.blockedReason,
    };
    if (hasDomainPolicy(policy)) this.#policies.set(place.domain, policy);
    else this.#policies.delete(place.domain);
    this.#finished.add(place.domain);
    this.#lengthen(place.domain, windowMs(this.limitOf(place.domain)) - windowBefore);
    return this.#stores(this.row(place));
  }

  /** What was started lately counts in the longer window too. Leases that are out are held anew by the caller. */
  #lengthen(domain: string, byMs: number): void {
    if (byMs <= 0) return;
    for (const [holder, holding] of this.#groups.holders(domain)) {
      if (holding.startsUntil === Infinity) continue;
      this.#groups.hold(domain, holder, { ...holding, startsUntil: holding.startsUntil + byMs });
    }
  }

  #stores(row: DomainRow): DomainRow {
    this.#stored.set(row.domain, row.slot);
    return row;
  }

  /** Rows that say nothing any more, to be deleted: without policy and visits. */
  takeFinished(): DomainRow[] {
    const rows: DomainRow[] = [];
    for (const domain of this.#finished) {
      const slot = this.#stored.get(domain);
      const row = slot === undefined ? undefined : this.row({ slot, domain });
      if (row === undefined || hasDomainPolicy(row) || row.visits.length > 0) continue;
      this.#stored.delete(domain);
      rows.push(row);
    }
    this.#finished.clear();
    return rows;
  }

  row(place: { readonly slot: number; readonly domain: string }): DomainRow {
    const { slot, domain } = place;
    const visits: DomainRow["visits"][number][] = [];
    for (const [holder, { startsUntil, parallelUntil }] of this.#groups.holders(domain)) {
      if (holder.startsWith(VISIT)) visits.push({ id: holder.slice(VISIT.length), startsUntil, parallelUntil });
    }
    return { ...(this.#policies.get(domain) ?? noPolicy(slot, domain)), visits };
  }

  load(row: DomainRow): void {
    this.#stores(row);
    if (hasDomainPolicy(row)) this.#policies.set(row.domain, row);
    for (const { id, startsUntil, parallelUntil } of row.visits) {
      this.#groups.hold(row.domain, VISIT + id, { starts: 1, parallel: 1, startsUntil, parallelUntil });
    }
  }

  /**
   * A host of the domain may have started requests until `lastStartAt`, under leases that ended before the crash:
   * nobody knows how many, so the domain's window counts as full.
   */
  startedBefore(domain: string, lastStartAt: number, now: number): void {
    const limit = this.limitOf(domain);
    const startsUntil = lastStartAt + windowMs(limit);
    if (startsUntil <= now) return;
    for (const [holder, known] of this.#groups.holders(domain)) {
      if (holder === AFTER_START && known.startsUntil >= startsUntil) return;
    }
    const full: Holding = { starts: limit.inFlight, parallel: 0, startsUntil, parallelUntil: -Infinity };
    this.#groups.hold(domain, AFTER_START, full);
  }

  /** The slot's domains that have a row. */
  rowsOf(slot: number): DomainRow[] {
    const stored = [...this.#stored].filter(([, its]) => its === slot);
    return stored.map(([domain]) => this.row({ slot, domain }));
  }

  /** Another shard keeps the slot's domains from now on: `domains`, and those that have a row. */
  dropSlot(slot: number, domains: Iterable<string>): void {
    const own = new Set(domains);
    for (const [domain, stored] of this.#stored) if (stored === slot) own.add(domain);
    for (const domain of own) {
      this.#groups.forget(domain);
      for (const held of [this.#awaited, this.#policies, this.#stored, this.#finished]) held.delete(domain);
    }
  }

  room(domain: string, now: number): number {
    return this.#groups.room(domain, now);
  }

  tick(now: number): void {
    for (const [domain, until] of this.#awaited) if (until <= now) this.#awaited.delete(domain);
    this.#groups.tick(now);
  }

  nextOpenAt(): number {
    return this.#groups.nextOpenAt();
  }
}

function orNone(value: number): number {
  return value > 0 ? value : -1;
}

function noPolicy(slot: number, domain: string): DomainRow {
  return { slot, domain, policyDelayMs: -1, policyMaxParallel: -1, paused: false, blockedReason: "", visits: [] };
}
