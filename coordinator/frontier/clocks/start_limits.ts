/**
 * The two limits beside a host's own clock - its registered domain's and its address' - as a lease meets them.
 * Invariant: a lease of a polite crawl is granted only with a part of its domain, and of the address that its host had
 * last, where that has room; hosts that find one full are parked there and come out when it opens.
 */

import type { HostState, LeaseState } from "../host_state.ts";
import type { Shard } from "../shard.ts";
import type { Ending } from "./start_groups.ts";
import type { GrantedPart } from "./start_window.ts";

export interface Pace {
  readonly gapMs: number;
  readonly maxParallel: number;
}

/** The pace that domain and address leave of `wish`; undefined when one of them is full: then the host is parked. */
export function offeredPace(shard: Shard, host: HostState, wish: Pace, now: number): Pace | undefined {
  const { domain } = host;
  const rivals = shard.parkedAtDomain.count(domain);
  const part = shard.domains.offer(domain, { gapMs: wish.gapMs, parallel: wish.maxParallel, rivals }, now);
  if (part === undefined) {
    shard.parkedAtDomain.park(domain, host);
    // It may have room that is kept for another.
    shard.parkedAtDomain.opened(domain);
    return undefined;
  }
  const pace = { gapMs: part.gapMs, maxParallel: part.parallel };
  const owner = ownerOfAddress(shard, host.address);
  if (owner === undefined) return pace;
  // Its edge would ask for a permit in vain.
  const isMoving = owner.marks.has(shard.parts.addresses.placeOf(host.address).slot);
  const shared = isMoving ? undefined : owner.addresses.offer(host.address, {
    gapMs: pace.gapMs,
    parallel: pace.maxParallel,
    rivals: shard.parkedAtAddress.count(host.address),
  }, now);
  if (shared === undefined) {
    shard.parkedAtAddress.park(host.address, host);
    return undefined;
  }
  return { gapMs: shared.gapMs, maxParallel: shared.parallel };
}

/** Takes the lease's part of its domain, and keeps one of the host's address free until its edge asks for it. */
export function takeParts(shard: Shard, lease: LeaseState): void {
  if (!lease.isPolite) return;
  const { host } = lease;
  shard.domains.lease(host.domain, lease);
  const owner = ownerOfAddress(shard, host.address);
  if (owner === undefined) return;
  const part: GrantedPart = { gapMs: lease.gapMs, parallel: lease.maxParallel, starts: 0 };
  owner.addresses.promise(host.address, lease.leaseId, part, lease.expiresAt);
  lease.promisedAddress = host.address;
}

/** The lease is over; what its edge got of an address is given back by the edge itself, or ends by its time. */
export function returnParts(shard: Shard, lease: LeaseState, ending: Ending): void {
  if (!lease.isPolite) return;
  shard.domains.endLease(lease.host.domain, lease.leaseId, ending);
  ownerOfAddress(shard, lease.promisedAddress)?.addresses.forget(lease.promisedAddress, lease.leaseId);
}

/** The shard of this process that keeps the clock of `address`; undefined when it has none, or is another's. */
function ownerOfAddress(shard: Shard, address: string): Shard | undefined {
  if (address === "") return undefined;
  const place = shard.parts.addresses.placeOf(address);
  return place.isExempt ? undefined : shard.parts.shards[place.shard];
}

/** Hosts that waited for their domain or address may try again. */
export function freeParked(shard: Shard, now: number): void {
  shard.domains.tick(now);
  for (const host of shard.parkedAtDomain.takeFreed((domain) => shard.domains.room(domain, now))) {
    shard.reschedule(host, now);
  }
  if (shard.parkedAtAddress.isEmpty) return;
  for (const other of shard.parts.shards) other?.addresses.tick(now);
  const room = (address: string) => {
    const owner = ownerOfAddress(shard, address);
    if (owner?.marks.has(shard.parts.addresses.placeOf(address).slot)) return 0;
    return owner?.addresses.room(address, now) ?? Infinity;
  };
  for (const host of shard.parkedAtAddress.takeFreed(room)) shard.reschedule(host, now);
}

/** Wall ms at which a host that is parked may come out by time alone; Infinity = none is known. */
export function nextFreeAt(shard: Shard): number {
  let at = shard.parkedAtDomain.isEmpty ? Infinity : shard.domains.nextOpenAt();
  if (shard.parkedAtAddress.isEmpty) return at;
  for (const other of shard.parts.shards) at = Math.min(at, other?.addresses.nextOpenAt() ?? Infinity);
  return at;
}

export function isParked(shard: Shard, host: HostState): boolean {
  return shard.parkedAtDomain.isParked(host.domain, host) ||
    (host.address !== "" && shard.parkedAtAddress.isParked(host.address, host));
}
