/**
 * What a host did to a request by permit: its back-off grows and shrinks by that as by a lease's own requests.
 * Invariant: an edge tells of hosts alone that its lease was permitted to visit; it can slow one by no more than the
 * longest back-off, whatever Retry-After it says.
 */

import { hostKeyOf, type Outcome, type RobotsFetched } from "../../../protocol/mod.ts";
import { noteFailure, noteSuccess, retryAfter } from "../clocks/politeness.ts";
import type { HostPlace } from "../host_directory.ts";
import type { LeaseState } from "../host_state.ts";
import type { Operation } from "../round.ts";
import type { FrontierParts } from "../shard.ts";

/** The last hosts that the robots targets among `outcomes` came to, where those were visited by permit. */
export function visitsTold(
  parts: FrontierParts,
  lease: LeaseState | undefined,
  outcomes: readonly Outcome[],
): [HostPlace, Operation<void>][] {
  const told: [HostPlace, Operation<void>][] = [];
  for (const outcome of outcomes) {
    if (outcome.status !== "robots" || outcome.failure === "aborted") continue;
    const location = outcome.hops?.at(-1)?.location;
    // What was told before isn't told again.
    if (location === undefined || !lease?.robotsOrigins.has(outcome.origin)) continue;
    const facts = parts.core.url(location);
    const host = "error" in facts ? "" : hostKeyOf(facts.host);
    if (lease.visited.has(host)) told.push([parts.directory.placeOf(host), visitOutcomeOperation(host, outcome)]);
  }
  return told;
}

function visitOutcomeOperation(name: string, outcome: RobotsFetched): Operation<void> {
  return {
    apply({ shard, now }) {
      const host = shard.hosts.get(name);
      const { limits } = shard.parts.settings;
      if (host === undefined || (outcome.failure === undefined && host.failuresInRow === 0 && host.backoffMs === 0)) {
        return;
      }
      if (outcome.failure === undefined) noteSuccess(host, limits);
      else {
        const retryAfterMs = Math.min(limits.backoffMaxMs, retryAfter(outcome.retry_after_ms, limits));
        noteFailure(host, { class: outcome.failure, retryAfterMs }, { now, limits });
      }
      shard.batch.changeHost(host);
      shard.reschedule(host, now);
    },
  };
}
