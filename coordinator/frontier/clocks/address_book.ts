/**
 * The addresses that one shard owns (by the slot of their group): which leases hold a permit for them.
 * Invariant: a permit is in the address' row before it is answered; it ends by its return or by its time.
 */

import type { AddressRow } from "../../group_ports.ts";
import type { LeaseId, WorkerId } from "../../../protocol/mod.ts";
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

/**
 * Begins the names of parts that are kept free for a lease whose edge has yet to ask: of this process only, so that one
 * lease request doesn't send more hosts to an address than it can take.
 */
const PROMISED = "promised:";

/** Who holds a permit. */
export interface Holder {
  readonly leaseId: LeaseId;
  readonly workerId: WorkerId;
}

/** Neither has a space in it. */
const nameOf = ({ leaseId, workerId }: Holder): string => `${leaseId} ${workerId}`;

export class AddressBook {
  readonly limit: GroupLimit;
  readonly #groups: StartGroups;
  /** Addresses with a row in the store, with their slots, and those of them whose permits are all over. */
  readonly #stored = new Map<string, number>();
  readonly #finished = new Set<string>();

  constructor(limits: FrontierLimits, onOpen: (group: string) => void) {
    this.limit = limitWithin(limits.fetchWallMs, { inFlight: limits.ipInFlight, gapMs: limits.ipGapMs });
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

  /** What the holder has at `now`, for a wish that asks for no more; undefined when that is over, or was given back. */
  renewed(
    group: string,
    holder: Holder,
    { wish, now }: { readonly wish: Wish; readonly now: number },
  ): GrantedPart | undefined {
    const held = this.#groups.holding(group, nameOf(holder));
    if (held === undefined || held.startsUntil <= now || held.parallelUntil <= now) return undefined;
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
  permit(group: string, holder: Holder, part: GrantedPart, until: number): void {
    this.#hold(group, nameOf(holder), part, until);
  }

  /** False: the holder has nothing to give back. */
  release(group: string, holder: Holder, ending: Ending): boolean {
    if (!this.#groups.has(group, nameOf(holder))) return false;
    this.#groups.release(group, nameOf(holder), ending);
    return true;
  }

  /** The worker is dead: what it has started last may have been just now. Returns the rows that make it durable. */
  releaseAllOf(dead: WorkerId, now: number): AddressRow[] {
    const changed: AddressRow[] = [];
    for (const [address, slot] of this.#stored) {
      const its = this.row(slot, address).permits.filter(({ workerId }) => workerId === dead);
      for (const holder of its) this.release(address, holder, { startAt: now, parallelUntil: -Infinity });
      if (its.length > 0) changed.push(this.row(slot, address));
    }
    return changed;
  }

  #hold(group: string, holder: string, part: GrantedPart, until: number): void {
    const starts = startsInWindow(this.limit, part.gapMs);
    this.#groups.hold(group, holder, { starts, parallel: part.parallel, startsUntil: until, parallelUntil: until });
  }

  /** `permits` in the order in which they were given. */
  row(slot: number, address: string): AddressRow {
    const permits: AddressRow["permits"][number][] = [];
    for (const [name, holding] of this.#groups.holders(address)) {
      if (name.startsWith(PROMISED)) continue;
      const [leaseId, workerId] = name.split(" ", 2);
      permits.push({ leaseId: leaseId!, workerId: workerId!, ...kept(holding) });
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
    for (const permit of permits) {
      const { starts, parallel, startsUntil, parallelUntil } = permit;
      this.#groups.hold(address, nameOf(permit), { starts, parallel, startsUntil, parallelUntil });
    }
  }

  /** The slot's addresses that have a row. */
  rowsOf(slot: number): AddressRow[] {
    const stored = [...this.#stored].filter(([, its]) => its === slot);
    return stored.map(([address]) => this.row(slot, address));
  }

  /** Another shard keeps the slot's addresses from now on. */
  dropSlot(slot: number): void {
    for (const [address, stored] of this.#stored) {
      if (stored !== slot) continue;
      this.#groups.forget(address);
      this.#stored.delete(address);
      this.#finished.delete(address);
    }
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
