/**
 * The frontier verbs over HTTP, of an edge that works for one coordinator or for several: each verb goes to whoever owns
 * what it is about.
 * Invariant: same meaning as one coordinator that has everything; a completion is kept and sent until its owner has it,
 * whoever that becomes.
 */

import type { FrontierVerbs, Lease, LeaseRequest, WorkerId } from "../../protocol/mod.ts";
import { FleetCalls } from "./fleet_calls.ts";
import { FleetLeases } from "./fleet_leases.ts";
import { FleetMap, type FleetOptions } from "./fleet_map.ts";
import { frontierVerbs } from "./verbs.ts";

export interface FleetFrontier extends FrontierVerbs {
  /** Ends calls that wait; later ones are rejected. */
  close(): Promise<void>;
}

/**
 * Throws a sentence when a URL or the token is none. Verbs reject with CoordinatorRefused (a sentence, with the status)
 * when a coordinator refuses for good, e.g. 401 for a wrong token; with an Error once the edge stops.
 */
export function createFleetFrontier(options: FleetOptions): FleetFrontier {
  const fleet = new FleetMap(options);
  const calls = new FleetCalls(fleet, options);
  const verbs = frontierVerbs(calls);
  const release = async (worker_id: WorkerId, leases: readonly Lease[]): Promise<void> => {
    const named = leases.map(({ lease_id, epoch, slot }) => ({ lease_id, epoch, slot }));
    // Lost, they end by their time.
    await verbs.release({ worker_id, leases: named, reason: "they came too late" }).catch(() => {});
  };
  const leases = new FleetLeases(fleet, calls, { ...options, release });
  let worker: WorkerId = "";
  return {
    ...verbs,
    async lease(request: LeaseRequest) {
      worker = request.worker_id;
      return await leases.lease(request);
    },
    async close() {
      const left = await leases.left();
      if (left.length > 0) await release(worker, left);
      fleet.close();
    },
  };
}
