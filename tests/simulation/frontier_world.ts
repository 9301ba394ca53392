/**
 * A web and its servers, and workers that fetch from it under leases, for simulations of the frontier.
 * Invariant: the servers see every request start; workers keep the rules of their leases, but may die, hand back, answer
 * late and repeat themselves.
 */

import type { Coordinator } from "../../coordinator/ports.ts";
import type { Lease, LeaseReply, Outcome, Target } from "../../protocol/mod.ts";
import { fetched, robots } from "../support/frontier.ts";
import type { VirtualClock } from "../support/virtual_clock.ts";
import type { Chance } from "./chance.ts";

export const DELAY_MS = 1_000;

/** Pages that link to each other, over several hosts of several domains; the first page reaches what it reaches. */
export class SmallWeb {
  readonly links = new Map<string, string[]>();
  readonly #lastStart = new Map<string, number>();
  readonly #failuresLeft = new Map<string, number>();
  /** Gaps at a server that were too short. */
  readonly tooEarly: string[] = [];

  constructor(chance: Chance, hosts: number, pages: number) {
    const urls = Array.from({ length: hosts * pages }, (_, i) => {
      const host = i % hosts;
      return `https://h${host}.d${host % 3}.example/p${Math.floor(i / hosts)}`;
    });
    for (const url of urls) {
      this.links.set(url, Array.from({ length: 4 }, () => chance.pick(urls)));
      this.#failuresLeft.set(url, chance.below(3));
    }
    this.seed = urls[0]!;
  }

  readonly seed: string;

  reachable(): Set<string> {
    const found = new Set([this.seed]);
    for (const url of found) for (const link of this.links.get(url)!) found.add(link);
    return found;
  }

  /** One request arrives at `now`. */
  answer(target: Target, now: number, chance: Chance): Outcome {
    const { hostname } = new URL(target.url);
    const last = this.#lastStart.get(hostname) ?? -Infinity;
    if (now - last < DELAY_MS) this.tooEarly.push(`${target.url}: ${now - last} ms after the last`);
    this.#lastStart.set(hostname, now);
    if (target.kind === "robots") return robots(target);
    const failuresLeft = this.#failuresLeft.get(target.url)!;
    if (failuresLeft > 0 && chance.is(0.3)) {
      this.#failuresLeft.set(target.url, failuresLeft - 1);
      const failure = chance.pick(["http_503", "read_timeout", "protocol"] as const);
      return { status: "failed", target_id: target.target_id, failure, requests: 1 };
    }
    return fetched(target, this.links.get(target.url)!);
  }
}

interface Held {
  readonly lease: Lease;
  readonly sentAt: number;
  nextStartAt: number;
  lastStartAt: number | undefined;
  readonly left: Target[];
  unreported: Outcome[];
}

/** One edge: fetches one target at a time per lease, as its leases allow. */
export class Worker {
  readonly id: string;
  readonly #web: SmallWeb;
  readonly #clock: VirtualClock;
  readonly #chance: Chance;
  #held: Held[] = [];
  /** Completions of leases that are lost to it: sent again much later. */
  readonly ghosts: Held[] = [];

  constructor(id: string, parts: { web: SmallWeb; clock: VirtualClock; chance: Chance }) {
    this.id = id;
    this.#web = parts.web;
    this.#clock = parts.clock;
    this.#chance = parts.chance;
  }

  async lease(coordinator: Coordinator): Promise<void> {
    const sentAt = this.#clock.wallMs();
    const reply: LeaseReply = await coordinator.lease({
      worker_id: this.id,
      region: "sim",
      max: 1 + this.#chance.below(20),
      max_leases: 1 + this.#chance.below(4),
      holding: this.#held.length,
    });
    for (const lease of reply.leases) {
      const nextStartAt = this.#clock.wallMs() + lease.first_start_in_ms;
      const left = [...lease.targets];
      this.#held.push({ lease, sentAt, nextStartAt, left, lastStartAt: undefined, unreported: [] });
    }
    if (reply.outbox.length > 0) {
      const rows = reply.outbox;
      await coordinator.deliverOutbox({ worker_id: this.id, rows });
      if (this.#chance.is(0.2)) return;
      await coordinator.ackOutbox({ worker_id: this.id, rows });
    }
  }

  /** Starts what may start now; reports some of it. */
  async work(coordinator: Coordinator): Promise<void> {
    for (const held of [...this.#held]) {
      const now = this.#clock.wallMs();
      if (now >= held.sentAt + held.lease.expires_in_ms) {
        this.#drop(held);
        continue;
      }
      if (now >= held.nextStartAt && held.left.length > 0) {
        held.unreported.push(this.#web.answer(held.left.shift()!, now, this.#chance));
        held.lastStartAt = now;
        held.nextStartAt = now + held.lease.gap_ms;
      }
      const isDone = held.left.length === 0 || this.#chance.is(0.03);
      // Once it has said that it is done, nothing more may start, whether or not the answer came.
      if (isDone) held.left.length = 0;
      if (isDone || (held.unreported.length > 0 && this.#chance.is(0.4))) await this.#report(coordinator, held, isDone);
    }
  }

  async #report(coordinator: Coordinator, held: Held, done: boolean): Promise<void> {
    const outcomes = held.unreported;
    const reply = await coordinator.complete(this.#completion(held, outcomes, done));
    if (this.#chance.is(0.1)) await coordinator.complete(this.#completion(held, outcomes, done));
    held.unreported = [];
    if (done || reply.status === "stale") this.#held = this.#held.filter((other) => other !== held);
  }

  #completion(held: Held, outcomes: readonly Outcome[], done: boolean) {
    const { lease_id, epoch, slot } = held.lease;
    const lastStart = held.lastStartAt === undefined
      ? {}
      : { last_start_ago_ms: this.#clock.wallMs() - held.lastStartAt };
    return { worker_id: this.id, lease_id, epoch, slot, outcomes, done, ...lastStart };
  }

  #drop(held: Held): void {
    this.#held = this.#held.filter((other) => other !== held);
    this.ghosts.push(held);
  }

  /** Its process dies: what it holds is never reported. */
  die(): void {
    this.ghosts.push(...this.#held);
    this.#held = [];
  }

  /** A long lost completion arrives after all. */
  async haunt(coordinator: Coordinator): Promise<void> {
    const ghost = this.ghosts.shift();
    if (ghost === undefined) return;
    const outcomes = ghost.lease.targets.filter(({ kind }) => kind === "page").map((target) =>
      fetched(target, ["https://ghost.example/"])
    );
    const isOver = this.#clock.wallMs() > ghost.sentAt + ghost.lease.expires_in_ms + 240_000;
    if (isOver) await coordinator.complete(this.#completion(ghost, outcomes, true));
    else this.ghosts.push(ghost);
  }
}
