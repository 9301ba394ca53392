/**
 * Times that one machine's clock wrote, as another's reads them.
 * Invariant: pure; nothing becomes earlier. Times that only say when something is looked at again stay as they are.
 */

import type { SlotPage } from "../../slot_ports.ts";

type Timed = Pick<SlotPage, "hosts" | "domains" | "addresses">;

/** Rows whose next starts and windows end `aheadMs` later: the reader's clock is ahead by no more than that. */
export function shifted<P extends Timed>(page: P, aheadMs: number): P {
  if (aheadMs <= 0) return page;
  const later = <T extends { readonly startsUntil: number; readonly parallelUntil: number }>(held: T): T => ({
    ...held,
    startsUntil: held.startsUntil > 0 ? held.startsUntil + aheadMs : 0,
    parallelUntil: held.parallelUntil > 0 ? held.parallelUntil + aheadMs : 0,
  });
  return {
    ...page,
    hosts: page.hosts.map((row) => row.nextStartAt > 0 ? { ...row, nextStartAt: row.nextStartAt + aheadMs } : row),
    domains: page.domains.map((row) => ({ ...row, visits: row.visits.map(later) })),
    addresses: page.addresses.map((row) => ({ ...row, permits: row.permits.map(later) })),
  };
}
