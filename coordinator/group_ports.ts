/**
 * What the control plane keeps of groups of hosts that share limits - registered domains and addresses - and shows of
 * them (frontier/clocks/start_window.ts).
 * Invariant: plain values; lists are replaced, never changed.
 */

import type { LeaseId, WorkerId } from "../protocol/mod.ts";

/** What an operator said of a registered domain, and requests by permit on its hosts. Key: (slot, domain). */
export interface DomainRow {
  readonly slot: number;
  readonly domain: string;
  /** Mean gap between two starts on all its hosts, ms; -1 = no policy. */
  readonly policyDelayMs: number;
  /** -1 = no policy. */
  readonly policyMaxParallel: number;
  readonly paused: boolean;
  /** Not empty: nothing of this domain is leased, for this reason. */
  readonly blockedReason: string;
  /** Each counts as one start until `startsUntil` and as under way until `parallelUntil`, wall ms. */
  readonly visits: readonly { readonly id: string; readonly startsUntil: number; readonly parallelUntil: number }[];
}

/** The leases that hold a permit for an address. Key: (slot, address); without permits the row is deleted. */
export interface AddressRow {
  readonly slot: number;
  /** As HostRow.address. */
  readonly address: string;
  /** Starts per window until `startsUntil`, requests at once until `parallelUntil`, wall ms; 0 = no more. */
  readonly permits: readonly {
    readonly leaseId: LeaseId;
    /** Who holds the lease, and alone gives the permit back. */
    readonly workerId: WorkerId;
    readonly starts: number;
    readonly parallel: number;
    readonly startsUntil: number;
    readonly parallelUntil: number;
  }[];
}

/** A registered domain as an operator sees it. */
export interface DomainView {
  readonly domain: string;
  readonly policy: Pick<DomainRow, "policyDelayMs" | "policyMaxParallel" | "paused" | "blockedReason">;
  /** What holds now: the stricter of default and policy. */
  readonly inFlight: number;
  readonly gapMs: number;
  /** Hosts known, those of them that have something queued or leased, and their addresses. */
  readonly hosts: number;
  readonly queued: number;
  readonly addresses: readonly string[];
  /** The busiest hosts first, at most 1,000. */
  readonly hostNames: readonly string[];
  readonly leasesOut: readonly LeaseId[];
}

/** Whether an operator's word stands in it: a delay, a bound, a pause or a block. */
export function hasDomainPolicy(row: DomainView["policy"]): boolean {
  return row.policyDelayMs > 0 || row.policyMaxParallel > 0 || row.paused || row.blockedReason !== "";
}
