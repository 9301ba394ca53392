/**
 * The Serve port on Bun.serve.
 * Invariant: after `close` resolved, no request is being answered and the port is free.
 */

import { settledWithin } from "./closing.ts";
import type { Serve } from "./ports.ts";

interface BunServer {
  readonly hostname: string;
  readonly port: number;
  requestIP(request: Request): { readonly address: string } | null;
  stop(closeActiveConnections?: boolean): Promise<void>;
}

interface BunGlobal {
  serve(options: {
    hostname: string;
    port: number;
    /** Seconds of silence on a connection; Bun's default of 10 would cut off a slow commit. */
    idleTimeout: number;
    tls?: { cert: string; key: string };
    fetch(request: Request, server: BunServer): Response | Promise<Response>;
  }): BunServer;
}

const IDLE_SECONDS = 120;

export const serveOnBun: Serve = async (options) => {
  const { Bun } = globalThis as unknown as { Bun: BunGlobal };
  const server = Bun.serve({
    hostname: options.hostname,
    port: options.port,
    idleTimeout: IDLE_SECONDS,
    ...(options.tls ? { tls: { ...options.tls } } : {}),
    fetch: (request, server) => options.handler(request, server.requestIP(request)?.address ?? ""),
  });
  const { hostname, port } = server;
  return {
    url: `${options.tls ? "https" : "http"}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`,
    async close() {
      if (!(await settledWithin(server.stop()))) await server.stop(true);
    },
  };
};
