/**
 * Sends one JSON request to a coordinator until it is answered.
 * Invariant: network failures, silence, 429 and 5xx are tried again with growing, jittered waits, so a restarted
 * coordinator is found again unaided; every other refusal is final and is a sentence. No wait outlasts a stop by more
 * than one reply time.
 */

import { LIMITS, PROTOCOL_VERSION, type SlotMap } from "../../protocol/mod.ts";
import type { Clock, Logger, Random } from "../../runtime/ports.ts";

export interface CoordinatorClientOptions {
  /** Base of the API, e.g. `https://coordinator.example.org/`; a path is kept. */
  readonly baseUrl: string;
  readonly token?: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The edge stops: what is asked goes on for at most `LIMITS.apiReplyMs`. */
  readonly signal?: AbortSignal;
  /** Called once, with a sentence, when the coordinator refuses the token (401, 403): without another one no call can succeed. */
  readonly onRefusedToken?: (sentence: string) => void;
  /** The runtime's own client keeps connections open and is separate from the one that crawls. */
  readonly fetch?: typeof fetch;
}

/** The coordinator answered and refused: sending the same again is no use. */
export class CoordinatorRefused extends Error {
  override readonly name = "CoordinatorRefused";
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** The edge stopped before the coordinator answered. */
export class CoordinatorUnreached extends Error {
  override readonly name = "CoordinatorUnreached";
}

export interface Call {
  readonly method: "GET" | "POST";
  /** Relative to the base, without a leading slash. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  /** A status beside 200 that is an answer too: resolves to undefined. */
  readonly absent?: number;
  /** Once the edge stops, this isn't worth asking. */
  readonly untilStop?: boolean;
}

/** An answer, or why there is none and how long the coordinator asks to wait. */
export type Attempt = { readonly answer: unknown } | Failure;

export interface Failure {
  readonly failure: string;
  readonly retryAfterMs: number;
  /** It answered: what is asked for belongs to another coordinator (421), as far as this map knows. */
  readonly misdirected?: SlotMap;
}

export class CoordinatorClient {
  readonly #options: CoordinatorClientOptions;
  readonly #base: string;
  #failing = false;
  #refused = false;
  #stoppedAt: number | undefined;
  readonly #closed = new AbortController();
  readonly #noteStop: () => void;

  /** Throws a sentence when the URL or the token is none. */
  constructor(options: CoordinatorClientOptions) {
    this.#options = options;
    if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token)) {
      throw new Error("The coordinator's token can't be sent: visible ASCII characters without spaces are wanted.");
    }
    this.#base = baseOf(options.baseUrl);
    this.#noteStop = () => this.#stoppedAt = options.clock.monotonicMs();
    if (options.signal?.aborted) this.#noteStop();
    else options.signal?.addEventListener("abort", this.#noteStop, { once: true });
  }

  /** Ends calls that wait; later ones are rejected. */
  close(): void {
    this.#closed.abort();
    this.#options.signal?.removeEventListener("abort", this.#noteStop);
  }

  /** As it is called in logs, and told apart from others. */
  get base(): string {
    return this.#base;
  }

  /** The parsed answer, and how long (ms) after the call the request was sent that brought it. */
  async send(call: Call): Promise<{ readonly answer: unknown; readonly sentAfterMs: number }> {
    const { clock } = this.#options;
    const called = { wall: clock.wallMs(), monotonic: clock.monotonicMs() };
    for (let waitMs: number = LIMITS.apiRetryMs;; waitMs = Math.min(waitMs * 2, LIMITS.apiRetryMaxMs)) {
      this.refuseWhenOver(call);
      const elapsed = Math.min(clock.wallMs() - called.wall, clock.monotonicMs() - called.monotonic);
      const attempt = await this.attempt(call);
      if ("answer" in attempt) return { answer: attempt.answer, sentAfterMs: Math.max(0, elapsed) };
      if (attempt.misdirected !== undefined) throw new CoordinatorRefused(421, attempt.failure);
      this.refuseWhenOver(call);
      await this.pause(call, attempt, waitMs);
    }
  }

  /** One request; `cut` gives it up. Throws CoordinatorRefused for a status that another try wouldn't change. */
  async attempt(call: Call, cut?: AbortSignal): Promise<Attempt> {
    const { log } = this.#options;
    const attempt = await this.#try(call, cut);
    const isAnswered = "answer" in attempt || attempt.misdirected !== undefined;
    if (isAnswered && this.#failing) log.info("the coordinator answers again", { url: this.#base });
    const isNew = !isAnswered && !this.#failing && !this.#closed.signal.aborted && cut?.aborted !== true;
    if (isNew) log.warn("the coordinator doesn't answer; trying again", { failure: attempt.failure });
    if (isAnswered || isNew) this.#failing = !isAnswered;
    return attempt;
  }

  /** Throws when the client was closed, or the edge stops and this isn't worth asking. */
  refuseWhenOver(call: Call): void {
    const refusal = `Asking the coordinator at ${this.#base} for ${call.path}:`;
    if (this.#closed.signal.aborted) throw new Error(`${refusal} the connection was closed.`);
    if (call.untilStop && this.#options.signal?.aborted) throw new Error(`${refusal} the edge stops.`);
  }

  /** Waits before the next try; throws when the edge stops and that try would come too late. */
  async pause(call: Call, { failure, retryAfterMs }: Failure, waitMs: number): Promise<void> {
    const { clock, random, signal: stop } = this.#options;
    const pauseMs = Math.max(retryAfterMs, waitMs * (0.5 + random.next() / 2));
    if (this.#stoppedAt !== undefined && clock.monotonicMs() + pauseMs - this.#stoppedAt > LIMITS.apiReplyMs) {
      throw new CoordinatorUnreached(`${failure} The edge stops, so it isn't asked again.`);
    }
    const end = new AbortController();
    const finish = () => end.abort();
    const ends = call.untilStop && stop ? [this.#closed.signal, stop] : [this.#closed.signal];
    for (const signal of ends) signal.addEventListener("abort", finish, { once: true });
    await clock.sleep(pauseMs, end.signal);
    for (const signal of ends) signal.removeEventListener("abort", finish);
  }

  /** One request; not cut short by a stop, since a lease that was granted should be known. */
  async #try(call: Call, outer: AbortSignal | undefined): Promise<Attempt> {
    const over = new AbortController();
    const cut = new AbortController();
    // With reasons of their own: the usual one is an exception with a stack, for every call.
    const giveUp = () => cut.abort("given up");
    this.#closed.signal.addEventListener("abort", giveUp, { once: true });
    outer?.addEventListener("abort", giveUp, { once: true });
    void this.#options.clock.sleep(LIMITS.apiReplyMs, over.signal).then(giveUp);
    try {
      const response = await this.#request(call, cut.signal);
      return this.#read(call, response, await response.text());
    } catch (error) {
      if (error instanceof CoordinatorRefused) throw error;
      const found = cut.signal.aborted ? `no answer within ${LIMITS.apiReplyMs} ms` : reasonOf(error as Error);
      return { failure: `Asking the coordinator at ${this.#base} for ${call.path}: ${found}.`, retryAfterMs: 0 };
    } finally {
      over.abort("answered");
      this.#closed.signal.removeEventListener("abort", giveUp);
      outer?.removeEventListener("abort", giveUp);
    }
  }

  #request({ method, path, body }: Call, signal: AbortSignal): Promise<Response> {
    const { token } = this.#options;
    return (this.#options.fetch ?? fetch)(new URL(path, this.#base), {
      method,
      redirect: "manual",
      signal,
      headers: {
        "accept": "application/json",
        "outrider-protocol": String(PROTOCOL_VERSION),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
    });
  }

  /** Throws CoordinatorRefused for a status that another try wouldn't change. */
  #read({ path, absent }: Call, { status, headers }: Response, text: string): Attempt {
    if (status === 200) return { answer: JSON.parse(text) };
    if (status === absent) return { answer: undefined };
    const sentence = `Asking the coordinator at ${this.#base} for ${path}: ${status} ${detailOf(text)}`;
    if (status === 421) return { failure: sentence, retryAfterMs: 0, misdirected: mapIn(text) };
    if (status === 429 || status >= 500) {
      return { failure: sentence, retryAfterMs: retryAfterMs(headers.get("retry-after")) };
    }
    if ((status === 401 || status === 403) && !this.#refused) {
      this.#refused = true;
      this.#options.onRefusedToken?.(sentence);
    }
    throw new CoordinatorRefused(status, sentence);
  }
}

/** A 421 that has none comes from something else than a coordinator. */
const NO_MAP: SlotMap = { version: 0, shards: 1, runs: [[0, 0]] };

function mapIn(text: string): SlotMap {
  try {
    return (JSON.parse(text) as { slot_map?: SlotMap }).slot_map ?? NO_MAP;
  } catch {
    return NO_MAP;
  }
}

/** As all coordinators' addresses are written; throws a sentence when it is none. */
export function baseOf(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== "") {
    throw new Error(`The coordinator's address ${JSON.stringify(url)} is none: http(s)://host[:port]/ is wanted.`);
  }
  parsed.search = "";
  parsed.hash = "";
  return parsed.href.endsWith("/") ? parsed.href : `${parsed.href}/`;
}

/** With what lies behind it: "fetch failed" alone says nothing of a certificate or a closed port. */
function reasonOf({ message, cause }: Error): string {
  const behind = cause instanceof Error ? cause.message : "";
  return behind === "" || message.includes(behind) ? message : `${message} (${behind})`;
}

/** Longest piece of an answer that isn't a problem that an error repeats. */
const SHOWN_CHARS = 300;

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (typeof detail === "string") return detail;
  } catch {
    // Not from a coordinator: a proxy's page, shown as it is.
  }
  return JSON.stringify(text.slice(0, SHOWN_CHARS));
}

/** RFC 9110 10.2.3, the seconds form; what a coordinator asks for is bounded like our own waits. */
function retryAfterMs(header: string | null): number {
  return header !== null && /^\d{1,6}$/.test(header) ? Math.min(Number(header) * 1000, LIMITS.apiRetryMaxMs) : 0;
}
