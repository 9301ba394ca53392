/**
 * What a lease and its outcomes teach about the region that it was given to.
 * Invariant: only the leased host's facts change, and only those of the lease's own region; connect times are clamped to
 * what a connection may take (promise 12). Leases without a region teach nothing.
 */

import type { FailureClass, Outcome } from "../../../protocol/mod.ts";
import { addTo } from "../counters.ts";
import type { LeaseState } from "../host_state.ts";
import { clamp } from "../clocks/politeness.ts";
import { noteAnswered, noteConnectTime, noteLeased, noteRefused, type Refusal } from "./region_facts.ts";
import type { Round } from "../round.ts";

/** Failures by which a site, or a wall before it, turns a region away. */
const CONNECTION_FAILURES: ReadonlySet<FailureClass> = new Set<FailureClass>([
  "connect_refused",
  "connect_timeout",
  "connect_reset",
  "tls",
]);
/** 403 Forbidden; 451 Unavailable For Legal Reasons (RFC 7725). */
const FORBIDDEN_CODES: readonly number[] = [403, 451];

/** The lease is granted: it is counted, and its region has been tried. */
export function noteGrant(round: Round, lease: LeaseState): void {
  const { host, region, crawlId } = lease;
  const counts = round.shard.changeCounts(crawlId);
  addTo(counts.leasesByRegion, region);
  // Where any region will do, none is the right one.
  if (host.homeRegion !== "" && host.nextRegion !== "") {
    counts.leasesPlaced++;
    if (host.homeRegion === region) counts.leasesHome++;
  }
  if (region !== "") host.regions = noteLeased(host.regions, region, round.now);
}

/** Takes in what an outcome of an unsettled target tells. */
export function learnRegion(round: Round, lease: LeaseState, outcome: Outcome): void {
  const { host, region } = lease;
  // After redirects the times may be of another host, which the lease isn't for.
  if (region === "" || (outcome.hops ?? []).length > 0) return;
  const { connectMs: mostMs } = round.shard.parts.settings.limits;
  const connectMs = clamp(outcome.timings?.tcp_ms, { least: 0, most: mostMs, otherwise: -1 });
  if (connectMs >= 0) {
    host.regions = noteConnectTime(host.regions, region, connectMs);
    round.shard.connectTimes.add(region, connectMs);
  }
  const refusal = refusalOf(outcome);
  if (refusal !== undefined) host.regions = noteRefused(host.regions, region, { refusal, now: round.now });
  else if (isAnswer(outcome)) host.regions = noteAnswered(host.regions, region, round.now);
}

function refusalOf(outcome: Outcome): Refusal | undefined {
  const failure = outcome.status === "failed" || outcome.status === "robots" ? outcome.failure : undefined;
  if (failure !== undefined) return CONNECTION_FAILURES.has(failure) ? "connection" : undefined;
  return FORBIDDEN_CODES.includes(outcome.http_code ?? 0) ? "forbidden" : undefined;
}

/** A server spoke as it does to everybody; 429 and 5xx say nothing about the region. */
function isAnswer(outcome: Outcome): boolean {
  switch (outcome.status) {
    case "fetched":
    case "redirected":
    case "unchanged":
      return (outcome.http_code ?? 0) < 500;
    case "robots":
      return outcome.class !== "unreachable";
    default:
      return false;
  }
}
