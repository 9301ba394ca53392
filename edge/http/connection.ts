/**
 * HTTP/1.1 over one checked connection.
 * Invariant: a connection carries one request at a time; a request is written once, whole, and never again. Bytes that
 * nobody asked for end it, so that they are no answer to a later request. `onGone` is called once.
 */

import type { Socket } from "node:net";
import { setImmediate } from "node:timers";
import type { TLSSocket } from "node:tls";
import type { Collector } from "./collector.ts";
import { requestHead } from "./request_head.ts";
import { ResponseReader } from "./response_reader.ts";
import type { OpeningTimes, OpenSocket } from "./socket_opener.ts";

export interface ConnectionOptions {
  /** `host[:port]` of the URL. */
  readonly host: string;
  readonly headerBytes: number;
  /** How long the connection is kept without a request, unless the server says less. */
  readonly keepAliveMs: number;
  readonly onGone: () => void;
}

export interface Request {
  readonly path: string;
  /** They have passed `fieldsFault`. */
  readonly headers: readonly (readonly [string, string])[];
}

/** A server's own Keep-Alive timeout is undercut by this, so that no request meets its closing. */
const KEEP_ALIVE_MARGIN_MS = 1000;

const NO_BYTES = new Uint8Array(0);

export class Connection {
  readonly remoteAddress: string;
  /** e.g. "TLSv1.3"; undefined over plain TCP. */
  readonly tlsVersion: string | undefined;
  /** What opening it cost; absent once a request was sent on it. */
  opening: OpeningTimes | undefined;
  readonly #options: ConnectionOptions;
  readonly #socket: Socket;
  #collector: Collector | undefined;
  #reader: ResponseReader | undefined;
  #error: unknown;
  #closed: Promise<void> | undefined;
  #head: Uint8Array = NO_BYTES;
  #keepMs: number;

  constructor(open: OpenSocket, options: ConnectionOptions) {
    this.remoteAddress = open.remoteAddress;
    this.opening = open.opening;
    this.#options = options;
    this.#keepMs = options.keepAliveMs;
    const socket = this.#socket = open.socket;
    this.tlsVersion = (socket as Partial<Pick<TLSSocket, "getProtocol">>).getProtocol?.() ?? undefined;
    socket.on("data", (bytes: Uint8Array) => this.#onData(bytes));
    socket.on("end", () => this.#onEnd());
    socket.on("error", (error: unknown) => this.#lost(error));
    socket.on("close", () => this.#lost(undefined));
  }

  /** True when another request may be sent on it. */
  get reusable(): boolean {
    return this.#closed === undefined && !this.#socket.destroyed;
  }

  /** How long it may be kept from now on. */
  get keepMs(): number {
    return this.#keepMs;
  }

  /** The head of the last request as it was written, with its empty line. */
  get requestHead(): Uint8Array {
    return this.#head;
  }

  /** Sends one GET; what comes of it settles the collector. */
  send(request: Request, collector: Collector): void {
    const fresh = this.opening !== undefined;
    this.opening = undefined;
    this.#collector = collector;
    this.#head = requestHead(this.#options.host, request.path, request.headers);
    // What the server did to a kept connection meanwhile, a closing above all, is seen before it is used.
    if (fresh) this.#write();
    else setImmediate(() => this.#write());
  }

  /** Closes it at once; resolves when the socket is closed. */
  destroy(): Promise<void> {
    if (!this.#closed) {
      const socket = this.#socket;
      this.#closed = socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once("close", resolve));
      socket.destroy();
      this.#options.onGone();
    }
    return this.#closed;
  }

  #write(): void {
    const collector = this.#collector;
    // Given up, or told of the connection's end, while it waited.
    if (collector === undefined || collector.settled) return;
    if (!this.reusable) return this.#lost(this.#error);
    this.#reader = new ResponseReader(this.#options.headerBytes, collector);
    collector.onSent();
    this.#socket.write(this.#head);
  }

  #onData(bytes: Uint8Array): void {
    const collector = this.#collector;
    const reader = this.#reader;
    if (collector === undefined || reader === undefined || collector.settled) return this.#lost(undefined);
    collector.onArrival();
    this.#step(reader, collector, reader.read(bytes));
  }

  #onEnd(): void {
    if (this.#collector && this.#reader) this.#step(this.#reader, this.#collector, this.#reader.end());
    this.#lost(undefined);
  }

  #step(reader: ResponseReader, collector: Collector, step: ReturnType<ResponseReader["read"]>): void {
    if (step === "more") return;
    if (step === "cut") return this.#lost(undefined);
    this.#collector = undefined;
    this.#reader = undefined;
    if (step === "done") {
      this.#keepFor(reader);
      collector.onDone();
    } else {
      void this.destroy();
      collector.onFault(step);
    }
  }

  /** Kept for as long as both sides want, or not at all. */
  #keepFor(reader: ResponseReader): void {
    const { keepAliveMs } = this.#options;
    const theirs = reader.keepAliveMs;
    this.#keepMs = theirs === undefined ? keepAliveMs : Math.min(keepAliveMs, theirs - KEEP_ALIVE_MARGIN_MS);
    if (!reader.persistent || this.#keepMs <= 0) void this.destroy();
  }

  #lost(error: unknown): void {
    this.#error ??= error;
    const collector = this.#collector;
    this.#collector = undefined;
    this.#reader = undefined;
    void this.destroy();
    collector?.onBroken(this.#error);
  }
}
