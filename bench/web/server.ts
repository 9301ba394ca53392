/**
 * The synthetic web as a server on loopback: HTTP/1.1 with keep-alive over plain sockets.
 * Invariant: requests of one connection are answered in order; an entry's start is the arrival of its head and its end
 * is no later than the client's receipt, so that gaps and overlaps in the log are never worse than what was done.
 */

import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers";
import { clearTimeout } from "node:timers";
import { webConfig } from "./config.ts";
import type { WebConfig } from "./config.ts";
import { HeadReader } from "./request_parser.ts";
import type { WebRequest } from "./request_parser.ts";
import { RequestLog } from "./request_log.ts";
import { Responder } from "./responder.ts";
import { pagesOf } from "./site.ts";
import { createWorld, pagePath } from "./world.ts";
import type { World } from "./world.ts";

export interface WebOptions {
  /** Requests that the log keeps. */
  readonly logEntries?: number;
  /** Bytes of responses that are kept ready. */
  readonly cacheBytes?: number;
}

export interface RunningWeb {
  readonly world: World;
  readonly port: number;
  readonly log: RequestLog;
  /** Open connections, and the most that were open at once. */
  readonly connections: { open: number; most: number; total: number };
  /** Renders every page that fits the cache; returns the cache's bytes. */
  warm(): number;
  /** Forgets the log and what was asked. */
  reset(): void;
  close(): Promise<void>;
}

/** Listens on `config.port` (0 = any free port) of all loopback addresses. */
export async function startWeb(changes: Partial<WebConfig> = {}, options: WebOptions = {}): Promise<RunningWeb> {
  const asked = webConfig(changes);
  const site = new Site(options);
  const server = createServer({ noDelay: true }, (socket) => site.accept(socket));
  await listen(server, asked.port);
  const port = (server.address() as AddressInfo).port;
  const world = createWorld({ ...asked, port });
  const responder = new Responder(world, options.cacheBytes ?? 1 << 29);
  site.responder = responder;
  return {
    world,
    port,
    log: site.log,
    connections: site.connections,
    warm: () => warmAll(world, responder),
    reset: () => {
      site.log.reset();
      responder.reset();
    },
    close: () => site.close(server),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: "0.0.0.0", backlog: 1024 }, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

function warmAll(world: World, responder: Responder): number {
  for (let host = 0; host < world.config.hosts; host++) {
    for (let local = 0; local < pagesOf(world.config, host); local++) {
      responder.warm(host, pagePath(world, host, local));
    }
  }
  return responder.cacheBytes;
}

class Site {
  readonly log: RequestLog;
  readonly connections = { open: 0, most: 0, total: 0 };
  responder: Responder | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<ReturnType<typeof delay>>();

  constructor(options: WebOptions) {
    this.log = new RequestLog(options.logEntries ?? 1_000_000);
  }

  accept(socket: Socket): void {
    // The socket listens on every interface so that all of 127/8 answers; only loopback is served.
    if (!(socket.localAddress ?? "").replace("::ffff:", "").startsWith("127.")) return void socket.destroy();
    const connection = ++this.connections.total;
    this.connections.open++;
    this.connections.most = Math.max(this.connections.most, this.connections.open);
    this.#sockets.add(socket);
    const reader = new HeadReader();
    let busy = false;
    const advance = () => {
      if (busy || socket.destroyed) return;
      const request = reader.next();
      if (request === undefined) return;
      if (request === "malformed") return void socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
      busy = true;
      this.#serve(socket, connection, request, () => {
        busy = false;
        advance();
      });
    };
    socket.on("data", (bytes) => {
      reader.push(bytes.toString("latin1"));
      advance();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.connections.open--;
      this.#sockets.delete(socket);
    });
  }

  #serve(socket: Socket, connection: number, request: WebRequest, done: () => void): void {
    const startMs = performance.now();
    const response = this.responder!.respond(request);
    const entry = this.log.add({
      startMs,
      connection,
      host: response.host,
      authority: request.authority,
      method: request.method,
      target: request.target,
      path: response.path,
      kind: response.kind,
      status: response.status,
      userAgent: request.userAgent,
      ...(request.ifNoneMatch === undefined ? {} : { ifNoneMatch: request.ifNoneMatch }),
    });
    const send = () => {
      entry.endMs = performance.now();
      entry.bytes = response.bytes.length;
      if (response.status === 0) return void socket.destroy();
      if (request.close) return void socket.end(response.bytes);
      socket.write(response.bytes);
      done();
    };
    if (response.delayMs <= 0) return send();
    const timer = delay(() => {
      this.#timers.delete(timer);
      if (!socket.destroyed) send();
    }, response.delayMs);
    this.#timers.add(timer);
  }

  async close(server: Server): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
