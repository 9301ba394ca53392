/**
 * A coordinator and its edges as processes of their own, and the API as an operator calls it.
 * Invariant: `stop` ends every process that was started here, and resolves when they have gone.
 */

import { type Outrider, spawnOutrider } from "./outrider_process.ts";
import { type Answer, answerWhen, ask, type AskOptions, isFinished, OPERATOR } from "./operator.ts";
import type { TemporaryFolder } from "./temporary.ts";

const PATIENCE_MS = 90_000;

export interface FleetOptions {
  readonly folder: TemporaryFolder;
  /** Names of the edges, at least 2 letters each. */
  readonly workers: readonly string[];
  /** Further flags of each edge. */
  readonly edgeFlags?: readonly string[];
  readonly coordinatorFlags?: readonly string[];
  /** Environment of each edge, beside its token. */
  readonly edgeEnv?: Readonly<Record<string, string>>;
}

export class Fleet {
  readonly #options: FleetOptions;
  readonly #running: Outrider[] = [];
  readonly edges = new Map<string, Outrider>();
  coordinator: Outrider | undefined;
  base = "";

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.startCoordinator();
    for (const worker of this.#options.workers) this.startEdge(worker);
  }

  /** The first takes any free port; a later one the same, on the same data. */
  async startCoordinator(): Promise<void> {
    const { folder, workers, coordinatorFlags = [] } = this.#options;
    const port = this.base === "" ? "0" : new URL(this.base).port;
    const tokens = [`operator:${OPERATOR}`, ...workers.map((worker) => `edge:${worker}:${worker}-secret`)].join(" ");
    const args = ["coordinator", "--port", port, "--data", folder.file("coordinator"), ...coordinatorFlags];
    this.coordinator = this.#spawn(args, { OUTRIDER_TOKENS: tokens });
    this.base = /http:\/\/\S+/.exec(await this.coordinator.line(/listens on/))![0].replace(/\/$/, "");
  }

  startEdge(worker: string): void {
    const { folder, edgeFlags = [], edgeEnv = {} } = this.#options;
    const flags = ["--coordinator", this.base, "--region", worker, "--worker", worker, "--data", folder.file(worker)];
    this.edges.set(
      worker,
      this.#spawn(["edge", ...flags, ...edgeFlags], { ...edgeEnv, OUTRIDER_TOKEN: `${worker}-secret` }),
    );
  }

  /** Throws unless the answer is a success. */
  api(path: string, options: AskOptions = {}): Promise<Answer> {
    return ask(this.base, path, options);
  }

  untilFinished(crawlId: string): Promise<Answer> {
    return answerWhen(() => this.api(`/v1/crawls/${crawlId}/stats`), isFinished, PATIENCE_MS);
  }

  async stop(): Promise<void> {
    for (const outrider of this.#running) outrider.kill("SIGKILL");
    await Promise.all(this.#running.map((outrider) => outrider.ended));
  }

  #spawn(args: readonly string[], env: Record<string, string>): Outrider {
    const outrider = spawnOutrider(args, { env });
    this.#running.push(outrider);
    return outrider;
  }
}
