/**
 * The Serve port on Deno.serve.
 * Invariant: after `close` resolved, no request is being answered and the port is free.
 */

import { settledWithin } from "./closing.ts";
import type { Serve } from "./ports.ts";

export const serveOnDeno: Serve = async (options) => {
  const abort = new AbortController();
  const server = Deno.serve({
    hostname: options.hostname,
    port: options.port,
    signal: abort.signal,
    onListen: () => {},
    ...(options.tls ?? {}),
  }, (request, info) => options.handler(request, addressOf(info.remoteAddr)));
  const { hostname, port } = server.addr as Deno.NetAddr;
  return {
    url: `${options.tls ? "https" : "http"}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`,
    async close() {
      if (!(await settledWithin(server.shutdown()))) abort.abort();
      await server.finished;
    },
  };
};

function addressOf(address: Deno.Addr): string {
  return "hostname" in address ? address.hostname : "";
}
