/**
 * The Fetcher port on the simulated web: resolves, connects, sends, waits, with time limits as the real one has them.
 * Invariant: the server sees a request when its head arrives, if the edge hasn't given up by then; an edge that dies
 * takes back nothing that is on its way.
 */

import type { Exchange, Fetcher, FetchFailure, FetchRequest, NetworkProbe } from "../../edge/ports.ts";
import type { FailureClass } from "../../protocol/mod.ts";
import type { Chance } from "./chance.ts";
import type { Asking } from "./checks/server_check.ts";
import type { Process } from "./machine.ts";
import type { Scheduler, SimEvent } from "./scheduler.ts";
import type { HostPlan, WebPlan } from "./web_plan.ts";
import type { Answer, WebServer } from "./web_server.ts";

export interface WebParts {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly plan: WebPlan;
  readonly server: WebServer;
  /** A request of this process starts, as its server sees it; the server calls what is returned when it is over. */
  readonly onStart: (asking: Asking) => () => void;
  /** The process has the whole answer. */
  readonly onAnswer: (url: string, status: number, by: Process) => void;
}

/** What of a machine's way to the web is broken. */
export type Outage = "link" | "resolver";

/** A process, and what its machine suffers now. */
export interface WebUser {
  readonly process: Process;
  readonly outage: () => Outage | undefined;
  /** Monotonic ms at which a name was last resolved for it. */
  resolvedAt: number;
}

/** In the detail of failures that come of the machine's own outage: no host may be blamed for them. */
export const OWN_FAULT = ", as the machine is cut off";

const utf8 = new TextEncoder();
const PROBE_ANSWER_MS = 20;

export function webFetcher(parts: WebParts, user: WebUser): Fetcher {
  return {
    fetch: (request) => new WebFetch(parts, user, request).run(),
    close: () => Promise.resolve(),
  };
}

/** The NetworkProbe port: it sees the machine's outage, and no server of it. */
export function webProbe({ scheduler }: WebParts, user: WebUser): NetworkProbe {
  const { process, outage } = user;
  const within = (isUp: boolean, ms: number) =>
    new Promise<boolean>((resolve) =>
      scheduler.plan({ afterMs: isUp ? PROBE_ANSWER_MS : ms, kind: "io", owner: process }, () => resolve(isUp))
    );
  const resolves = (ms: number) => within(outage() === undefined, ms);
  const connects = (_address: string, _port: number, ms: number) => within(outage() !== "link", ms);
  return { resolvedAt: () => user.resolvedAt, connects, resolves, knows: (_, ms) => resolves(ms) };
}

class WebFetch {
  readonly #parts: WebParts;
  readonly #process: Process;
  readonly #user: WebUser;
  readonly #request: FetchRequest;
  readonly #startedAt: number;
  readonly #latencyMs: number;
  readonly #host: HostPlan | undefined;
  /** Everything that would still happen; cancelled at the end. */
  readonly #events: SimEvent[] = [];
  #end!: (answer: Exchange | FetchFailure) => void;
  #connectMs: number | undefined;
  #firstByteMs: number | undefined;
  #sent = false;
  /** The time that a permit takes is nobody's fault. */
  #isAdmitted = false;
  /** What kept it from connecting; what breaks later doesn't make a dead host's failure the machine's. */
  #outage: Outage | undefined;
  #isOver = false;
  /** It needn't be opened: an answer that doesn't come may be the end of it that was under way. */
  #isKept = false;
  /** Tells the server that the connection is gone. */
  #over = () => {};

  constructor(parts: WebParts, user: WebUser, request: FetchRequest) {
    const { process } = user;
    this.#parts = parts;
    this.#process = process;
    this.#user = user;
    this.#request = request;
    this.#startedAt = process.clock.monotonicMs();
    this.#host = parts.plan.hosts.get(new URL(request.url).hostname);
    const [least, most] = this.#host?.latencyMs ?? [1, 2];
    this.#latencyMs = least + parts.chance.below(most - least);
  }

  run(): Promise<Exchange | FetchFailure> {
    return new Promise((resolve) => {
      this.#end = (answer) => {
        for (const event of this.#events) event.run = undefined;
        this.#isOver = true;
        this.#over();
        resolve(answer);
      };
      const { wallMs } = this.#request.limits;
      this.#later(wallMs, "timer", () => this.#fail(this.#isAdmitted ? "wall_timeout" : "aborted"));
      const admitted = this.#host === undefined ? true : this.#request.admitAddress?.(this.#host.address) ?? true;
      if (admitted === true) this.#connect();
      else admitted.then((isAdmitted) => isAdmitted ? this.#connect() : this.#fail("aborted"));
    });
  }

  #connect(): void {
    if (this.#isOver) return;
    this.#isAdmitted = true;
    const leftMs = (this.#request.sendBy ?? Infinity) - this.#process.clock.monotonicMs();
    if (leftMs <= 0) return this.#fail("aborted");
    const connectMs = Math.min(this.#request.limits.connectMs, leftMs);
    const outage = this.#user.outage();
    this.#outage = outage;
    if (outage === "resolver") return this.#later(connectMs, "timer", () => this.#fail("dns", true));
    if (outage === undefined) this.#user.resolvedAt = this.#process.clock.monotonicMs();
    const connecting = outage === undefined ? this.#parts.server.connect(this.#request.url) : "connect_timeout";
    // A kept connection needs no packet to and fro.
    this.#isKept = this.#parts.chance.is(0.5);
    const toAndFroMs = this.#isKept ? 0 : 2 * this.#latencyMs;
    if (connecting === "ok" && toAndFroMs < connectMs) this.#later(toAndFroMs, "io", () => this.#send());
    else if (connecting === "ok" || connecting === "connect_timeout") {
      this.#later(connectMs, "timer", () => this.#fail("connect_timeout"));
    } else this.#later(toAndFroMs, "io", () => this.#fail(connecting));
  }

  #later(afterMs: number, kind: "timer" | "io", run: () => void): void {
    this.#events.push(this.#parts.scheduler.plan({ afterMs, kind, owner: this.#process }, run));
  }

  #elapsedMs(): number {
    return this.#process.clock.monotonicMs() - this.#startedAt;
  }

  #send(): void {
    this.#connectMs = this.#elapsedMs();
    this.#sent = true;
    this.#request.onSent?.();
    this.#later(this.#request.limits.idleMs, "timer", () => this.#fail("read_timeout"));
    this.#events.push(this.#parts.scheduler.plan({ afterMs: this.#latencyMs }, () => this.#arrive()));
  }

  #arrive(): void {
    const { server, onStart } = this.#parts;
    const { url } = this.#request;
    const by = this.#process;
    this.#over = onStart({ host: this.#host!, url, by, holder: this.#request.admitAddress ?? by });
    const answer = server.answer(url);
    this.#parts.scheduler.plan({ afterMs: answer.serviceMs + answer.transferMs }, this.#over);
    const firstByteMs = answer.serviceMs + this.#latencyMs;
    this.#later(firstByteMs, "io", () => this.#firstByte(answer));
  }

  #firstByte(answer: Answer): void {
    // What is on its way to a machine that is cut off never comes; a time limit ends the wait.
    if (this.#user.outage() === "link") return;
    this.#firstByteMs = this.#elapsedMs();
    this.#later(answer.transferMs, "io", () => this.#whole(answer));
  }

  #whole({ status, headers, body }: Answer): void {
    if (this.#user.outage() === "link") return;
    if (status === undefined) return this.#fail("connect_reset");
    const { url } = this.#request;
    const bytes = utf8.encode(body);
    const exchange: Exchange = {
      ok: true,
      url,
      status,
      reason: "",
      httpVersion: "1.1",
      headers: [...headers, ["Content-Length", String(bytes.length)]],
      requestHead: this.#requestHead(),
      body: bytes,
      decoded: bytes,
      remoteAddress: this.#host!.address,
      timings: this.#timings(),
    };
    this.#parts.onAnswer(url, status, this.#process);
    this.#end(exchange);
  }

  #requestHead(): Uint8Array {
    const { host, pathname, search } = new URL(this.#request.url);
    const fields = this.#request.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    return utf8.encode(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`);
  }

  #timings() {
    return {
      startedAt: this.#startedAt,
      totalMs: this.#elapsedMs(),
      ...(this.#connectMs === undefined ? {} : { connectMs: this.#connectMs }),
      ...(this.#firstByteMs === undefined ? {} : { firstByteMs: this.#firstByteMs }),
    };
  }

  #fail(failure: FailureClass, unanswered = false): void {
    const cause = this.#outage === undefined || this.#user.outage() === undefined ? "" : OWN_FAULT;
    const detail = `Fetching ${this.#request.url} in the simulation ended with ${failure}${cause}.`;
    const at = this.#host === undefined || !this.#sent ? {} : { remoteAddress: this.#host.address };
    const lost = failure === "connect_reset" && this.#isKept ? { lost: true } as const : {};
    this.#end({ ok: false, failure, detail, sent: this.#sent, unanswered, timings: this.#timings(), ...at, ...lost });
  }
}
