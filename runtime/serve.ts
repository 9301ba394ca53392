/**
 * The Serve port of whichever runtime this is, found out at run time.
 * Invariant: both adapters pass runtime/serve_test.ts.
 */

import type { Serve } from "./ports.ts";

/**
 * Starts an HTTP server; resolves when it listens. Rejects with a sentence when it can't.
 * A handler that throws must not happen: it is answered 500 by the runtime.
 */
export const serve: Serve = async (options) => {
  try {
    if ("Bun" in globalThis) return await (await import("./bun.ts")).serveOnBun(options);
    return await (await import("./deno.ts")).serveOnDeno(options);
  } catch (error) {
    throw new Error(
      `Listening on ${options.hostname}:${options.port} failed: ${
        (error as Error).message
      }. A free port on an address of this machine is wanted.`,
      { cause: error },
    );
  }
};
