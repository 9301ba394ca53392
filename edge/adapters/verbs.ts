/**
 * The frontier verbs as HTTP requests, whichever coordinator they are sent to.
 * Invariant: same meaning as the coordinator in this process. Times that the edge counts from its call are lengthened
 * by what was spent on tries before the one that was answered, since the coordinator counts from that one.
 */

import type {
  AddressPermitReply,
  CapturesReply,
  Completion,
  CompletionReply,
  ExtendReply,
  FrontierVerbs,
  PermitReply,
  Referral,
} from "../../protocol/mod.ts";
import { LIMITS } from "../../protocol/mod.ts";
import { completionParts } from "./completion_parts.ts";
import type { Call } from "./coordinator_client.ts";

/** Whose owner is to be asked; "any" = whoever is. */
export type Place = { readonly slot: number } | { readonly shard: number } | "any";

export interface Sent {
  readonly answer: unknown;
  /** How long after the call the request was sent that brought the answer, ms. */
  readonly sentAfterMs: number;
}

export interface SendOptions {
  /** Rejects after so long without an answer; absent = once the edge stops. */
  readonly patienceMs?: number;
  /** Where the owner doesn't answer, another coordinator may know it too. */
  readonly isRead?: boolean;
}

export interface Carrier {
  send(call: Call, place: Place, options?: SendOptions): Promise<Sent>;
  /** Those that one coordinator is to be told at once. */
  split<T>(items: readonly T[], placeOf: (item: T) => Place): Iterable<readonly [Place, readonly T[]]>;
}

/** Less than the time after which a row is handed out again. */
const DELIVERY_MS = 20_000;

/** What concerns a lease is of no use when it is over. */
const WHILE_LEASED: SendOptions = { patienceMs: LIMITS.leaseMs };

export function frontierVerbs(carrier: Carrier): Omit<FrontierVerbs, "lease"> {
  const post = (verb: string, request: unknown, place: Place, options: SendOptions = WHILE_LEASED): Promise<Sent> =>
    carrier.send(postOf(verb, JSON.stringify(request)), place, options);
  const ask = async <Reply extends { readonly expires_in_ms: number }>(
    verb: string,
    request: { readonly slot: number },
  ): Promise<Reply> => {
    const { answer, sentAfterMs } = await post(verb, request, request);
    const reply = answer as Reply;
    return { ...reply, expires_in_ms: reply.expires_in_ms + sentAfterMs };
  };
  const tellAll = async <T>(
    items: readonly T[],
    placeOf: (item: T) => Place,
    tell: (items: readonly T[], place: Place) => Promise<unknown>,
  ): Promise<void> => {
    const told = Array.from(carrier.split(items, placeOf), ([place, some]) => tell(some, place));
    await Promise.allSettled(told);
    await Promise.all(told);
  };
  return {
    complete: (completion) => complete(carrier, completion),
    extend: (request) => ask<ExtendReply>("extend", request),
    release: ({ leases, ...rest }) =>
      tellAll(leases, (lease) => lease, (some, place) => post("release", { ...rest, leases: some }, place)),
    settled: async (request) => void await post("settled", request, request),
    deliverOutbox: ({ rows, worker_id }) =>
      tellAll(
        rows,
        (row) => row,
        (some, place) => post("outbox", { worker_id, rows: some }, place, { patienceMs: DELIVERY_MS }),
      ),
    ackOutbox: ({ rows, worker_id }) =>
      tellAll(
        rows,
        ({ from_shard: shard }) => shard === undefined ? "any" : { shard },
        (some, place) => post("outbox_ack", { worker_id, rows: some }, place),
      ),
    permitAddress: (request) => ask<AddressPermitReply>("address_permits", request),
    returnPermits: async (request) => {
      const { slot } = request;
      await post("permits_return", request, slot === undefined ? "any" : { slot });
    },
    permit: async (request) => (await post("permits", request, request)).answer as PermitReply,
    visited: async (request) => void await post("visited", request, request),
    captures: async (request) => {
      const options = { patienceMs: LIMITS.apiReplyMs, isRead: true };
      return (await post("captures", request, { shard: request.shard }, options)).answer as CapturesReply;
    },
    robotsBody: async ({ digest, slot }) => {
      const path = `v1/frontier/robots/${digest}${slot === undefined ? "" : `?slot=${slot}`}`;
      const place = slot === undefined ? "any" : { slot };
      const { answer } = await carrier.send({ method: "GET", path, absent: 404 }, place, WHILE_LEASED);
      return (answer as { body: string } | undefined)?.body;
    },
  };
}

export function postOf(verb: string, body: string): Call {
  return { method: "POST", path: `v1/frontier/${verb}`, body };
}

/** Sends the parts in order; the first stale one ends it, as nothing after it could count. */
async function complete(carrier: Carrier, completion: Completion): Promise<CompletionReply> {
  let accepted = 0;
  let isFull = false;
  const referrals: Referral[] = [];
  for (const body of completionParts(completion)) {
    const reply = (await carrier.send(postOf("complete", body), completion)).answer as CompletionReply;
    referrals.push(...reply.referrals ?? []);
    const told = referrals.length === 0 ? {} : { referrals };
    if (reply.status === "stale") return { status: "stale", accepted, ...told };
    accepted += reply.accepted;
    isFull ||= reply.queue_full === true;
  }
  const told = referrals.length === 0 ? {} : { referrals };
  return { status: "ok", accepted, ...(isFull ? { queue_full: true } : {}), ...told };
}
