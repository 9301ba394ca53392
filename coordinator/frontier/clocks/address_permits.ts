/**
 * Permits for addresses: one lease, one address (IPv6: network), until they are returned.
 * Invariant: who asks holds the lease that it names; what is answered is durable; an address that is reported can only
 * slow the host of that lease (promise 12).
 */

import type { AddressPermitReply, AddressPermitRequest, PermitReturn } from "../../../protocol/mod.ts";
import type { Holder } from "./address_book.ts";
import type { AddressPlace } from "./address_directory.ts";
import { clamp } from "./politeness.ts";
import type { Operation } from "../round.ts";
import { windowMs } from "./start_window.ts";

export const NO_PERMIT: AddressPermitReply = { granted: false, gap_ms: 0, max_parallel: 0, expires_in_ms: 0 };

/** What the lease itself says of a request for a permit. */
export interface Asked {
  readonly isPolite: boolean;
  readonly gapMs: number;
  readonly maxParallel: number;
}

/**
 * On the lease's shard: joins its host to the address; undefined when the lease doesn't stand, or has too many already.
 * `isElsewhere`: another coordinator has the address.
 */
export function noteAddressOperation(
  request: AddressPermitRequest,
  group: string,
  isElsewhere = false,
): Operation<Asked | undefined> {
  return {
    apply({ shard, now }) {
      const lease = shard.fenced(request);
      if (lease === undefined || lease.expiresAt <= now) return undefined;
      const { limits } = shard.parts.settings;
      if (!lease.addresses.has(group) && lease.addresses.size >= limits.addressesPerLease) return undefined;
      lease.addresses.add(group);
      lease.isReferred ||= isElsewhere && lease.isPolite;
      if (lease.isPolite && lease.host.address !== group) {
        lease.host.address = group;
        shard.batch.changeHost(lease.host);
      }
      // The edge may have slowed down, never sped up.
      const gapMs = clamp(request.gap_ms, { least: lease.gapMs, most: limits.delayCapMs, otherwise: lease.gapMs });
      const { isPolite, maxParallel } = lease;
      return { isPolite, gapMs: Math.max(lease.gapMs, gapMs), maxParallel };
    },
  };
}

/** On the address' shard. */
export function permitAddressOperation(
  request: AddressPermitRequest,
  what: { readonly group: string; readonly place: AddressPlace; readonly asked: Asked },
): Operation<AddressPermitReply> {
  const { group, place, asked } = what;
  return {
    apply({ shard, now }) {
      const { addresses, parts, batch } = shard;
      const { limits } = parts.settings;
      if (shard.marks.has(place.slot)) return NO_PERMIT;
      addresses.forget(group, request.lease_id);
      const wish = { gapMs: asked.gapMs, parallel: asked.maxParallel, rivals: 0 };
      const holder = holderOf(request);
      const part = addresses.renewed(group, holder, { wish, now }) ?? addresses.offer(group, wish, now);
      if (part === undefined) return NO_PERMIT;
      const expiresMs = limits.leaseMs;
      addresses.permit(group, holder, part, now + expiresMs + limits.fetchWallMs + windowMs(addresses.limit));
      batch.changeAddress(addresses.row(place.slot, group));
      return { granted: true, gap_ms: part.gapMs, max_parallel: part.parallel, expires_in_ms: expiresMs };
    },
  };
}

function holderOf({ lease_id, worker_id }: Pick<PermitReturn, "lease_id" | "worker_id">): Holder {
  return { leaseId: lease_id, workerId: worker_id };
}

/**
 * On the address' shard: the part is free one window after the last start. Another worker's is left alone. While the
 * address is on its way to another shard its row stands still: the part ends by its time.
 */
export function returnPermitOperation(
  request: PermitReturn,
  what: { readonly group: string; readonly place: AddressPlace },
): Operation<void> {
  const { group, place } = what;
  return {
    apply({ shard, now }) {
      const { addresses, batch, marks } = shard;
      if (marks.has(place.slot) && marks.get(place.slot)!.state !== "freezing") return;
      const ago = request.last_start_ago_ms;
      const startAt = ago === undefined ? -Infinity : now - Math.max(0, ago);
      if (!addresses.release(group, holderOf(request), { startAt, parallelUntil: -Infinity })) return;
      batch.changeAddress(addresses.row(place.slot, group));
    },
  };
}
