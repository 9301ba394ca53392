/**
 * Routes on the audit log.
 * Invariant: an operator's alone; what is forgotten leaves a row that says so.
 */

import { createRoute, z } from "@hono/zod-openapi";
import type { AuditRow } from "../operator_ports.ts";
import type { ApiParts, App } from "./context.ts";
import { problemResponses } from "./problem.ts";
import { jsonAnswer, queryInt } from "./route_parts.ts";

const Action = z.object({
  seq: z.int().openapi({ description: "Give the smallest as `before` for the page behind this one." }),
  at: z.number().openapi({ description: "ms since 1970-01-01 UTC." }),
  token: z.string().openapi({
    description: 'Id of the token, env-<n> for one of OUTRIDER_TOKENS, "" where none is asked for.',
  }),
  role: z.enum(["operator", "edge", "reader"]),
  name: z.string().openapi({ description: 'Of the token; "" = none.' }),
  method: z.string(),
  path: z.string(),
  body: z.string().openapi({ description: "The first 1,000 characters of the request's body." }),
  status: z.int().openapi({ description: "Of the answer; 0 = the process ended before it was known." }),
}).openapi("AuditedAction");

const list = createRoute({
  method: "get",
  path: "/v1/audit",
  summary: "What operators did, the newest first",
  request: {
    query: z.strictObject({
      before: queryInt({ least: 0, most: Number.MAX_SAFE_INTEGER }).optional().openapi({
        description: "Only actions of a smaller seq.",
      }),
      limit: queryInt({ least: 1, most: 1000 }).default(100),
    }),
  },
  responses: {
    200: jsonAnswer("One page", z.object({ actions: z.array(Action) }).openapi("AuditedActions")),
    ...problemResponses(400),
  },
});

const prune = createRoute({
  method: "delete",
  path: "/v1/audit",
  summary: "Forgets what is older than a time",
  request: {
    query: z.strictObject({
      older_than: queryInt({ least: 0, most: 8.64e15 }).openapi({ description: "ms since 1970-01-01 UTC." }),
    }),
  },
  responses: {
    200: jsonAnswer("Forgotten", z.object({ forgotten: z.int() }).openapi("AuditForgotten")),
    ...problemResponses(400),
  },
});

export function addAuditRoutes(app: App, { operators }: ApiParts) {
  return app.openapi(list, async (c) => {
    const { before = 0, limit } = c.req.valid("query");
    return c.json({ actions: (await operators.audit(before, limit)).map(actionOf) }, 200);
  }).openapi(prune, async (c) => {
    return c.json({ forgotten: await operators.pruneAudit(c.req.valid("query").older_than) }, 200);
  });
}

function actionOf({ seq, at, token, role, name, method, path, body, status }: AuditRow): z.infer<typeof Action> {
  return { seq, at, token, role, name, method, path, body, status };
}
