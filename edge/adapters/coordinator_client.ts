/**
 * Sends one JSON request to a coordinator until it is answered.
 * Invariant: network failures, silence, 429 and 5xx are tried again with growing, jittered waits, so a restarted
 * coordinator is found again unaided; every other refusal is final and is a sentence. No wait outlasts a stop by more
 * than one reply time.
 */

import { LIMITS, PROTOCOL_VERSION } from "../../protocol/mod.ts";
import type { Clock, Logger, Random } from "../../runtime/ports.ts";

export interface CoordinatorClientOptions {
  /** Base of the API, e.g. `https://coordinator.example.org/`; a path is kept. */
  readonly url: string;
  readonly token?: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The edge stops: what is asked goes on for at most `LIMITS.apiReplyMs`. */
  readonly stop?: AbortSignal;
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
type Attempt = { readonly answer: unknown } | { readonly failure: string; readonly retryAfterMs: number };

export class CoordinatorClient {
  readonly #options: CoordinatorClientOptions;
  readonly #base: string;
  #failing = false;
  #stoppedAt: number | undefined;

  /** Throws a sentence when the URL or the token is none. */
  constructor(options: CoordinatorClientOptions) {
    this.#options = options;
    if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token)) {
      throw new Error("The coordinator's token can't be sent: visible ASCII characters without spaces are wanted.");
    }
    this.#base = baseOf(options.url);
    const noteStop = () => this.#stoppedAt = options.clock.monotonicMs();
    if (options.stop?.aborted) noteStop();
    else options.stop?.addEventListener("abort", noteStop, { once: true });
  }

  /** The parsed answer, and how long (ms) after the call the request was sent that brought it. */
  async send(call: Call): Promise<{ readonly answer: unknown; readonly sentAfterMs: number }> {
    const { clock, random, log, stop } = this.#options;
    const called = { wall: clock.wallMs(), monotonic: clock.monotonicMs() };
    for (let waitMs: number = LIMITS.apiRetryMs;; waitMs = Math.min(waitMs * 2, LIMITS.apiRetryMaxMs)) {
      if (call.untilStop && stop?.aborted) throw new Error(`Asking the coordinator for ${call.path}: the edge stops.`);
      const elapsed = Math.min(clock.wallMs() - called.wall, clock.monotonicMs() - called.monotonic);
      const attempt = await this.#attempt(call);
      if ("answer" in attempt) {
        if (this.#failing) log.info("the coordinator answers again", { url: this.#base });
        this.#failing = false;
        return { answer: attempt.answer, sentAfterMs: Math.max(0, elapsed) };
      }
      if (!this.#failing) log.warn("the coordinator doesn't answer; trying again", { failure: attempt.failure });
      this.#failing = true;
      const pauseMs = Math.max(attempt.retryAfterMs, waitMs * (0.5 + random.next() / 2));
      this.#refuseAfterStop(attempt.failure, pauseMs);
      await clock.sleep(pauseMs, call.untilStop ? stop : undefined);
    }
  }

  #refuseAfterStop(failure: string, pauseMs: number): void {
    if (this.#stoppedAt === undefined) return;
    const elapsed = this.#options.clock.monotonicMs() + pauseMs - this.#stoppedAt;
    if (elapsed > LIMITS.apiReplyMs) throw new Error(`${failure} The edge stops, so it isn't asked again.`);
  }

  async #attempt(call: Call): Promise<Attempt> {
    const { clock, stop, token } = this.#options;
    const over = new AbortController();
    const cut = new AbortController();
    const giveUp = () => cut.abort();
    if (call.untilStop) stop?.addEventListener("abort", giveUp, { once: true });
    void clock.sleep(LIMITS.apiReplyMs, over.signal).then(giveUp);
    try {
      const response = await (this.#options.fetch ?? fetch)(new URL(call.path, this.#base), {
        method: call.method,
        redirect: "manual",
        signal: cut.signal,
        headers: {
          "accept": "application/json",
          "outrider-protocol": String(PROTOCOL_VERSION),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(call.body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(call.body === undefined ? {} : { body: call.body }),
      });
      return await this.#read(call, response, await response.text());
    } catch (error) {
      if (error instanceof CoordinatorRefused) throw error;
      const found = cut.signal.aborted ? `no answer within ${LIMITS.apiReplyMs} ms` : String((error as Error).message);
      return { failure: `Asking the coordinator at ${this.#base} for ${call.path}: ${found}.`, retryAfterMs: 0 };
    } finally {
      over.abort();
      stop?.removeEventListener("abort", giveUp);
    }
  }

  async #read(call: Call, response: Response, text: string): Promise<Attempt> {
    const { status } = response;
    if (status === 200) return { answer: JSON.parse(text) };
    if (status === call.absent) return { answer: undefined };
    const sentence = `Asking the coordinator at ${this.#base} for ${call.path}: ${status} ${detailOf(text)}`;
    if (status === 429 || status >= 500) {
      return { failure: sentence, retryAfterMs: retryAfterMs(response.headers.get("retry-after")) };
    }
    throw new CoordinatorRefused(status, sentence);
  }
}

function baseOf(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== "") {
    throw new Error(`The coordinator's address ${JSON.stringify(url)} is none: http(s)://host[:port]/ is wanted.`);
  }
  parsed.search = "";
  parsed.hash = "";
  return parsed.href.endsWith("/") ? parsed.href : `${parsed.href}/`;
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
