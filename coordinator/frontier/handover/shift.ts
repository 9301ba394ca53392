/**
 * Times that one machine's clock wrote, as another's reads them.
 * Invariant: pure; nothing becomes earlier. Times that only say when something is looked at again stay as they are.
 */

import type { SlotPage } from "../../slot_ports.ts";

type Timed = Pick<SlotPage, "hosts" | "domains" | "addresses">;

/**
 * Rows whose next starts and windows end `aheadMs` later: the reader's clock is ahead by no more than that. Those up to
 * `afterMs` stay: they had come true when the rows were written.
 */
export function shifted<P extends Timed>(page: P, aheadMs: number, afterMs = 0): P {
  if (aheadMs <= 0) return page;
  const moved = (time: number) => time > afterMs ? time + aheadMs : time;
  const later = <T extends { readonly startsUntil: number; readonly parallelUntil: number }>(held: T): T => ({
    ...held,
    startsUntil: moved(held.startsUntil),
    parallelUntil: moved(held.parallelUntil),
  });
  return {
    ...page,
    hosts: page.hosts.map((row) => row.nextStartAt > afterMs ? { ...row, nextStartAt: moved(row.nextStartAt) } : row),
    domains: page.domains.map((row) => ({ ...row, visits: row.visits.map(later) })),
    addresses: page.addresses.map((row) => ({ ...row, permits: row.permits.map(later) })),
  };
}
