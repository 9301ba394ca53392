/**
 * The network between edges and coordinators, under the edge's real HTTP client: messages and replies are lost, late,
 * doubled; whole links go down.
 * Invariant: nothing arrives before it was sent, and nothing is made up; while faults are off every message arrives once,
 * soon.
 */

import { NotOwned } from "../../coordinator/owner_ports.ts";
import type { Coordinator } from "../../coordinator/ports.ts";
import type { FrontierVerbs } from "../../protocol/mod.ts";
import type { Chance } from "./chance.ts";
import type { Process } from "./machine.ts";
import type { Owner, Scheduler } from "./scheduler.ts";

/** What an edge asked and what the coordinator said, for the checkers. */
export interface Call {
  readonly verb: string;
  readonly request: unknown;
  readonly arrivedAt: number;
  readonly from: Process;
}

export interface NetworkParts {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  /** Who serves under a host name now; undefined = nobody listens. */
  readonly coordinator: (
    host: string,
  ) => { readonly verbs: Coordinator; readonly process: Process; readonly awakeAt: number } | undefined;
  /** The coordinator is asked. */
  readonly onArrival: (call: Call) => void;
  /** The coordinator gives its answer away. */
  readonly onReply: (call: Call, reply: unknown) => void;
  /** It can't answer. */
  readonly onError: (error: Error) => void;
  /** The edge has it. */
  readonly onDelivered: (call: Call, reply: unknown) => void;
}

/** How bad the network is; probabilities of each message. */
export interface NetworkFaults {
  readonly lost: number;
  readonly reset: number;
  readonly late: number;
  readonly doubled: number;
}

export const GOOD_NETWORK: NetworkFaults = { lost: 0, reset: 0, late: 0, doubled: 0 };

/** A late message takes up to so long, ms: longer than a lease and what comes after it. */
const LATEST_MS = 200_000;
/** An empty answer to a lease request may take so long: there is no hurry, and fewer polls are to be simulated. */
const IDLE_REPLY_MS = 5_000;

interface Message {
  readonly process: Process;
  readonly hostname: string;
  readonly pathname: string;
  /** Of the query. */
  readonly slot: number | undefined;
  readonly body: string | undefined;
}

type Reply = { readonly status: number; readonly body: string };

export class Network {
  faults: NetworkFaults = GOOD_NETWORK;
  /** Messages that were lost, reset, late or doubled. */
  harmed = 0;
  /** Edges that can't reach any coordinator, by process name, and those that can't reach one: `<process> <host>`. */
  readonly cut = new Set<string>();
  readonly #parts: NetworkParts;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
  }

  /** From now on every message arrives. */
  heal(): void {
    this.faults = GOOD_NETWORK;
    this.cut.clear();
  }

  /** The `fetch` of one edge process. */
  fetchOf(process: Process): typeof fetch {
    const ask = (url: URL, init: RequestInit) => this.#ask(process, url, init);
    return ask as unknown as typeof fetch;
  }

  #latencyMs(): number {
    return 2 + this.#parts.chance.next() * 60;
  }

  /** How a message fares: ms until it arrives, or how it doesn't. */
  #fate({ name }: Process, host: string): number | "lost" | "reset" {
    const { chance } = this.#parts;
    const { lost, reset, late } = this.faults;
    if (this.cut.has(name) || this.cut.has(`${name} ${host}`)) return this.#harm(chance.is(0.5) ? "lost" : "reset");
    const drawn = chance.next();
    if (drawn < lost) return this.#harm("lost");
    if (drawn < lost + reset) return this.#harm("reset");
    if (drawn < lost + reset + late) return this.#harm(chance.next() * chance.next() * LATEST_MS);
    return this.#latencyMs();
  }

  #harm<T>(fate: T): T {
    this.harmed++;
    return fate;
  }

  #ask(process: Process, { hostname, pathname, searchParams }: URL, init: RequestInit): Promise<Response> {
    const { chance } = this.#parts;
    return new Promise((resolve, reject) => {
      const give = (afterMs: number, owner: Owner | undefined, run: () => void) =>
        this.#parts.scheduler.plan({ afterMs, owner }, run);
      // The caller has given up; what is under way to the coordinator stays so.
      const giveUp = () => reject(new Error("the request was aborted"));
      init.signal!.addEventListener("abort", giveUp, { once: true });
      const broken = () => give(this.#latencyMs(), process, () => reject(new Error("the connection was reset")));
      const answer = (call: Call | undefined, reply: Reply) => {
        const fate = this.#fate(process, hostname);
        if (fate === "reset") return broken();
        if (fate === "lost") return;
        const idleMs = isIdle(call, reply) ? chance.next() * IDLE_REPLY_MS : 0;
        give(fate + idleMs, process, () => {
          if (call !== undefined && !init.signal!.aborted) this.#parts.onDelivered(call, JSON.parse(reply.body));
          init.signal!.removeEventListener("abort", giveUp);
          resolve(asResponse(reply));
        });
      };
      const fate = this.#fate(process, hostname);
      const slot = searchParams.get("slot");
      const message = {
        process,
        hostname,
        pathname,
        slot: slot === null ? undefined : Number(slot),
        body: init.body as string | undefined,
      };
      if (fate === "reset") broken();
      else if (fate !== "lost") give(fate, undefined, () => this.#arrive(message, answer, broken));
      if (chance.is(this.faults.doubled)) {
        this.harmed++;
        give(chance.next() * LATEST_MS, undefined, () => this.#arrive(message, () => {}, () => {}));
      }
    });
  }

  #arrive(
    message: Message,
    answer: (call: Call | undefined, reply: Reply) => void,
    broken: () => void,
  ): void {
    const { coordinator, scheduler, onArrival, onReply, onError } = this.#parts;
    const serving = coordinator(message.hostname);
    if (serving === undefined) return broken();
    // It stands still: the message waits in its socket.
    const asleepMs = serving.awakeAt - scheduler.now;
    if (asleepMs > 0) {
      scheduler.plan({ afterMs: asleepMs, owner: serving.process }, () => this.#arrive(message, answer, broken));
      return;
    }
    const verb = verbOf(message.pathname);
    const request = message.body === undefined ? undefined : JSON.parse(message.body);
    const call: Call = { verb, request, arrivedAt: scheduler.now, from: message.process };
    onArrival(call);
    serve(serving.verbs, message, request).then(
      (reply) => {
        if (reply === undefined && verb.startsWith("robots/")) return answer(undefined, { status: 404, body: "" });
        onReply(call, reply);
        answer(call, { status: 200, body: JSON.stringify(reply ?? {}) });
      },
      (error: Error) => {
        onError(error);
        const { message: detail } = error;
        const isElsewhere = error instanceof NotOwned;
        const body = isElsewhere ? { detail, shard: error.shard, slot_map: error.map } : { detail };
        answer(undefined, { status: isElsewhere ? 421 : 503, body: JSON.stringify(body) });
      },
    );
  }
}

const ROUTES: Readonly<Record<string, keyof FrontierVerbs>> = {
  lease: "lease",
  complete: "complete",
  extend: "extend",
  release: "release",
  settled: "settled",
  outbox: "deliverOutbox",
  outbox_ack: "ackOutbox",
  address_permits: "permitAddress",
  permits_return: "returnPermits",
  permits: "permit",
  visited: "visited",
  captures: "captures",
};

async function serve(verbs: Coordinator, { pathname, slot }: Message, request: unknown): Promise<unknown> {
  const verb = verbOf(pathname);
  if (verb === "map") return { slot_map: verbs.slotMap() };
  const route = ROUTES[verb];
  if (route !== undefined) return await (verbs[route] as (request: unknown) => Promise<unknown>)(request);
  const digest = verb.replace("robots/", "");
  const body = await verbs.robotsBody({ digest, ...(slot === undefined ? {} : { slot }) });
  return body === undefined ? undefined : { body };
}

function verbOf(pathname: string): string {
  return pathname.replace("/v1/frontier/", "");
}

function isIdle(call: Call | undefined, { body }: Reply): boolean {
  return call?.verb === "lease" && body.startsWith('{"leases":[],"outbox":[]');
}

/** As much of a Response as the client looks at, without the turns of an event loop that a real body may take. */
function asResponse({ status, body }: Reply): Response {
  const response = { status, headers: { get: () => null }, text: () => Promise.resolve(body) };
  return response as unknown as Response;
}
