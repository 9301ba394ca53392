/**
 * The Serve port on Deno.serve.
 * Invariant: after `close` resolved, no request is being answered and the port is free.
 */

import { settledWithin } from "./closing.ts";
import type { Serve } from "./ports.ts";
import { takeRest } from "./unread_body.ts";

export const serveOnDeno: Serve = async (options) => {
  const abort = new AbortController();
  const open = new Set<Promise<Response>>();
  let isClosing = false;
  const handler = (request: Request, info: Deno.ServeHandlerInfo): Response | Promise<Response> => {
    if (isClosing) return new Response("", { status: 503, headers: { connection: "close" } });
    const reply = Promise.resolve(options.handler(request, addressOf(info.remoteAddr)));
    const whole = reply.finally(() => takeRest(request));
    const tracked: Promise<Response> = whole.finally(() => open.delete(tracked));
    open.add(tracked);
    return tracked;
  };
  const { hostname, port, tls } = options;
  const server = Deno.serve({ hostname, port, signal: abort.signal, onListen: () => {}, ...tls }, handler);
  const address = server.addr as Deno.NetAddr;
  return {
    url: urlOf(address, tls !== undefined),
    async close() {
      isClosing = true;
      // Once `shutdown` was called the server can't be aborted any more, so the handlers are waited for before.
      if (await settledWithin(Promise.allSettled([...open]))) await settledWithin(server.shutdown());
      else abort.abort();
    },
  };
};

function urlOf({ hostname, port }: Deno.NetAddr, isTls: boolean): string {
  return `${isTls ? "https" : "http"}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

function addressOf(address: Deno.Addr): string {
  return "hostname" in address ? address.hostname : "";
}
