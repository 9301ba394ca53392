/** A lease as an edge holds it, for tests of what it does under one: a gap of a second, a request at a time. */

import type { Lease } from "../../protocol/mod.ts";

export function edgeLease(changes: Partial<Lease> = {}): Lease {
  return {
    lease_id: "l",
    epoch: 1,
    crawl: { crawl_id: "c", user_agent: "outrider", polite: true },
    expires_in_ms: 90_000,
    gap_ms: 1_000,
    delay_factor: 0,
    delay_cap_ms: 60_000,
    first_start_in_ms: 0,
    max_parallel: 1,
    ...changes,
  } as Lease;
}
