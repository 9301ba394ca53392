/**
 * The edges that ask for leases: where they stand, when they last asked, and which of them are unhealthy by their own word.
 * Invariant: of this process only; at most MOST_WORKERS are known, those that asked last; an edge that fell silent is
 * forgotten after GONE_MS.
 */

import type { Logger } from "../../../runtime/ports.ts";
import type { LeaseRequest, WorkerId } from "../../../protocol/mod.ts";
import { LIMITS } from "../../../protocol/mod.ts";
import type { EdgeView } from "../../fleet_ports.ts";

const MOST_WORKERS = 1_024;
const GONE_MS = 3_600_000;
/** An edge that asked within this time counts as there: even one that is idle asks every few seconds. */
const LIVE_MS = 60_000;

interface Known {
  readonly region: string;
  readonly askedAt: number;
  /** "" = it is well. */
  readonly unhealthy: string;
  readonly unhealthySince: number;
}

export class WorkerBook {
  readonly #log: Pick<Logger, "warn" | "info">;
  readonly #known = new Map<WorkerId, Known>();

  constructor(log: Pick<Logger, "warn" | "info">) {
    this.#log = log;
  }

  /** `now`: wall ms, as everywhere here. */
  asked({ worker_id: worker, region, unhealthy: said = "" }: LeaseRequest, now: number): void {
    const unhealthy = said.slice(0, LIMITS.unhealthyChars);
    const before = this.#known.get(worker);
    const was = before?.unhealthy ?? "";
    if (was === "" && unhealthy !== "") this.#log.warn("edge_unhealthy", { worker, region, reason: unhealthy });
    if (was !== "" && unhealthy === "") this.#log.info("edge is healthy again", { worker, region });
    const unhealthySince = was === "" ? now : before!.unhealthySince;
    this.#known.delete(worker);
    this.#known.set(worker, { region, askedAt: now, unhealthy, unhealthySince });
    for (const [name, { askedAt }] of this.#known) {
      if (this.#known.size <= MOST_WORKERS && now - askedAt <= GONE_MS) break;
      this.#known.delete(name);
    }
  }

  /** In the order of their names. `leases`: what a worker holds. */
  views(now: number, leases: (worker: WorkerId) => number): EdgeView[] {
    const views = Array.from(this.#known, ([worker, { region, askedAt, unhealthy, unhealthySince }]): EdgeView => ({
      worker,
      region,
      leases: leases(worker),
      askedAgoMs: Math.max(0, now - askedAt),
      ...(unhealthy === "" ? {} : { unhealthy, unhealthyForMs: Math.max(0, now - unhealthySince) }),
    }));
    return views.sort((a, b) => a.worker < b.worker ? -1 : 1);
  }

  /** Why nothing is leased, when every edge that is there is unhealthy; "" otherwise, and without any edge. */
  trouble(now: number): string {
    const live = [...this.#known].filter(([, { askedAt }]) => now - askedAt <= LIVE_MS);
    const unwell = live.filter(([, { unhealthy }]) => unhealthy !== "");
    if (unwell.length === 0 || unwell.length < live.length) return "";
    const [worker, { unhealthy }] = unwell[0]!;
    const who = unwell.length === 1 ? `edge ${worker} is unhealthy` : `all ${unwell.length} edges are unhealthy`;
    return `waiting: ${who}: ${unhealthy}`;
  }
}
