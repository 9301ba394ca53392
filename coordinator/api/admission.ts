/**
 * Who asks, and whether it may: tokens, roles, quarantine, rates.
 * Invariant: a request that passes has a caller whose role may send it; everything else is a 401, 403 or 429.
 */

import type { Context } from "hono";
import { rolesFor, strangerProblem } from "./access.ts";
import type { ApiEnv, ApiParts } from "./context.ts";
import { refuseBarred } from "./edge_bounds.ts";
import { ApiProblem } from "./problem.ts";
import { createRateLimit } from "./rate_limit.ts";
import type { TokenBook } from "./token_book.ts";
import { authenticate, type Caller } from "./tokens.ts";

/** The caller of each request; throws a problem. */
export function createAdmission(parts: ApiParts, book: TokenBook): (context: Context<ApiEnv>) => Promise<Caller> {
  const limit = createRateLimit(parts.rates ?? {}, parts.clock);
  const keep = (who: string, kind: Caller["role"] | "stranger") => {
    const seconds = limit.take(who, kind);
    if (seconds === 0) return;
    const whose = kind === "stranger" ? "without a valid token" : `of role ${kind}`;
    throw new ApiProblem(429, `More requests ${whose} came than are answered: try again in ${seconds} s.`, {}, {
      "retry-after": String(seconds),
    });
  };
  return async (context) => {
    const known = await book.current();
    if (known.isOpen) {
      // Loopback: all share one name there, edges too, so a rate would hold them up.
      const problem = strangerProblem(context.req.raw, parts.hostnames, parts.corsOrigins);
      if (problem !== undefined) throw new ApiProblem(403, problem);
      return { ...OPEN_CALLER, barred: known.quarantined };
    }
    const caller = authenticate(context.req.header("authorization"), known.tokens, parts.digest);
    if (caller === undefined) keep(context.env?.remoteAddress ?? "", "stranger");
    else keep(caller.id, caller.role);
    const admitted = allowed(caller, context.req.method, context.req.path);
    if (known.quarantined.size === 0) return admitted;
    if (admitted.role === "edge") refuseBarred(known.quarantined, admitted.name);
    return { ...admitted, barred: known.quarantined };
  };
}

const OPEN_CALLER: Caller = { id: "", role: "operator", name: "" };

function allowed(caller: Caller | undefined, method: string, path: string): Caller {
  const roles = rolesFor(method, path);
  if (caller?.role === "operator" || (caller && roles.includes(caller.role))) return caller;
  if (roles.includes("open")) return caller ?? { id: "", role: "reader", name: "" };
  if (caller) {
    const wanted = ["operator", ...roles].join(" or ");
    throw new ApiProblem(
      403,
      `A token of role ${caller.role} may not ${method} ${path.slice(0, 200)}: ${wanted} is wanted.`,
    );
  }
  throw new ApiProblem(
    401,
    "The request carries no valid token: an Authorization header with Bearer and a token is wanted.",
    {},
    { "www-authenticate": "Bearer" },
  );
}
