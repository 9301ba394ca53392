/**
 * Edges in several regions, hosts at known distances from each, for simulations of placement.
 * Invariant: a connection takes exactly the round trip of the matrix; an edge keeps the gap of its leases and connects
 * anew when its connection to the host was idle for `KEEP_ALIVE_MS` or has carried what servers let it carry. Everything
 * follows from the seed.
 */

import type { Coordinator } from "../../coordinator/ports.ts";
import type { Failed, Lease, Outcome, Target, Timings } from "../../protocol/mod.ts";
import { fetched, robots, spec } from "../support/frontier.ts";
import type { VirtualClock } from "../support/virtual_clock.ts";
import type { Chance } from "./chance.ts";

const STEP_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;
const REQUESTS_PER_CONNECTION = 8;
/** Eleven targets fit into a lease. */
const DELAY_MS = 6_000;

/** What happens to a request: an answer, a 403, or no connection. */
export type Reception = "answered" | "forbidden" | "unreachable";

export interface RegionPlan {
  /** As the edges call themselves; "" makes them edges of no region. */
  readonly names: readonly string[];
  readonly hosts: number;
  readonly pagesPerHost: number;
  /** Round trip between the `region`th region and a host, ms. */
  readonly rttMs: (region: number, host: number) => number;
  /** Most leases that an edge holds; 0 = it doesn't ask. */
  readonly room: (region: number) => number;
  readonly reception: (region: number, host: number) => Reception;
}

interface Held {
  readonly lease: Lease;
  readonly endsAt: number;
}

/** One granted lease, as the world saw it. */
export interface Granted {
  readonly region: number;
  readonly host: number;
  /** Fetches that the host had had before. */
  readonly fetchesBefore: number;
  readonly at: number;
}

export const hostName = (host: number) => `h${host}.example`;
const indexOf = (host: string) => Number(/^h(\d+)/.exec(host)![1]);

export class RegionWorld {
  /** May be changed while it runs. */
  plan: RegionPlan;
  readonly granted: Granted[] = [];
  /** Every new connection's time, ms. */
  readonly connectTimesMs: number[] = [];
  readonly #clock: VirtualClock;
  readonly #chance: Chance;
  readonly #held: Held[][];
  readonly #fetches = new Map<number, number>();
  readonly #connections = new Map<string, { lastUse: number; requests: number }>();

  constructor(plan: RegionPlan, parts: { clock: VirtualClock; chance: Chance }) {
    this.plan = plan;
    this.#clock = parts.clock;
    this.#chance = parts.chance;
    this.#held = plan.names.map(() => []);
  }

  async begin(coordinator: Coordinator): Promise<void> {
    const { hosts, pagesPerHost } = this.plan;
    const seeds = Array.from(
      { length: hosts * pagesPerHost },
      (_, i) => `https://${hostName(i % hosts)}/p${Math.floor(i / hosts)}`,
    );
    const politeness = { delay_ms: DELAY_MS, delay_factor: 0, delay_cap_ms: 60_000, max_parallel: 1 };
    await coordinator.createCrawl("c", spec(seeds, { politeness }));
  }

  /** Runs for `ms` of virtual time; in each step edges report and ask in an order by chance. */
  async run(coordinator: Coordinator, ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      const order = this.plan.names.map((_, region) => ({ region, draw: this.#chance.next() }));
      for (const { region } of order.sort((a, b) => a.draw - b.draw)) await this.#work(coordinator, region);
      await this.#clock.advance(STEP_MS);
    }
  }

  /** Its edges are gone, with what they held. */
  kill(region: number): void {
    this.#held[region] = [];
  }

  async #work(coordinator: Coordinator, region: number): Promise<void> {
    const now = this.#clock.wallMs();
    const room = this.plan.room(region);
    for (const { lease } of this.#held[region]!.filter(({ endsAt }) => endsAt <= now)) {
      await coordinator.complete(this.#completion(region, lease));
    }
    const held = this.#held[region] = this.#held[region]!.filter(({ endsAt }) => endsAt > now);
    const free = room - held.length;
    if (free <= 0) return;
    const reply = await coordinator.lease({
      worker_id: `w${region}`,
      region: this.plan.names[region]!,
      max: 1_000,
      max_leases: free,
      holding: held.length,
    });
    for (const lease of reply.leases) {
      const host = indexOf(lease.host);
      this.granted.push({ region, host, fetchesBefore: this.#fetches.get(host) ?? 0, at: now });
      held.push({ lease, endsAt: now + lease.first_start_in_ms + lease.targets.length * lease.gap_ms });
    }
  }

  #completion(region: number, lease: Lease) {
    const { lease_id, epoch, slot } = lease;
    const outcomes: Outcome[] = [];
    const start = this.#clock.wallMs() - lease.targets.length * lease.gap_ms;
    for (const [i, target] of lease.targets.entries()) {
      const outcome = this.#fetch(region, target, start + i * lease.gap_ms);
      outcomes.push(outcome);
      if (outcome.status === "failed") break;
    }
    return { worker_id: `w${region}`, lease_id, epoch, slot, outcomes, done: true, last_start_ago_ms: lease.gap_ms };
  }

  #fetch(region: number, target: Target, at: number): Outcome {
    const host = indexOf(new URL(target.url).hostname);
    const { target_id } = target;
    const reception = this.plan.reception(region, host);
    this.#fetches.set(host, (this.#fetches.get(host) ?? 0) + 1);
    if (reception === "unreachable") return refused(target);
    const timings = this.#timings(region, host, at);
    const code = reception === "forbidden" ? 403 : 200;
    if (target.kind === "robots") return { ...robots(target, { http_code: code === 200 ? 404 : code }), timings };
    return fetched(target, [], { target_id, timings, http_code: code });
  }

  #timings(region: number, host: number, at: number): Timings {
    const rttMs = this.plan.rttMs(region, host);
    const name = `${region} ${host}`;
    const base = { started_ago_ms: 0, total_ms: 2 * rttMs };
    const kept = this.#connections.get(name);
    if (kept !== undefined && at - kept.lastUse < KEEP_ALIVE_MS && kept.requests < REQUESTS_PER_CONNECTION) {
      this.#connections.set(name, { lastUse: at, requests: kept.requests + 1 });
      return base;
    }
    this.#connections.set(name, { lastUse: at, requests: 1 });
    this.connectTimesMs.push(rttMs);
    return { ...base, connect_ms: rttMs, tcp_ms: rttMs };
  }
}

function refused(target: Target): Outcome {
  const { target_id } = target;
  if (target.kind === "robots") {
    const { http_code: _, ...silence } = robots(target, { class: "unreachable", failure: "connect_refused" });
    return silence;
  }
  return { status: "failed", target_id, failure: "connect_refused", requests: 1 } satisfies Failed;
}
