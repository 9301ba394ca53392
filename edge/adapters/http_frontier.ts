/**
 * The frontier verbs over HTTP: what an edge uses when its coordinator is another process.
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
} from "../../protocol/mod.ts";
import type { LeaseReply, PermitReply } from "../../protocol/mod.ts";
import { completionParts } from "./completion_parts.ts";
import { CoordinatorClient, type CoordinatorClientOptions } from "./coordinator_client.ts";

export interface HttpFrontier extends FrontierVerbs {
  /** Ends calls that wait; later ones are rejected. */
  close(): Promise<void>;
}

/**
 * A frontier at `options.baseUrl`. Verbs reject with CoordinatorRefused (a sentence, with the status) when the coordinator
 * refuses for good, e.g. 401 for a wrong token; with an Error once the edge stops. Throws when the URL is none.
 */
export function createHttpFrontier(options: CoordinatorClientOptions): HttpFrontier {
  const client = new CoordinatorClient(options);
  const post = async <Reply>(verb: string, request: unknown): Promise<Reply> =>
    (await client.send(postOf(verb, JSON.stringify(request)))).answer as Reply;
  const tell = async (verb: string, request: unknown): Promise<void> => {
    await post(verb, request);
  };
  return {
    async lease(request) {
      const call = { ...postOf("lease", JSON.stringify(request)), untilStop: true };
      const { answer, sentAfterMs } = await client.send(call);
      const reply = answer as LeaseReply;
      const leases = reply.leases.map((lease) => ({ ...lease, expires_in_ms: lease.expires_in_ms + sentAfterMs }));
      return { ...reply, leases };
    },
    complete: (completion) => complete(client, completion),
    async extend(request) {
      const { answer, sentAfterMs } = await client.send(postOf("extend", JSON.stringify(request)));
      const reply = answer as ExtendReply;
      return { ...reply, expires_in_ms: reply.expires_in_ms + sentAfterMs };
    },
    release: (request) => tell("release", request),
    settled: (request) => tell("settled", request),
    deliverOutbox: (delivery) => tell("outbox", delivery),
    ackOutbox: (ack) => tell("outbox_ack", ack),
    async permitAddress(request) {
      const { answer, sentAfterMs } = await client.send(postOf("address_permits", JSON.stringify(request)));
      const reply = answer as AddressPermitReply;
      return { ...reply, expires_in_ms: reply.expires_in_ms + sentAfterMs };
    },
    returnPermits: (request) => tell("permits_return", request),
    permit: (request) => post<PermitReply>("permits", request),
    captures: (request) => post<CapturesReply>("captures", request),
    async robotsBody(digest) {
      const { answer } = await client.send({ method: "GET", path: `v1/frontier/robots/${digest}`, absent: 404 });
      return (answer as { body: string } | undefined)?.body;
    },
    close: async () => client.close(),
  };
}

function postOf(verb: string, body: string) {
  return { method: "POST" as const, path: `v1/frontier/${verb}`, body };
}

/** Sends the parts in order; the first stale one ends it, as nothing after it could count. */
async function complete(client: CoordinatorClient, completion: Completion): Promise<CompletionReply> {
  let accepted = 0;
  let isFull = false;
  for (const body of completionParts(completion)) {
    const reply = (await client.send(postOf("complete", body))).answer as CompletionReply;
    if (reply.status === "stale") return { status: "stale", accepted };
    accepted += reply.accepted;
    isFull ||= reply.queue_full === true;
  }
  return { status: "ok", accepted, ...(isFull ? { queue_full: true } : {}) };
}
