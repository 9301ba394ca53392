/**
 * One checked connection and the undici client that speaks HTTP/1.1 over it.
 * Invariant: a connection carries one request at a time and is never replaced by another behind our back: when it is
 * gone, so is the client. `onGone` is called once.
 */

import type { Socket } from "node:net";
import type { Collector } from "./collector.ts";
import type { OpenSocket } from "./socket_opener.ts";
import { Client, type UndiciClient } from "./undici.ts";

export interface ConnectionOptions {
  readonly origin: string;
  readonly headerBytes: number;
  /** How long the connection is kept without a request. */
  readonly keepAliveMs: number;
  readonly onGone: () => void;
}

export interface Request {
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
}

/** A server's own Keep-Alive timeout is undercut by this, so that no request meets its closing. */
const KEEP_ALIVE_MARGIN_MS = 1000;

type Connected = (error: Error | null, socket: Socket | null) => void;

export class Connection {
  readonly remoteAddress: string;
  /** What opening it cost; absent once a request was sent on it. */
  connectMs: number | undefined;
  readonly #socket: Socket;
  readonly #client: UndiciClient;
  readonly #onGone: () => void;
  #collector: Collector | undefined;
  #gone: Promise<void> | undefined;
  #head = "";

  constructor(open: OpenSocket, options: ConnectionOptions) {
    this.remoteAddress = open.remoteAddress;
    this.connectMs = open.connectMs;
    this.#socket = open.socket;
    this.#onGone = options.onGone;
    let fresh: Socket | null = open.socket;
    const connect = (_: unknown, done: Connected) => {
      const socket = fresh;
      fresh = null;
      // undici resumes only when it is called back after its connect() has returned.
      queueMicrotask(() => done(socket ? null : new Error("The connection is gone; wanted a new one."), socket));
    };
    this.#client = new Client(options.origin, {
      connect: connect as never,
      allowH2: false,
      pipelining: 1,
      // Deadlines are ours; 0 turns undici's off.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: options.headerBytes,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout: options.keepAliveMs,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    });
    this.#client.on("disconnect", () => void this.destroy());
    this.#tap();
  }

  /** True when another request may be sent on it. */
  get reusable(): boolean {
    return this.#gone === undefined && !this.#socket.destroyed;
  }

  /** The head of the last request as it was written, with its empty line. */
  get requestHead(): string {
    return this.#head;
  }

  /** Sends one GET; what comes of it settles the collector. */
  send(request: Request, collector: Collector): void {
    this.#collector = collector;
    this.connectMs = undefined;
    const headers: string[] = [];
    for (const field of request.headers) headers.push(field[0], field[1]);
    this.#client.dispatch({ path: request.path, method: "GET", headers }, collector);
  }

  /** Closes it at once; resolves when the socket is closed. */
  destroy(): Promise<void> {
    if (!this.#gone) {
      this.#gone = this.#client.destroy().then(() => undefined, () => undefined);
      // A socket that no request was sent on is not the client's yet.
      this.#socket.destroy();
      this.#onGone();
    }
    return this.#gone;
  }

  /** Sees every byte that undici reads and the head that it writes: exact where undici tells only a summary. */
  #tap(): void {
    const socket = this.#socket;
    const { read, write } = socket;
    socket.read = (size?: number) => {
      const chunk = read.call(socket, size) as Uint8Array | null;
      const collector = this.#collector;
      if (chunk === null || collector === undefined) return chunk;
      if (!collector.settled) return collector.onRead(chunk) ? chunk : null;
      this.#collector = undefined;
      return chunk;
    };
    socket.write = ((data: string | Uint8Array, ...rest: []) => {
      if (typeof data === "string") this.#head = data;
      return write.call(socket, data, ...rest);
    }) as Socket["write"];
    socket.on("error", () => this.#collector?.onSocketError());
  }
}
