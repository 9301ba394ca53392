/**
 * What became of a request by permit: its host may be asked by others again, and its back-off grows and shrinks by that as by a lease's own requests.
 * Invariant: an edge tells of hosts alone that its lease was permitted to visit; it can slow one by no more than the
 * longest back-off, whatever Retry-After it says.
 */

import { hostKeyOf, type Outcome, type RobotsFetched } from "../../../protocol/mod.ts";
import { noteFailure, noteSuccess, retryAfter } from "../clocks/politeness.ts";
import type { HostPlace } from "../host_directory.ts";
import type { HostState, LeaseState } from "../host_state.ts";
import type { Operation } from "../round.ts";
import type { FrontierParts, Shard } from "../shard.ts";

/** The hosts that the robots targets among `outcomes` came to by permit, with what is to be done on their shards. */
export function visitsTold(
  parts: FrontierParts,
  lease: LeaseState | undefined,
  outcomes: readonly Outcome[],
): [HostPlace, Operation<void>][] {
  const told: [HostPlace, Operation<void>][] = [];
  for (const outcome of outcomes) {
    // What was told before isn't told again.
    if (lease === undefined || outcome.status !== "robots" || !lease.robotsOrigins.has(outcome.origin)) continue;
    const hops = outcome.hops ?? [];
    for (const [index, { location }] of hops.entries()) {
      const facts = parts.core.url(location);
      const host = "error" in facts ? "" : hostKeyOf(facts.host);
      if (!lease.visited.has(host)) continue;
      // All but the last answered with a redirect.
      const answer = index === hops.length - 1 ? outcome : undefined;
      told.push([parts.directory.placeOf(host), visitOverOperation(host, lease, answer)]);
    }
  }
  return told;
}

function visitOverOperation(name: string, { leaseId }: LeaseState, answer: RobotsFetched | undefined): Operation<void> {
  return {
    apply({ shard, now }) {
      const host = shard.hosts.get(name);
      if (host === undefined) return;
      if (host.visit?.leaseId === leaseId) host.visit = undefined;
      if (answer !== undefined && answer.failure !== "aborted") noteAnswer(shard, host, { answer, now });
      shard.reschedule(host, now);
    },
  };
}

function noteAnswer(
  shard: Shard,
  host: HostState,
  what: { readonly answer: RobotsFetched; readonly now: number },
): void {
  const { limits } = shard.parts.settings;
  const { answer: { failure, retry_after_ms }, now } = what;
  if (failure === undefined && host.failuresInRow === 0 && host.backoffMs === 0) return;
  if (failure === undefined) noteSuccess(host, limits);
  else {
    const retryAfterMs = Math.min(limits.backoffMaxMs, retryAfter(retry_after_ms, limits));
    noteFailure(host, { class: failure, retryAfterMs }, { now, limits });
  }
  shard.batch.changeHost(host);
}
