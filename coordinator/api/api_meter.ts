/**
 * What the API answered, counted: by role and status, and how long it took.
 * Invariant: as many samples as there are roles and statuses, whatever is asked.
 */

import type { MiddlewareHandler } from "hono";
import type { Clock } from "../../runtime/ports.ts";
import type { ApiEnv } from "./context.ts";
import type { Family } from "./prometheus.ts";

export interface ApiMeter {
  readonly middleware: MiddlewareHandler<ApiEnv>;
  families(): Family[];
}

interface Use {
  readonly role: string;
  readonly status: number;
  requests: number;
  ms: number;
}

/** Callers that weren't let in have no role: `none`. */
export function createApiMeter({ monotonicMs }: Pick<Clock, "monotonicMs">): ApiMeter {
  const uses = new Map<string, Use>();
  return {
    async middleware(c, next) {
      const from = monotonicMs();
      await next();
      const role = c.get("caller")?.role ?? "none";
      const { status } = c.res;
      const name = `${role} ${status}`;
      let use = uses.get(name);
      if (use === undefined) uses.set(name, use = { role, status, requests: 0, ms: 0 });
      use.requests++;
      use.ms += monotonicMs() - from;
    },
    families: () => [
      {
        name: "outrider_api_requests_total",
        type: "counter",
        help: "Requests that the API answered, by the role of the token and the status.",
        samples: Array.from(
          uses.values(),
          ({ role, status, requests }) => [{ role, status: String(status) }, requests],
        ),
      },
      {
        name: "outrider_api_request_seconds_total",
        type: "counter",
        help: "How long they took, until their answer began.",
        samples: Array.from(uses.values(), ({ role, status, ms }) => [{ role, status: String(status) }, ms / 1000]),
      },
    ],
  };
}
