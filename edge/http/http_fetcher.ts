/**
 * The Fetcher port on sockets of our own: one call, one HTTP/1.1 exchange.
 * Invariant: what the web does is a value; every connection passed the guard; nothing is sent twice (a request is
 * repeated only when none of it was written); after `close` no socket and no timer is left.
 */

import type { Clock, Logger, WholeGzip } from "../../runtime/ports.ts";
import type { Draft, Exchange, Fetcher, FetchFailure, FetchRequest, FetchTimings } from "../ports.ts";
import type { AddressGuard } from "./address_guard.ts";
import { type Collected, Collector } from "./collector.ts";
import type { Connection } from "./connection.ts";
import { ConnectionPool } from "./connection_pool.ts";
import { contentCodings, decodeBody, type Decoded } from "./content_coding.ts";
import { Deadlines } from "./deadlines.ts";
import { idleTimeout, notAdmitted, tooLate, type Trouble } from "./failures.ts";
import { FetchTask } from "./fetch_task.ts";
import { type FetchTarget, TargetParser } from "./fetch_target.ts";
import { fieldsFault } from "./request_head.ts";
import type { Resolver } from "./resolver.ts";
import { type OpeningTimes, SocketOpener } from "./socket_opener.ts";

export interface HttpFetcherOptions {
  readonly guard: AddressGuard;
  readonly resolver: Resolver;
  readonly clock: Clock;
  readonly log: Logger;
  /** Connections to one origin, default 8. More requests wait for one of them. */
  readonly maxSocketsPerOrigin?: number;
  /** Idle connections over all origins, default 512. */
  readonly maxIdleSockets?: number;
  /** How long an idle connection is kept, default 10 s; a server's shorter Keep-Alive timeout wins. */
  readonly keepAliveMs?: number;
  /** PEM certificates that are trusted in place of the system's. */
  readonly trustedCa?: string;
  /** Tried first on gzip bodies; without it zlib decodes them all. */
  readonly wholeGzip?: WholeGzip;
}

const MAX_SOCKETS_PER_ORIGIN = 8;
const MAX_IDLE_SOCKETS = 512;
const KEEP_ALIVE_MS = 10_000;
/** Kept connections that may turn out dead, one after the other, before a request counts as failed. */
const MAX_UNUSED = 3;

interface Received {
  readonly collected: Collected;
  readonly connection: Connection;
  readonly opening: OpeningTimes | undefined;
}

/** A fetcher with its own connections. Close it. */
export function createHttpFetcher(options: HttpFetcherOptions): Fetcher {
  return new HttpFetcher(options);
}

class HttpFetcher implements Fetcher {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #pool: ConnectionPool;
  readonly #deadlines: Deadlines;
  readonly #targets = new TargetParser();
  readonly #wholeGzip: WholeGzip | undefined;
  readonly #tasks = new Map<FetchTask, Promise<unknown>>();
  #closed = false;

  constructor(options: HttpFetcherOptions) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#wholeGzip = options.wholeGzip;
    this.#deadlines = new Deadlines(options.clock);
    this.#pool = new ConnectionPool({
      opener: new SocketOpener(options),
      maxPerOrigin: options.maxSocketsPerOrigin ?? MAX_SOCKETS_PER_ORIGIN,
      maxIdle: options.maxIdleSockets ?? MAX_IDLE_SOCKETS,
      keepAliveMs: options.keepAliveMs ?? KEEP_ALIVE_MS,
      clock: options.clock,
    });
  }

  fetch(request: FetchRequest): Promise<Exchange | FetchFailure> {
    if (this.#closed) return Promise.reject(new Error(`Fetching ${request.url} failed: the fetcher is closed.`));
    const task = new FetchTask(request, this.#clock.monotonicMs());
    const work = this.#watched(request, task);
    this.#tasks.set(task, work);
    return work;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const under = [...this.#tasks];
    for (const [task] of under) task.end("aborted");
    await Promise.allSettled(under.map(([, work]) => work));
    await this.#pool.close();
    await this.#deadlines.close();
  }

  async #watched(request: FetchRequest, task: FetchTask): Promise<Exchange | FetchFailure> {
    const { signal } = request;
    const abort = signal && (() => task.end("aborted"));
    if (signal?.aborted) task.end("aborted");
    signal?.addEventListener("abort", abort!, { once: true });
    this.#deadlines.add(task);
    try {
      const target = this.#targets.parse(request.url);
      if (typeof target === "string") return this.#failed(task, { failure: "bad_url", detail: target, sent: false });
      const fault = fieldsFault(request.headers);
      if (fault !== undefined) return this.#failed(task, unsendable(request.url, fault));
      const received = await this.#receive(request, target, task);
      return "failure" in received ? this.#failed(task, received) : await this.#exchange(request, task, received);
    } finally {
      this.#deadlines.delete(task);
      this.#tasks.delete(task);
      signal?.removeEventListener("abort", abort!);
    }
  }

  /** Gives the connection back, then decodes. Small bodies are decoded without a turn of the event loop. */
  #exchange(request: FetchRequest, task: FetchTask, received: Received): Exchange | Promise<Exchange> {
    const { collected, connection, opening } = received;
    const endedAt = this.#clock.monotonicMs();
    const requestHead = connection.requestHead;
    this.#pool.release(connection);
    const { status, reason, httpVersion, headers, body, firstByteAt } = collected;
    const build = ({ bytes, problem, capped }: Decoded): Exchange => {
      const exchange: Draft<Exchange> = {
        ok: true,
        url: request.url,
        status,
        reason,
        httpVersion,
        headers,
        requestHead,
        body,
        decoded: bytes,
        remoteAddress: connection.remoteAddress,
        timings: timingsOf(task, endedAt, firstByteAt, opening),
      };
      if (connection.tlsVersion !== undefined) exchange.tlsVersion = connection.tlsVersion;
      const truncated = collected.truncated ?? (capped ? "length" : undefined);
      if (truncated !== undefined) exchange.truncated = truncated;
      if (collected.stopped !== undefined) exchange.stopped = collected.stopped;
      if (problem !== undefined) exchange.decodeProblem = problem;
      return exchange;
    };
    const decoded = decodeBody(body, contentCodings(headers), request.limits.decodedBytes, this.#wholeGzip);
    return decoded instanceof Promise ? decoded.then(build) : build(decoded);
  }

  /** One response head and body, on a kept connection or a new one. */
  async #receive(request: FetchRequest, target: FetchTarget, task: FetchTask): Promise<Received | Trouble> {
    const attempted = `Fetching ${request.url}`;
    for (let unused = 0;; unused++) {
      const kept = this.#pool.takeIdle(task, target.origin, request.onlyOpened);
      const connection = kept ?? await this.#pool.acquire(task, target.origin, request.onlyOpened);
      if ("failure" in connection) return connection;
      const { opening } = connection;
      const refused = await this.#refusal(task, target, connection);
      if (refused !== undefined) {
        // The next one to take it didn't open it, and has to ask.
        connection.opening = undefined;
        this.#pool.release(connection);
        return refused;
      }
      const cut = () => void connection.destroy();
      const collector = new Collector({
        task,
        deadlines: this.#deadlines,
        clock: this.#clock,
        attempted,
        cut,
        onSent: request.onSent,
        unwanted: request.unwanted,
        isKept: opening === undefined,
      });
      connection.send({ path: target.path, headers: request.headers }, collector);
      const collection = await collector.result;
      if (collection === "unused" && unused < MAX_UNUSED) {
        this.#log.debug("A kept connection was dead before it was used", { origin: target.origin.origin });
        continue;
      }
      const { remoteAddress } = connection;
      if (collection !== "unused" && !("failure" in collection)) {
        const received = { collected: collection, connection, opening };
        if (!isOfIdleTime(received)) return received;
        void connection.destroy();
        return this.#lost(request, target, task, { ...idleTimeout(attempted), remoteAddress });
      }
      this.#pool.release(connection);
      if (collection !== "unused" && collection.lost === true) {
        return this.#lost(request, target, task, { ...collection, remoteAddress });
      }
      if (collection !== "unused") return { ...collection, remoteAddress };
      const detail = `${attempted} failed: ${MAX_UNUSED + 1} connections in a row were closed before the request.`;
      return { failure: "connect_reset", detail, sent: true, remoteAddress };
    }
  }

  /** Its next request shan't meet the same end. */
  #lost({ onlyOpened }: FetchRequest, { origin }: FetchTarget, task: FetchTask, trouble: Trouble): Trouble {
    this.#pool.distrust(task, origin, onlyOpened);
    return trouble;
  }

  /** Why nothing may be sent on the connection now. One that was opened for this request has been asked for. */
  async #refusal(task: FetchTask, { origin }: FetchTarget, connection: Connection): Promise<Trouble | undefined> {
    const { remoteAddress, opening } = connection;
    if (opening === undefined && task.admitAddress !== undefined && !(await task.admits(remoteAddress))) {
      return notAdmitted(remoteAddress, origin.origin);
    }
    return this.#clock.monotonicMs() > task.sendBy ? tooLate(origin.origin) : undefined;
  }

  #failed(task: FetchTask, trouble: Trouble): FetchFailure {
    return { ok: false, ...trouble, timings: timingsOf(task, this.#clock.monotonicMs()) };
  }
}

/** Met on its way by the request, or so it seems: on a new connection 408 is an answer like any other. */
function isOfIdleTime({ collected, connection, opening }: Received): boolean {
  return collected.status === 408 && opening === undefined && !connection.reusable;
}

function unsendable(url: string, fault: string): Trouble {
  return { failure: "bad_url", detail: `Fetching ${url} was not tried: ${fault}.`, sent: false };
}

function timingsOf(task: FetchTask, endedAt: number, firstByteAt?: number, opening?: OpeningTimes): FetchTimings {
  const { startedAt } = task;
  const timings: Draft<FetchTimings> = { startedAt, totalMs: endedAt - startedAt };
  if (firstByteAt !== undefined) timings.firstByteMs = firstByteAt - startedAt;
  if (opening !== undefined) {
    timings.connectMs = opening.connectMs;
    timings.tcpMs = opening.tcpMs;
  }
  return timings;
}
