/**
 * The addresses that one shard owns (by the slot of their group): which leases hold a permit for them.
 * Invariant: a permit is in the address' row before it is answered; it ends by its return or by its time.
 */

import type { AddressRow } from "../../group_ports.ts";
import type { LeaseId } from "../../../protocol/mod.ts";
import type { FrontierLimits } from "../settings.ts";
import { type Ending, StartGroups } from "./start_groups.ts";
import {
  type GrantedPart,
  type GroupLimit,
  type Holding,
  startsInWindow,
  windowMs,
  type Wish,
} from "./start_window.ts";

/**
 * Begins the names of parts that are kept free for a lease whose edge has yet to ask: of this process only, so that one
 * lease request doesn't send more hosts to an address than it can take.
 */
const PROMISED = "promised:";

export class AddressBook {
  readonly limit: GroupLimit;
  readonly #groups: StartGroups;
  /** Addresses with a row in the store, with their slots, and those of them whose permits are all over. */
  readonly #stored = new Map<string, number>();
  readonly #finished = new Set<string>();

  constructor(limits: FrontierLimits, onOpen: (group: string) => void) {
    this.limit = { inFlight: limits.ipInFlight, gapMs: limits.ipGapMs };
    this.#groups = new StartGroups({
      limitOf: () => this.limit,
      onOpen,
      onEmpty: (group) => this.#finished.add(group),
    });
  }

  /** The part that `wish` gets at `now`, undefined when the address is full. */
  offer(group: string, wish: Wish, now: number): GrantedPart | undefined {
    return this.#groups.offer(group, wish, now);
  }

  /** What the lease holds already, for a wish that asks for no more; undefined when it holds nothing like it. */
  renewed(group: string, leaseId: LeaseId, wish: Wish): GrantedPart | undefined {
    const held = this.#groups.holding(group, leaseId);
    if (held === undefined) return undefined;
    const { starts, parallel } = held;
    const gapMs = starts > 0 ? Math.max(wish.gapMs, windowMs(this.limit) / starts) : wish.gapMs;
    return { starts, parallel, gapMs };
  }

  promise(group: string, leaseId: LeaseId, part: GrantedPart, until: number): void {
    this.#hold(group, PROMISED + leaseId, part, until);
  }

  /** The lease is over: what it was promised and didn't ask for is free. */
  forget(group: string, leaseId: LeaseId): void {
    if (this.#groups.has(group, PROMISED + leaseId)) this.#groups.drop(group, PROMISED + leaseId);
  }

  /** Permits requests under the lease until `until`, wall ms. */
  permit(group: string, leaseId: LeaseId, part: GrantedPart, until: number): void {
    this.#hold(group, leaseId, part, until);
  }

  release(group: string, leaseId: LeaseId, ending: Ending): void {
    this.#groups.release(group, leaseId, ending);
  }

  has(group: string, leaseId: LeaseId): boolean {
    return this.#groups.has(group, leaseId);
  }

  #hold(group: string, holder: string, part: GrantedPart, until: number): void {
    const starts = startsInWindow(this.limit, part.gapMs);
    this.#groups.hold(group, holder, { starts, parallel: part.parallel, startsUntil: until, parallelUntil: until });
  }

  /** `permits` in the order in which they were given. */
  row(slot: number, address: string): AddressRow {
    const permits: AddressRow["permits"][number][] = [];
    for (const [leaseId, holding] of this.#groups.holders(address)) {
      if (!leaseId.startsWith(PROMISED)) permits.push({ leaseId, ...kept(holding) });
    }
    this.#stored.set(address, slot);
    return { slot, address, permits };
  }

  /** Rows that say nothing any more, to be deleted; at most `most`. */
  takeFinished(most: number): AddressRow[] {
    const rows: AddressRow[] = [];
    for (const address of this.#finished) {
      if (rows.length === most) break;
      this.#finished.delete(address);
      const slot = this.#stored.get(address);
      if (slot === undefined) continue;
      const row = this.row(slot, address);
      if (row.permits.length > 0) continue;
      this.#stored.delete(address);
      rows.push(row);
    }
    return rows;
  }

  load({ slot, address, permits }: AddressRow): void {
    this.#stored.set(address, slot);
    for (const { leaseId, ...holding } of permits) this.#groups.hold(address, leaseId, holding);
  }

  room(group: string, now: number): number {
    return this.#groups.room(group, now);
  }

  tick(now: number): void {
    this.#groups.tick(now);
  }

  nextOpenAt(): number {
    return this.#groups.nextOpenAt();
  }
}

/** As a row keeps it: finite numbers. */
function kept({ starts, parallel, startsUntil, parallelUntil }: Holding): Holding {
  return { starts, parallel, startsUntil: Math.max(0, startsUntil), parallelUntil: Math.max(0, parallelUntil) };
}
