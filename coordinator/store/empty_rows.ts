/**
 * Rows whose writing deletes them: they say no more than their absence.
 */

import type { DomainRow } from "../group_ports.ts";

/** No policy and no visit. */
export function saysNothing(row: DomainRow): boolean {
  return row.policyDelayMs <= 0 && row.policyMaxParallel <= 0 && !row.paused && row.blockedReason === "" &&
    row.visits.length === 0;
}
