/**
 * Coordinators that answer as a test says, by URL, on a virtual clock; and an edge's frontier that asks them.
 * Invariant: every request is noted in the order in which it was sent; nothing here decides who is asked.
 */

import { createFleetFrontier, type FleetFrontier } from "../../edge/adapters/fleet_frontier.ts";
import type { Lease, LeaseReply, SlotMap } from "../../protocol/mod.ts";
import { evenSlotMap } from "../../protocol/mod.ts";
import type { Logger } from "../../runtime/ports.ts";
import { countingRandom } from "./frontier.ts";
import { VirtualClock } from "./virtual_clock.ts";

export interface Asked {
  readonly base: string;
  /** Behind `v1/frontier/`. */
  readonly verb: string;
  readonly request: Record<string, unknown>;
  readonly at: number;
}

/** What is answered: JSON with a status, nothing at all, or a connection that fails. */
export type Scripted = { readonly status: number; readonly body: unknown } | "silence" | "refused";

export class ScriptedFleet {
  readonly clock = new VirtualClock();
  readonly asked: Asked[] = [];
  readonly warnings: string[] = [];
  readonly #answers = new Map<string, (asked: Asked) => Scripted | Promise<Scripted>>();
  readonly #stop = new AbortController();

  /** How the coordinator at `base` answers from now on. */
  at(base: string, answer: (asked: Asked) => Scripted | Promise<Scripted>): void {
    this.#answers.set(base, answer);
  }

  frontier(...baseUrls: readonly string[]): FleetFrontier {
    const note = () => {};
    const warn = (message: string) => void this.warnings.push(message);
    const log: Logger = { debug: note, info: note, warn, error: note };
    const { clock } = this;
    const signal = this.#stop.signal;
    return createFleetFrontier({ baseUrls, clock, random: countingRandom(), log, signal, fetch: this.#fetch });
  }

  /** The edge is to stop. */
  stop(): void {
    this.#stop.abort();
  }

  /** How often each coordinator was asked for something, as "base verb". */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { base, verb } of this.asked) {
      const name = `${base} ${verb}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  #fetch = (async (input: URL, init: RequestInit): Promise<Response> => {
    const { signal } = init;
    const [base, verb] = input.href.split("v1/frontier/") as [string, string];
    const request = init.body === undefined ? {} : JSON.parse(init.body as string);
    const asked: Asked = { base, verb, request, at: this.clock.monotonicMs() };
    this.asked.push(asked);
    const answer = await Promise.race([this.#answers.get(base)?.(asked) ?? "refused", aborted(signal!)]);
    if (answer === "refused") throw new Error("connection refused");
    if (answer === "silence") throw await aborted(signal!);
    return new Response(JSON.stringify(answer.body), { status: answer.status });
  }) as typeof fetch;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new Error("aborted"));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

export const ok = (body: unknown = {}): Scripted => ({ status: 200, body });

/** Two shards; the owners of both, with their terms. */
export function mapOf(...owners: readonly (readonly [url: string, term: number])[]): SlotMap {
  return { ...evenSlotMap(owners.length), owners: owners.map(([url, term]) => ({ url, term })) };
}

export const misdirected = (slot_map: SlotMap): Scripted => ({ status: 421, body: { detail: "not mine", slot_map } });

export function leaseReply(slot_map: SlotMap, leases: readonly Lease[], more: Partial<LeaseReply> = {}): Scripted {
  return ok({ leases, outbox: [], retry_after_ms: 5_000, reason: leases.length > 0 ? "" : "idle", slot_map, ...more });
}

/** A lease of 90 s, without targets. */
export function leaseNamed(lease_id: string, slot: number): Lease {
  const robots = [{ origin: "http://a.test", class: "allow_all", expires_in_ms: 60_000 }] as const;
  return {
    lease_id,
    slot,
    epoch: 1,
    host: "a.test",
    expires_in_ms: 90_000,
    first_start_in_ms: 3_000,
    gap_ms: 1_000,
    max_parallel: 1,
    targets: [],
    robots,
  } as unknown as Lease;
}
