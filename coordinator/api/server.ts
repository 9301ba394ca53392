/**
 * Puts the API on a port.
 * Invariant: without a token it listens on loopback only.
 */

import type { Serve, ServeOptions, Server } from "../../runtime/ports.ts";
import { isLoopbackHost } from "../frontier/crawls/crawl_spec.ts";
import { createApi } from "./api.ts";
import type { ApiParts } from "./context.ts";
import { createTokenBook } from "./token_book.ts";

export interface ApiServerOptions extends ApiParts {
  readonly serve: Serve;
  readonly hostname: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly tls?: ServeOptions["tls"];
}

/** Resolves when it listens. Rejects with a sentence when it may not or can't. */
export async function startApi(options: ApiServerOptions): Promise<Server> {
  const { hostname, port, tls } = options;
  const bracketed = hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname.toLowerCase();
  if (!isLoopbackHost(bracketed) && (await createTokenBook(options).current()).isOpen) {
    throw new Error(
      `The API can't listen on ${hostname} without a token, since others could reach it: make one with "outrider token create", or listen on 127.0.0.1.`,
    );
  }
  const app = createApi(options);
  return await options.serve({
    hostname,
    port,
    handler: (request, remoteAddress) => app.fetch(request, { remoteAddress }),
    ...(tls ? { tls } : {}),
  });
}
