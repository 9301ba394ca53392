/**
 * What became of a request by permit: its host may be asked by others again, or has to be left alone for a while.
 * Invariant: an edge tells of hosts alone that its lease was permitted to visit; it can only slow them, each time by no
 * more than the longest back-off, whatever Retry-After it says.
 */

import { FAILURES, hostKeyOf, type LeaseId, type Outcome, type RobotsFetched } from "../../../protocol/mod.ts";
import { retryAfter } from "../clocks/politeness.ts";
import type { HostPlace } from "../host_directory.ts";
import type { HostState, LeaseState } from "../host_state.ts";
import type { Operation } from "../round.ts";
import type { FrontierParts, Shard } from "../shard.ts";
import { endVisit } from "./visits.ts";

/** What is told of one host that was asked by permit. */
export interface Told {
  readonly place: HostPlace;
  /** Absent: it answered with a redirect. */
  readonly answer?: VisitAnswer;
}

type VisitAnswer = Pick<RobotsFetched, "failure" | "retry_after_ms">;

/** The hosts that the robots targets among `outcomes` came to by permit, and what they answered. */
export function visitsTold(
  parts: FrontierParts,
  lease: LeaseState | undefined,
  outcomes: readonly Outcome[],
): Told[] {
  const told: Told[] = [];
  for (const outcome of outcomes) {
    // What was told before isn't told again.
    if (lease === undefined || outcome.status !== "robots" || !lease.robotsOrigins.has(outcome.origin)) continue;
    const hops = outcome.hops ?? [];
    for (const [index, { location }] of hops.entries()) {
      const facts = parts.core.url(location);
      const host = "error" in facts ? "" : hostKeyOf(facts.host);
      if (!lease.visited.has(host)) continue;
      const place = parts.directory.placeOf(host);
      // All but the last answered with a redirect.
      told.push(index === hops.length - 1 ? { place, answer: outcome } : { place });
    }
  }
  return told;
}

/** On the host's shard. */
export function visitOverOperation(leaseId: LeaseId, { place, answer }: Told): Operation<void> {
  return {
    apply({ shard, now }) {
      const host = shard.hosts.get(place.host);
      // From `drained` on the host's row stands still; the drain waited for this visit, or until it had to be over.
      const mark = host && shard.marks.get(host.slot);
      if (host === undefined || (mark !== undefined && mark.state !== "freezing")) return;
      if (host.visit?.leaseId === leaseId) endVisit(shard, host);
      if (answer !== undefined && answer.failure !== "aborted") noteAnswer(shard, host, { answer, now });
      shard.reschedule(host, now);
    },
  };
}

/** The host waits as after failures of its own, but neither its back-off nor what counts towards that is changed. */
function noteAnswer(
  shard: Shard,
  host: HostState,
  what: { readonly answer: VisitAnswer; readonly now: number },
): void {
  const { limits } = shard.parts.settings;
  const { answer: { failure, retry_after_ms }, now } = what;
  if (failure === undefined) {
    host.visitFailures = 0;
    return;
  }
  const { backoff } = FAILURES[failure];
  host.visitFailures++;
  const isLet = backoff === "never" || (backoff === "repeated" && host.visitFailures < 2);
  const backoffMs = isLet ? 0 : limits.backoffMs * 2 ** (host.visitFailures - 1);
  const waitMs = Math.min(limits.backoffMaxMs, Math.max(backoffMs, retryAfter(retry_after_ms, limits)));
  host.nextStartAt = Math.max(host.nextStartAt, now + waitMs);
  shard.batch.changeHost(host);
}
