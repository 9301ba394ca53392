/**
 * Permits over all shards: one shard has the lease that is named, another the host or address that is to be asked.
 * Invariant: what is answered is durable on both.
 */

import type {
  AddressPermitReply,
  AddressPermitRequest,
  Completion,
  PermitReply,
  PermitRequest,
  PermitReturn,
} from "../../../protocol/mod.ts";
import { addressGroup } from "../../../protocol/mod.ts";
import {
  NO_PERMIT,
  noteAddressOperation,
  permitAddressOperation,
  returnPermitOperation,
} from "../clocks/address_permits.ts";
import type { FrontierParts } from "../shard.ts";
import type { ShardWriter } from "../writer.ts";
import { visitsTold } from "./visit_outcome.ts";
import { mayVisit, NO_VISIT, permitOperation } from "./visits.ts";

export class PermitDesk {
  readonly #parts: FrontierParts;

  constructor(parts: FrontierParts) {
    this.#parts = parts;
  }

  /** The verb `permit`; `home` is the shard of the lease, undefined when it names none. */
  async visit(request: PermitRequest, home: ShardWriter | undefined): Promise<PermitReply> {
    const lease = home?.shard.fenced(request);
    if (!mayVisit(this.#parts, lease, request.host)) return NO_VISIT;
    const place = this.#parts.directory.placeOf(request.host);
    lease.permits++;
    const reply = await this.#parts.book.get(place.shard).submit(permitOperation(lease, place));
    if (reply.granted) lease.visited.add(place.host);
    else lease.permits--;
    return reply;
  }

  /** What a completion says of hosts that were visited. */
  async told(completion: Completion, home: ShardWriter): Promise<void> {
    const told = visitsTold(this.#parts, home.shard.fenced(completion), completion.outcomes);
    await Promise.all(told.map(([place, operation]) => this.#parts.book.get(place.shard).submit(operation)));
  }

  /** The verb `permitAddress`; `home` is the shard of the lease. */
  async address(request: AddressPermitRequest, home: ShardWriter | undefined): Promise<AddressPermitReply> {
    const group = addressGroup(request.address);
    const asked = group === undefined ? undefined : await home?.submit(noteAddressOperation(request, group));
    if (group === undefined || asked === undefined) return NO_PERMIT;
    const place = this.#parts.addresses.placeOf(group);
    if (asked.isPolite && !place.isExempt) {
      return await this.#parts.book.get(place.shard).submit(permitAddressOperation(request, { group, place, asked }));
    }
    const { gapMs, maxParallel } = asked;
    const { leaseMs } = this.#parts.settings.limits;
    return { granted: true, gap_ms: gapMs, max_parallel: maxParallel, expires_in_ms: leaseMs };
  }

  /** The verb `returnPermits`. */
  async giveBack(request: PermitReturn): Promise<void> {
    await Promise.all(request.addresses.map((address) => {
      const group = addressGroup(address);
      if (group === undefined) return undefined;
      const place = this.#parts.addresses.placeOf(group);
      return this.#parts.book.get(place.shard).submit(returnPermitOperation(request, { group, place }));
    }));
  }
}
