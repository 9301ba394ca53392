/**
 * Rows whose writing deletes them: they say no more than their absence.
 */

import { type DomainRow, hasDomainPolicy } from "../group_ports.ts";

/** No policy and no visit. */
export function saysNothing(row: DomainRow): boolean {
  return !hasDomainPolicy(row) && row.visits.length === 0;
}
