/**
 * Brings the troubles of a scenario, and ends them.
 * Invariant: after `heal` every machine runs, every link is up, nothing is paused, and no further fault comes.
 */

import { LEAST_HOSTS } from "../../edge/health/health.ts";
import type { HostKey } from "../../protocol/mod.ts";
import type { Chance } from "./chance.ts";
import type { CoordinatorMachine } from "./coordinator_machine.ts";
import type { EdgeMachine } from "./edge_machine.ts";
import type { Process, SuspendKind } from "./machine.ts";
import type { Network } from "./network.ts";
import type { Outages } from "./outages.ts";
import type { Operator } from "./operator.ts";
import type { Scenario, Trouble } from "./scenario.ts";
import type { Scheduler } from "./scheduler.ts";

export interface TroubleParts {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly scenario: Scenario;
  readonly coordinators: readonly CoordinatorMachine[];
  readonly edges: readonly EdgeMachine[];
  readonly network: Network;
  readonly outages: Outages;
  readonly operator: Operator;
  /** Sends the slot of a host to any other shard. */
  readonly moveSlotOf: (host: HostKey) => void;
  readonly onSuspend: (process: Process) => void;
  /** The process holds a lease. */
  readonly isBusy: (process: Process) => boolean;
}

/** Time between two tries to set a clock right. */
const CLOCK_MS = 5_000;

export class Troubles {
  readonly #parts: TroubleParts;
  #isOver = false;
  /** How many of each came. */
  readonly counts = new Map<Trouble, number>();

  constructor(parts: TroubleParts) {
    this.#parts = parts;
  }

  begin(): void {
    const { scheduler, scenario } = this.#parts;
    if (scenario.troubles.length > 0) this.#next();
    scheduler.plan({ afterMs: scenario.troubledMs }, () => this.#heal());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  #after(afterMs: number, run: () => void): void {
    this.#parts.scheduler.plan({ afterMs }, run);
  }

  #next(): void {
    const { chance, scenario } = this.#parts;
    this.#after(2 * chance.next() * scenario.troubleEveryMs, () => {
      if (this.#isOver) return;
      const trouble = chance.pick(scenario.troubles);
      this.counts.set(trouble, (this.counts.get(trouble) ?? 0) + 1);
      this.#bring(trouble);
      this.#next();
    });
  }

  #bring(trouble: Trouble): void {
    const { chance, edges, coordinators, operator, scenario, isBusy } = this.#parts;
    const coordinator = coordinators.length === 1 ? coordinators[0]! : chance.pick(coordinators);
    // Busy machines are the ones where trouble tells.
    const busy = edges.filter((edge) => edge.process !== undefined && isBusy(edge.process));
    const edge = chance.pick(busy.length > 0 && chance.is(0.8) ? busy : edges);
    const host = chance.pick([...scenario.plan.hosts.keys()]);
    switch (trouble) {
      case "edge dies":
        edge.kill();
        return this.#after(chance.next() * 60_000, () => edge.process === undefined && edge.start());
      case "coordinator dies":
        coordinator.kill();
        return this.#after(chance.next() * 20_000, () => coordinator.isUp || coordinator.start());
      case "edge is suspended":
        return this.#suspend(edge);
      case "edge is cut off":
        return this.#cut(edge, chance.next() * 120_000);
      case "clock jumps":
        edge.clock.skewMs += (chance.next() - 0.5) * 20_000;
        return;
      case "disk fails":
        edge.files.failingSyncs += 1 + chance.below(3);
        return;
      case "edge loses the web":
        return this.#loseWeb(edge);
      case "host paused":
        return operator.pauseHost(host, chance.next() * 60_000);
      case "crawl paused":
        return operator.pauseCrawl(chance.pick(scenario.crawls).id, chance.next() * 60_000);
      case "host slowed":
        return operator.slowHost(host, 3 * scenario.delayMs);
      case "coordinator is suspended":
        return this.#suspendCoordinator(coordinator);
      case "coordinator loses its databases":
        return this.#after(chance.next() * 90_000, this.#parts.outages.cutOff(coordinator.name));
      case "shard is down":
        return this.#after(chance.next() * 120_000, this.#parts.outages.take(chance.below(scenario.shards)));
      case "directory is down":
        return this.#after(chance.next() * 60_000, this.#parts.outages.take(undefined));
      case "slot moves":
        return this.#parts.moveSlotOf(host);
      case "coordinator stops":
        return coordinator.stop(chance.next() * 60_000);
    }
  }

  /** For a moment, or for longer than a lease lasts: then what the edge starts afterwards is stale. */
  #suspend(edge: EdgeMachine): void {
    const { chance, scheduler } = this.#parts;
    if (edge.process === undefined || edge.isAsleep) return;
    const kind = chance.pick(["wall", "both", "none", "none"] as const satisfies readonly SuspendKind[]);
    const ms = chance.is(0.3) ? chance.next() * 20_000 : 95_000 + chance.next() * 80_000;
    this.#parts.onSuspend(edge.process);
    edge.suspend(ms, kind);
    // A machine that was moved may find its coordinator far away.
    if (chance.is(0.6)) this.#after(ms, () => this.#cut(edge, chance.next() * 60_000));
    if (kind !== "none") return;
    scheduler.plan({ afterMs: ms + chance.next() * 60_000 }, () => edge.clock.skewMs += ms);
  }

  /** Its link or its resolver, perhaps the coordinator with it. With fewer hosts it couldn't know whose fault it is. */
  #loseWeb(edge: EdgeMachine): void {
    const { chance } = this.#parts;
    if ((edge.health?.hostsAnswered ?? 0) < LEAST_HOSTS || edge.outage !== undefined) return;
    edge.outage = chance.pick(["link", "resolver"] as const);
    const ms = chance.next() * 120_000;
    if (edge.outage === "link" && chance.is(0.5)) this.#cut(edge, ms);
    this.#after(ms, () => edge.outage = undefined);
  }

  /** A machine whose wall clock stood still has it set right later. */
  #suspendCoordinator(coordinator: CoordinatorMachine): void {
    const { chance } = this.#parts;
    const ms = chance.next() * 60_000;
    const kind = chance.pick(["wall", "both", "none"] as const);
    coordinator.suspend(ms, kind);
    if (kind === "none") this.#after(ms + chance.next() * 60_000, () => this.#setRight(coordinator));
  }

  #setRight(coordinator: CoordinatorMachine): void {
    if (!coordinator.setClockRight()) this.#after(CLOCK_MS, () => this.#setRight(coordinator));
  }

  #cut(edge: EdgeMachine, ms: number): void {
    const { network } = this.#parts;
    const name = edge.process?.name;
    if (name === undefined || this.#isOver) return;
    network.cut.add(name);
    this.#after(ms, () => network.cut.delete(name));
  }

  #heal(): void {
    const { network, edges, coordinators, operator } = this.#parts;
    this.#isOver = true;
    network.heal();
    this.#parts.outages.end();
    for (const edge of edges) {
      edge.files.failingSyncs = 0;
      edge.outage = undefined;
      if (edge.process === undefined) edge.start();
    }
    for (const coordinator of coordinators) if (!coordinator.isUp) coordinator.start();
    operator.resumeAll();
  }
}
