/**
 * The frontier verbs over HTTP at one coordinator that has all shards.
 * Invariant: as verbs.ts says; whom a slot belongs to isn't asked, and a 421 is a refusal.
 */

import type { FrontierVerbs, LeaseReply } from "../../protocol/mod.ts";
import { CoordinatorClient, type CoordinatorClientOptions } from "./coordinator_client.ts";
import { frontierVerbs, type Place, postOf } from "./verbs.ts";

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
  const all = { send: (call: Parameters<typeof client.send>[0]) => client.send(call), split: atOnce };
  return {
    ...frontierVerbs(all),
    async lease(request) {
      const { answer, sentAfterMs } = await client.send(leaseCall(request));
      return lengthened(answer as LeaseReply, sentAfterMs);
    },
    close: async () => client.close(),
  };
}

export function leaseCall(request: unknown) {
  return { ...postOf("lease", JSON.stringify(request)), untilStop: true };
}

/** The reply as it would have come to a request that was sent at once. */
export function lengthened(reply: LeaseReply, sentAfterMs: number): LeaseReply {
  const leases = reply.leases.map((lease) => ({ ...lease, expires_in_ms: lease.expires_in_ms + sentAfterMs }));
  return { ...reply, leases };
}

function atOnce<T>(items: readonly T[]): Iterable<readonly [Place, readonly T[]]> {
  return [["any", items]];
}
