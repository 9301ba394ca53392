/**
 * A TCP or TLS server that answers with whatever bytes a test wants, for replies that no HTTP library would send.
 * Invariant: it listens on loopback only; `close` ends every connection and resolves when all are closed.
 */

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** One request head and the connection it came on. */
export interface RawRequest {
  readonly socket: Socket;
  /** With its empty line, latin-1. */
  readonly head: string;
  /** From the request line. */
  readonly path: string;
  /** Requests that this connection has carried, this one included. */
  readonly nth: number;
  /** Resolves when all of `bytes` is handed to the kernel, or the connection is gone. */
  send(bytes: string | Uint8Array): Promise<void>;
  /** Sends, then closes. */
  end(bytes?: string | Uint8Array): void;
  /** Sends RST. */
  reset(): void;
}

export interface RawServerOptions {
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Called for a connection before a request came; e.g. to close it at once. */
  readonly onConnection?: (socket: Socket) => void;
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
}

export interface RawServer {
  readonly port: number;
  readonly host: string;
  /** `http://127.0.0.1:port` or `https://…`. */
  readonly origin: string;
  /** Connections accepted and request heads received so far. */
  readonly connections: number;
  readonly heads: readonly string[];
  close(): Promise<void>;
}

type Answer = (request: RawRequest) => void | Promise<void>;

function requestOn(socket: Socket, head: string, nth: number): RawRequest {
  return {
    socket,
    head,
    path: head.split(" ")[1] ?? "",
    nth,
    send: (bytes) =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve();
        const closed = () => resolve();
        socket.once("close", closed);
        socket.write(bytes, () => {
          socket.removeListener("close", closed);
          resolve();
        });
      }),
    end: (bytes = "") => void socket.end(bytes),
    reset: () => void (typeof socket.resetAndDestroy === "function" ? socket.resetAndDestroy() : socket.destroy()),
  };
}

/** Starts a server that calls `answer` for each request head. */
export async function startRawServer(answer: Answer, options: RawServerOptions = {}): Promise<RawServer> {
  const { host = "127.0.0.1", tls } = options;
  const sockets = new Set<Socket>();
  const heads: string[] = [];
  let connections = 0;
  const accept = (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    options.onConnection?.(socket);
    let pending = "";
    let nth = 0;
    socket.on("data", (chunk: Uint8Array) => {
      pending += new TextDecoder("latin1").decode(chunk);
      for (let end = pending.indexOf("\r\n\r\n"); end >= 0; end = pending.indexOf("\r\n\r\n")) {
        const head = pending.slice(0, end + 4);
        pending = pending.slice(end + 4);
        heads.push(head);
        void answer(requestOn(socket, head, ++nth));
      }
    });
  };
  const server: Server = tls ? createTlsServer({ ...tls }, accept) : createServer(accept);
  if (tls) server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host,
    origin: `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    get connections() {
      return connections;
    },
    heads,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
