/**
 * Permits over all shards: one shard has the lease that is named, another the host or address that is to be asked.
 * Invariant: what is answered is durable on both. Where another coordinator has the second, the edge carries the word of
 * the first to it, see referral.ts.
 */

import type {
  AddressPermitReply,
  AddressPermitRequest,
  Completion,
  PermitReply,
  PermitRequest,
  PermitReturn,
  Referral,
  VisitedRequest,
} from "../../../protocol/mod.ts";
import { addressGroup } from "../../../protocol/mod.ts";
import {
  type Asked,
  NO_PERMIT,
  noteAddressOperation,
  permitAddressOperation,
  returnPermitOperation,
} from "../clocks/address_permits.ts";
import type { FrontierParts } from "../shard.ts";
import type { ShardWriter } from "../writer.ts";
import { Referrals } from "./referral.ts";
import { type Told, visitOverOperation, visitsTold } from "./visit_outcome.ts";
import { ASK_AGAIN, mayVisit, NO_VISIT, permitOperation, referVisitOperation } from "./visits.ts";

export class PermitDesk {
  readonly #parts: FrontierParts;
  readonly #referrals: Referrals;

  constructor(parts: FrontierParts) {
    this.#parts = parts;
    this.#referrals = new Referrals({ ...parts, limits: parts.settings.limits });
  }

  /** The verb `permit`; `home` is the shard of the slot that is named, undefined when it names none. */
  async visit(request: PermitRequest, home: ShardWriter | undefined): Promise<PermitReply> {
    if (request.ticket !== undefined) return await this.#visitReferred(request, request.ticket);
    const lease = home?.shard.fenced(request);
    if (!mayVisit(this.#parts, lease, request.host)) return NO_VISIT;
    const place = this.#parts.directory.placeOf(request.host);
    const writer = this.#parts.book.find(place.shard);
    if (writer === undefined) return await this.#referVisit(request, home!);
    lease.permits++;
    const reply = await writer.submit(permitOperation(lease, place));
    if (reply.granted) lease.visited.add(place.host);
    else lease.permits--;
    return reply;
  }

  async #referVisit(request: PermitRequest, home: ShardWriter): Promise<PermitReply> {
    const { host, slot } = this.#parts.directory.placeOf(request.host);
    const delayMs = await home.submit(referVisitOperation(request, host));
    if (delayMs === undefined) return NO_VISIT;
    const bearer = { workerId: request.worker_id, leaseId: request.lease_id, slot };
    const referral = this.#referrals.write({ kind: "visit", host, delayMs }, bearer);
    return referral === undefined ? NO_VISIT : { granted: false, wait_ms: 0, referral };
  }

  /** Another coordinator looked at the lease. A word that isn't believed, or was used, has to be fetched anew. */
  async #visitReferred(request: PermitRequest, ticket: string): Promise<PermitReply> {
    const bearer = { workerId: request.worker_id, leaseId: request.lease_id, slot: request.slot };
    const word = this.#referrals.read("visit", ticket, bearer);
    const place = this.#parts.directory.placeOf(request.host);
    if (word === undefined || word.host !== place.host || this.#referrals.isUsed(word)) return ASK_AGAIN;
    // Before anything is waited for: of two requests with one word one may succeed.
    this.#referrals.use(word);
    let isGranted = false;
    try {
      const reply = await this.#parts.book.get(place.shard).submit(permitOperation(word, place));
      isGranted = reply.granted;
      return reply;
    } finally {
      if (!isGranted) this.#referrals.release(word);
    }
  }

  /** What a completion says of hosts that were visited; what concerns other coordinators is to be carried to them. */
  async told(completion: Completion, home: ShardWriter): Promise<Referral[]> {
    const { worker_id: workerId, lease_id: leaseId } = completion;
    const told = visitsTold(this.#parts, home.shard.fenced(completion), completion.outcomes);
    const referrals: Referral[] = [];
    await Promise.all(told.map((visit) => {
      const writer = this.#parts.book.find(visit.place.shard);
      if (writer !== undefined) return writer.submit(visitOverOperation(leaseId, visit));
      const referral = this.#referTold(visit, { workerId, leaseId, slot: visit.place.slot });
      if (referral !== undefined) referrals.push(referral);
      return undefined;
    }));
    return referrals;
  }

  #referTold({ place, answer }: Told, bearer: Parameters<Referrals["write"]>[1]): Referral | undefined {
    const { failure, retry_after_ms: retryAfterMs } = answer ?? {};
    const said = {
      ...(failure === undefined ? {} : { failure }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
    const word = { kind: "visited", host: place.host, ...(answer === undefined ? {} : { answer: said }) } as const;
    return this.#referrals.write(word, bearer);
  }

  /** The verb `visited`, for a slot of this coordinator. */
  async visited(request: VisitedRequest): Promise<void> {
    const bearer = { workerId: request.worker_id, slot: request.slot };
    const word = this.#referrals.read("visited", request.ticket, bearer);
    if (word === undefined || this.#referrals.isUsed(word)) return;
    this.#referrals.use(word);
    const place = this.#parts.directory.placeOf(word.host);
    const { failure, retryAfterMs } = word.answer ?? {};
    const answer = word.answer === undefined ? {} : {
      answer: {
        ...(failure === undefined ? {} : { failure }),
        ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
      },
    };
    try {
      await this.#parts.book.get(place.shard).submit(visitOverOperation(word.leaseId, { place, ...answer }));
    } catch (error) {
      this.#referrals.release(word);
      throw error;
    }
  }

  /** The verb `permitAddress`; `home` is the shard of the slot that is named. */
  async address(request: AddressPermitRequest, home: ShardWriter | undefined): Promise<AddressPermitReply> {
    const group = addressGroup(request.address);
    if (group === undefined) return NO_PERMIT;
    if (request.ticket !== undefined) return await this.#addressReferred(request, request.ticket, group);
    const place = this.#parts.addresses.placeOf(group);
    const writer = this.#parts.book.find(place.shard);
    const isElsewhere = writer === undefined && !place.isExempt;
    const asked = await home?.submit(noteAddressOperation(request, group, isElsewhere));
    if (asked === undefined) return NO_PERMIT;
    const { gapMs, maxParallel } = asked;
    if (!asked.isPolite || place.isExempt) {
      const { leaseMs } = this.#parts.settings.limits;
      return { granted: true, gap_ms: gapMs, max_parallel: maxParallel, expires_in_ms: leaseMs };
    }
    if (writer !== undefined) return await this.#permitAddress(writer, request, group, asked);
    const bearer = { workerId: request.worker_id, leaseId: request.lease_id, slot: place.slot };
    const referral = this.#referrals.write({ kind: "address", group, gapMs, maxParallel }, bearer);
    return referral === undefined ? NO_PERMIT : { ...NO_PERMIT, referral };
  }

  async #addressReferred(
    request: AddressPermitRequest,
    ticket: string,
    group: string,
  ): Promise<AddressPermitReply> {
    const bearer = { workerId: request.worker_id, leaseId: request.lease_id, slot: request.slot };
    const word = this.#referrals.read("address", ticket, bearer);
    if (word === undefined || word.group !== group) return NO_PERMIT;
    const writer = this.#parts.book.get(this.#parts.addresses.placeOf(group).shard);
    return await this.#permitAddress(writer, request, group, { ...word, isPolite: true });
  }

  async #permitAddress(
    writer: ShardWriter,
    request: AddressPermitRequest,
    group: string,
    asked: Asked,
  ): Promise<AddressPermitReply> {
    const place = this.#parts.addresses.placeOf(group);
    return await writer.submit(permitAddressOperation(request, { group, place, asked }));
  }

  /** The verb `returnPermits`. Addresses that another coordinator has by now are left: permits end by their time. */
  async giveBack(request: PermitReturn): Promise<void> {
    await Promise.all(request.addresses.map((address) => {
      const group = addressGroup(address);
      if (group === undefined) return undefined;
      const place = this.#parts.addresses.placeOf(group);
      return this.#parts.book.find(place.shard)?.submit(returnPermitOperation(request, { group, place }));
    }));
  }
}
