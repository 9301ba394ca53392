/**
 * One run of one seed: builds the world, lets it run under troubles, then in peace until every crawl has ended, and says
 * which promise was broken, if any.
 * Invariant: nothing but the seed decides what happens; the same seed has the same trace on every runtime.
 */

import type { Core } from "../../core-wasm/core.ts";
import { NotObeyed, NotOwned, OwnerLost } from "../../coordinator/owner_ports.ts";
import type { Logger } from "../../runtime/ports.ts";
import { SlotMoving } from "../../coordinator/slot_ports.ts";
import { MemoryDirectoryStore } from "../../coordinator/store/memory_directory.ts";
import { type HostKey, shardOf, slotOf } from "../../protocol/mod.ts";
import { MemoryControlDisk } from "../../coordinator/store/memory_control_store.ts";
import { MemoryShardDisk } from "../../coordinator/store/memory_shard_store.ts";
import { testCore } from "../support/frontier.ts";
import { Chance } from "./chance.ts";
import { CommitCheck } from "./checks/commit_check.ts";
import { checkArchive, checkCaptures, checkCrawl, checkStats, type Ended } from "./checks/end_check.ts";
import { ReplyCheck } from "./checks/reply_check.ts";
import { type Asking, ServerCheck } from "./checks/server_check.ts";
import { Verdict } from "./checks/verdict.ts";
import { CoordinatorMachine, type Databases } from "./coordinator_machine.ts";
import { EdgeMachine } from "./edge_machine.ts";
import { expectedOf } from "./expected.ts";
import { Network } from "./network.ts";
import { Outages } from "./outages.ts";
import { Operator } from "./operator.ts";
import { type Scenario, scenarioOf } from "./scenario.ts";
import { Scheduler } from "./scheduler.ts";
import { GOOD_STORE } from "./slow_store.ts";
import { Trace } from "./trace.ts";
import { Troubles } from "./troubles.ts";
import { WebServer } from "./web_server.ts";

export interface SimulationResult {
  readonly seed: number;
  /** The first promise that was broken; undefined = all held. */
  readonly broken: string | undefined;
  readonly trace: string;
  readonly lines: readonly string[];
  readonly events: number;
  readonly virtualMs: number;
  /** Requests that servers saw, and those of them that came under a lease that was over. */
  readonly starts: number;
  readonly staleStarts: number;
  /** Harmed messages, commits and reads; troubles. */
  readonly faults: number;
  readonly troubles: Readonly<Record<string, number>>;
}

export interface SimulationOptions {
  /** Keep what happened as lines, and everything that was logged. */
  readonly keepsLines?: boolean;
}

/** Events (of one coordinator; several also look at one another) and virtual time after which a crawl that hasn't ended counts as stuck. */
const MOST_EVENTS = 400_000;
const MOST_PEACE_MS = 4 * 3_600_000;
/** Virtual time in which everything must come to rest once it is told to stop. */
const MOST_STOPPING_MS = 300_000;
const SETTLING_MS = 60_000;

export async function simulate(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  return await new Simulation(scenarioOf(seed), await testCore(), options).run();
}

class Simulation {
  readonly #scenario: Scenario;
  readonly #core: Core;
  readonly #scheduler = new Scheduler();
  readonly #verdict = new Verdict();
  readonly #trace: Trace;
  readonly #databases: Databases;
  readonly #outages = new Outages();
  readonly #coordinators: readonly CoordinatorMachine[];
  readonly #edges: readonly EdgeMachine[];
  readonly #network: Network;
  readonly #operator: Operator;
  readonly #troubles: Troubles;
  readonly #commits: CommitCheck;
  readonly #server: ServerCheck;
  #harmed = 0;

  constructor(scenario: Scenario, core: Core, options: SimulationOptions) {
    this.#scenario = scenario;
    this.#core = core;
    this.#trace = new Trace(options.keepsLines === true);
    const scheduler = this.#scheduler;
    const chance = new Chance(Math.imul(scenario.seed, 0xc2b2ae35) ^ 0x165667b1);
    const log = this.#log();
    this.#databases = {
      shards: Array.from({ length: scenario.shards }, () => new MemoryShardDisk()),
      control: new MemoryControlDisk(),
    };
    this.#coordinators = Array.from(
      { length: scenario.coordinators },
      (_, i) => this.#newCoordinator(`c${i}`, chance, log),
    );
    this.#operator = new Operator({
      scheduler,
      chance,
      coordinators: this.#coordinators,
      onError: (error) => this.#mustBeTrouble(error),
      onSlowed: (host, delayMs) => this.#server.policy(host, delayMs),
    });
    this.#commits = this.#newCommitCheck();
    this.#server = this.#newServerCheck();
    this.#network = this.#newNetwork(chance);
    this.#edges = this.#newEdges(chance, log);
    this.#troubles = new Troubles({
      scheduler,
      chance,
      scenario,
      coordinators: this.#coordinators,
      edges: this.#edges,
      network: this.#network,
      outages: this.#outages,
      operator: this.#operator,
      isBusy: (process) => this.#server.isBusy(process),
      moveSlotOf: (host) => this.#moveSlotOf(host, chance),
      onSuspend: (process) => this.#server.suspends(process),
    });
  }

  /** As an operator would, without the way through a coordinator. */
  #moveSlotOf(host: HostKey, chance: Chance): void {
    const disk = this.#databases.control.directory;
    const slot = slotOf(this.#core.xxh64(new TextEncoder().encode(this.#core.domainOf(host))));
    if (disk.map.shards < 2) return;
    const from = shardOf(disk.map, slot);
    const to = (from + 1 + chance.below(disk.map.shards - 1)) % disk.map.shards;
    void new MemoryDirectoryStore(disk).beginMove({ slot, from, to });
  }

  #log(): Logger {
    const say = (level: string) => (message: string, fields?: unknown) => {
      this.#trace.lines?.push(`${this.#scheduler.now.toFixed(3)} ${level} ${message} ${JSON.stringify(fields ?? {})}`);
    };
    return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
  }

  #say(text: string): void {
    this.#trace.add(this.#scheduler.now, text);
  }

  /** A failed store may be told to whoever asks; anything else that is thrown is a bug. */
  #mustBeTrouble(error: Error): void {
    const isTrouble = error instanceof OwnerLost || error instanceof NotOwned || error instanceof NotObeyed ||
      error instanceof SlotMoving;
    if (error.constructor === Error || isTrouble) return;
    this.#verdict.broken(`the coordinator threw ${error.stack ?? String(error)}`);
  }

  #newCoordinator(name: string, chance: Chance, log: Logger): CoordinatorMachine {
    const scenario = this.#scenario;
    return new CoordinatorMachine(name, {
      scheduler: this.#scheduler,
      chance,
      core: this.#core,
      log,
      databases: this.#databases,
      isAlone: scenario.coordinators === 1,
      outages: this.#outages,
      settings: scenario.settings,
      faults: () => this.#troubles.isOver ? GOOD_STORE : scenario.store,
      onHarm: () => this.#harmed++,
      onCommit: (shard, batch, by) => {
        const { batchSeq, newUrls, changedUrls, leases, captures } = batch;
        const sizes = [newUrls.length, changedUrls.length, leases.length, captures.length].join(" ");
        this.#say(`commit ${shard} ${batchSeq}: ${sizes} ${leases.map(({ leaseId }) => leaseId)}`);
        this.#commits.committed(batch, { shard, by, now: this.#scheduler.now });
      },
      onRefused: (shard, error) => {
        if (error instanceof OwnerLost && scenario.coordinators > 1) return;
        this.#verdict.broken(`shard ${shard}'s store refused a batch: ${error.message}`);
      },
    });
  }

  #newCommitCheck(): CommitCheck {
    const { crawls, settings } = this.#scenario;
    const limited = crawls.filter(({ spec }) => spec.max_pages !== undefined);
    return new CommitCheck(this.#verdict, {
      domainInFlight: settings.limits!.domainInFlight,
      movesSlots: this.#scenario.troubles.includes("slot moves"),
      pausedHosts: this.#operator.pausedHosts,
      pausedCrawls: this.#operator.pausedCrawls,
      maxPages: new Map(limited.map(({ id, spec }) => [id, spec.max_pages!])),
    });
  }

  #newServerCheck(): ServerCheck {
    const { crawls, delayMs, settings } = this.#scenario;
    const limits = settings.limits!;
    const parallel = Math.max(...crawls.map(({ spec }) => spec.politeness.max_parallel));
    return new ServerCheck(this.#verdict, this.#commits, {
      delayMs,
      robotsTtlMs: limits.robotsTtlMs,
      isParallel: parallel > 1,
      host: { inFlight: parallel, gapMs: 0 },
      domain: { inFlight: limits.domainInFlight, gapMs: limits.domainGapMs },
      address: { inFlight: limits.ipInFlight, gapMs: limits.ipGapMs },
      now: () => this.#scheduler.now,
    });
  }

  #newNetwork(chance: Chance): Network {
    const replies = new ReplyCheck({
      verdict: this.#verdict,
      commits: this.#commits,
      server: this.#server,
      isCutOff: (process) => this.#edges.some((edge) => edge.process === process && edge.outage !== undefined),
    });
    const network = new Network({
      scheduler: this.#scheduler,
      chance,
      coordinator: (host) => {
        const machine = this.#coordinators.find(({ name }) => name === host);
        return machine?.running && { ...machine.running, awakeAt: machine.awakeAt };
      },
      onArrival: (call) => {
        this.#say(`${call.from.name} asks ${call.verb}`);
        replies.arrived(call);
      },
      onError: (error) => this.#mustBeTrouble(error),
      onReply: (call, reply) => replies.replied(call, reply),
      onDelivered: (call, reply) => replies.delivered(call, reply),
    });
    network.faults = this.#scenario.network;
    return network;
  }

  #newEdges(chance: Chance, log: Logger): EdgeMachine[] {
    const { edges, plan, maxLeases, maxTargets } = this.#scenario;
    const scheduler = this.#scheduler;
    const web = {
      scheduler,
      chance,
      plan,
      server: new WebServer(plan, chance),
      onStart: (asking: Asking) => {
        this.#say(`${asking.by.name} starts ${asking.url}`);
        return this.#server.started(asking);
      },
      onAnswer: (...[url, status, by]: Parameters<ServerCheck["answered"]>) => this.#server.answered(url, status, by),
    };
    const onBug = (sentence: string) => this.#verdict.broken(sentence);
    const parts = {
      scheduler,
      chance,
      core: this.#core,
      log,
      network: this.#network,
      web,
      maxLeases,
      maxTargets,
      coordinators: this.#coordinators.map(({ name }) => name),
      onBug,
    };
    return Array.from({ length: edges }, (_, i) => new EdgeMachine(`e${i}`, parts));
  }

  async run(): Promise<SimulationResult> {
    const { crawls } = this.#scenario;
    for (const coordinator of this.#coordinators) coordinator.start();
    for (const crawl of crawls) this.#operator.createCrawl(crawl);
    for (const edge of this.#edges) edge.start();
    this.#troubles.begin();
    await this.#until(() => this.#isAtRest(), MOST_PEACE_MS, () => this.#whyStuck());
    if (this.#verdict.sentence === undefined) await this.#end();
    for (const coordinator of this.#coordinators) coordinator.kill();
    for (const edge of this.#edges) edge.kill();
    return this.#result();
  }

  #isAtRest(): boolean {
    // Now and then is enough: a crawl that has ended stays so.
    if (!this.#troubles.isOver || this.#scheduler.count % 16 !== 0) return false;
    if (!this.#operator.isIdle || this.#isAnybodyAsleep || this.#databases.control.directory.moves.size > 0) {
      return false;
    }
    return this.#coordinators.every(({ running }) => {
      const known = running?.verbs.crawls() ?? [];
      return known.length === this.#scenario.crawls.length && known.every(({ state }) => state === "finished");
    });
  }

  get #isAnybodyAsleep(): boolean {
    return this.#edges.some(({ isAsleep }) => isAsleep) || this.#coordinators.some(({ isAsleep }) => isAsleep);
  }

  #whyStuck(): string {
    const standing = this.#coordinators.map(({ name, running }) => {
      const verbs = running?.verbs;
      const crawls = verbs?.crawls().map(({ crawlId }) => JSON.stringify(verbs.stats(crawlId))).join("; ");
      return `${name} ${crawls ?? "doesn't start"}`;
    });
    const links = this.#databases.shards.map(({ counters, outbox, leases }, shard) => {
      const counted = [...counters.values()].map(({ crawlId, sent, received }) => `${crawlId} ${sent}>${received}`);
      return `shard ${shard}: ${outbox.size} outbox rows, ${leases.size} leases, sent>received ${counted}`;
    });
    return `faults stopped, but a crawl doesn't end: ${[...standing, ...links].join(" | ")}`;
  }

  async #until(isDone: () => boolean, mostMs: number, whyNot: () => string): Promise<void> {
    const start = this.#scheduler.now;
    const peaceFrom = Math.max(start, this.#scenario.troubledMs);
    const isOver = () => this.#verdict.sentence !== undefined || isDone();
    const isTooLate = () =>
      this.#scheduler.count > MOST_EVENTS * this.#scenario.coordinators ** 2 ||
      this.#scheduler.now > peaceFrom + mostMs;
    const goesOn = await this.#scheduler.run(() => isOver() || isTooLate());
    if (!isOver()) this.#verdict.broken(goesOn ? whyNot() : `nothing happens any more; ${whyNot()}`);
  }

  /** Everything is told to stop, stops, and is looked at. */
  async #end(): Promise<void> {
    const running = this.#coordinators.map((coordinator) => coordinator.running!.verbs);
    // One that lost a shard while it could not be read finds that out at its next try, half a minute later at most.
    const restedAt = this.#scheduler.now + SETTLING_MS;
    await this.#until(() => this.#scheduler.now >= restedAt, MOST_STOPPING_MS, () => "time stands still");
    for (const verbs of running) checkStats(this.#verdict, this.#commits, verbs);
    for (const edge of this.#edges) edge.stop();
    await this.#until(() => this.#edges.every(({ isOver }) => isOver), MOST_STOPPING_MS, () => "a worker doesn't stop");
    let open = running.length;
    for (const verbs of running) {
      verbs.close().then(() => open--, (error) => this.#verdict.broken(`closing failed: ${String(error)}`));
    }
    await this.#until(() => open === 0, MOST_STOPPING_MS, () => "a coordinator doesn't close");
    const ended: Ended = {
      verdict: this.#verdict,
      commits: this.#commits,
      disks: this.#databases.shards,
      files: new Map(this.#edges.map(({ name, files }) => [name, files])),
    };
    for (const { id, spec } of this.#scenario.crawls) {
      checkCrawl(ended, id, expectedOf(this.#scenario.plan, spec.seeds, this.#core), spec.max_pages);
    }
    for (const { id } of this.#scenario.crawls) checkCaptures(ended, id);
    await checkArchive(ended);
  }

  #result(): SimulationResult {
    const troubles = [...this.#troubles.counts];
    return {
      seed: this.#scenario.seed,
      broken: this.#verdict.sentence,
      trace: this.#trace.hash,
      lines: this.#trace.lines ?? [],
      events: this.#scheduler.count,
      virtualMs: this.#scheduler.now,
      starts: this.#server.starts,
      staleStarts: this.#server.staleStarts,
      faults: this.#harmed + this.#network.harmed + troubles.reduce((sum, [, count]) => sum + count, 0),
      troubles: Object.fromEntries(troubles),
    };
  }
}
