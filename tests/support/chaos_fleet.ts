/**
 * Several coordinators on one frontier and their edges, as processes that are killed, stopped for a while and started
 * again at random.
 * Invariant: chance alone decides what is done to whom and when; at least one coordinator is up at any time; `stop` ends
 * every process that was started here, and resolves when they have gone.
 */

import process from "node:process";
import type { Chance } from "../simulation/chance.ts";
import { type Answer, answerWhen, ask, isFinished, OPERATOR } from "./operator.ts";
import { type Outrider, spawnOutrider } from "./outrider_process.ts";
import { freePorts } from "./ports.ts";
import type { TemporaryFolder } from "./temporary.ts";

export interface ChaosOptions {
  readonly folder: TemporaryFolder;
  readonly chance: Chance;
  readonly coordinators: number;
  readonly shards: number;
  /** Region of each edge. */
  readonly regions: readonly string[];
  readonly edgeFlags: readonly string[];
  readonly coordinatorFlags: readonly string[];
  /** A coordinator that is silent for so long loses its shards, ms. */
  readonly ownerTtlMs: number;
}

interface Seat {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  running: Outrider | undefined;
}

/** Between two troubles, ms; a process that was killed is down for up to as long. */
const CALM_MS = { least: 1_000, most: 5_000 };

export class ChaosFleet {
  readonly #options: ChaosOptions;
  readonly #coordinators: Seat[] = [];
  readonly #edges: Seat[] = [];
  readonly #all: Outrider[] = [];
  #urls: readonly string[] = [];
  /** What was done, in words. */
  readonly troubles: string[] = [];

  constructor(options: ChaosOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { folder, coordinators, shards, regions, edgeFlags, coordinatorFlags, ownerTtlMs } = this.#options;
    const ports = await freePorts(coordinators);
    this.#urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const edges = regions.map((_, i) => `edge-${i}`);
    const tokens = [`operator:${OPERATOR}`, ...edges.map((name) => `edge:${name}:${name}-secret`)].join(" ");
    const shared = ["--cluster", "--data", folder.file("shared"), "--shards", String(shards)];
    for (const [i, port] of ports.entries()) {
      const flags = ["--port", String(port), "--owner-ttl-ms", String(ownerTtlMs)];
      const args = ["coordinator", ...shared, ...flags, ...coordinatorFlags];
      this.#coordinators.push({ name: `coordinator ${i}`, args, env: { OUTRIDER_TOKENS: tokens }, running: undefined });
    }
    for (const [i, name] of edges.entries()) {
      const where = this.#urls.flatMap((url) => ["--coordinator", url]);
      const flags = ["--region", regions[i]!, "--worker", name, "--data", folder.file(name)];
      const env = { OUTRIDER_TOKEN: `${name}-secret` };
      this.#edges.push({ name, args: ["edge", ...where, ...flags, ...edgeFlags], env, running: undefined });
    }
    for (const seat of this.#coordinators) await this.#run(seat).line(/listens on/);
    for (const seat of this.#edges) this.#run(seat);
  }

  #run(seat: Seat): Outrider {
    const running = spawnOutrider(seat.args, { env: seat.env });
    seat.running = running;
    this.#all.push(running);
    return running;
  }

  /** Troubles until `endAt` (wall ms); then everything runs. Returns how many kills there were. */
  async suffer(endAt: number): Promise<number> {
    const { chance } = this.#options;
    let kills = 0;
    while (Date.now() < endAt) {
      await pause(CALM_MS.least + chance.next() * (CALM_MS.most - CALM_MS.least));
      const isAbove = chance.is(0.4);
      const seats = (isAbove ? this.#coordinators : this.#edges).filter(({ running }) => running !== undefined);
      const up = this.#coordinators.filter(({ running }) => running !== undefined);
      if (isAbove && up.length < 2) continue;
      const seat = chance.pick(seats);
      if (chance.is(0.25)) {
        const ms = chance.next() * 2 * this.#options.ownerTtlMs;
        this.troubles.push(`${seat.name} stands still for ${Math.round(ms)} ms`);
        process.kill(seat.running!.pid, "SIGSTOP");
        await pause(ms);
        process.kill(seat.running!.pid, "SIGCONT");
      } else {
        this.troubles.push(`${seat.name} is killed`);
        kills++;
        await this.#kill(seat);
        await pause(chance.next() * CALM_MS.most);
        this.#run(seat);
      }
    }
    return kills;
  }

  async #kill(seat: Seat): Promise<void> {
    const { running } = seat;
    seat.running = undefined;
    running?.kill("SIGKILL");
    await running?.ended;
  }

  /** Asks one coordinator after the other until one answers with a success. */
  async api(path: string, body?: unknown): Promise<Answer> {
    let failure = "";
    for (let tries = 0; tries < 100; tries++) {
      const url = this.#urls[tries % this.#urls.length]!;
      try {
        return await ask(url, path, { body, signal: AbortSignal.timeout(10_000) });
      } catch (error) {
        failure = String(error);
      }
      await pause(200);
    }
    throw new Error(`${path} was asked of ${this.#urls.join(", ")} and never answered: ${failure}`);
  }

  untilFinished(crawlId: string, patienceMs: number): Promise<Answer> {
    return answerWhen(() => this.api(`/v1/crawls/${crawlId}/stats`), isFinished, patienceMs);
  }

  /** Edges end by themselves; what they wrote last is whole then. */
  async settle(): Promise<void> {
    const running = this.#edges.flatMap((seat) => seat.running ?? []);
    for (const edge of running) edge.kill("SIGTERM");
    await Promise.all(running.map((edge) => edge.ended));
  }

  async stop(): Promise<void> {
    for (const outrider of this.#all) outrider.kill("SIGKILL");
    await Promise.all(this.#all.map((outrider) => outrider.ended));
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
