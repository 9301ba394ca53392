/**
 * Routes that shut an edge out and take back what it reported.
 * Invariant: from the answer on nothing of the edge is taken; asking again finishes a reversal that was cut short.
 */

import { createRoute, z } from "@hono/zod-openapi";
import type { QuarantineRow } from "../operator_ports.ts";
import type { ApiParts, App } from "./context.ts";
import { ApiProblem, problemResponses } from "./problem.ts";
import { jsonAnswer, jsonBody } from "./route_parts.ts";
import type { TokenBook } from "./token_book.ts";

const Name = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, "1 to 64 of A-Z, a-z, 0-9, . _ - are wanted").openapi({
  description:
    "Of the edge's token: it speaks for the worker of this name, and for those that begin with it and a dot.",
});

const Quarantine = z.object({
  name: z.string(),
  reason: z.string(),
  at: z.number().openapi({ description: "ms since 1970-01-01 UTC." }),
  lifted_at: z.number().optional(),
}).openapi("Quarantine");

const Reversed = Quarantine.extend({
  reversed: z.object({
    leases_ended: z.int(),
    urls_offered_again: z.int().openapi({ description: "Settled by it, or whose newest capture was its." }),
    captures_withdrawn: z.int().openapi({ description: "They are listed and told of no more." }),
    origins_forgotten: z.int().openapi({ description: "Their robots.txt is asked for anew before anything else." }),
  }),
  shards: z.array(z.int()).openapi({ description: "Where it was taken back: those that this coordinator owns." }),
}).openapi("QuarantineReversed");

const begin = createRoute({
  method: "post",
  path: "/v1/quarantines",
  summary: "Shuts an edge out, and takes back what it reported",
  request: {
    body: jsonBody(z.strictObject({ name: Name, reason: z.string().max(500).optional() }).openapi("QuarantineRequest")),
  },
  responses: {
    200: jsonAnswer("It is shut out, and its reports are taken back", Reversed),
    ...problemResponses(400, 409),
  },
});

const list = createRoute({
  method: "get",
  path: "/v1/quarantines",
  summary: "Edges that are or were in quarantine",
  responses: {
    200: jsonAnswer("All of them", z.object({ quarantines: z.array(Quarantine) }).openapi("Quarantines")),
  },
});

const lift = createRoute({
  method: "delete",
  path: "/v1/quarantines/{name}",
  summary: "Lets an edge in again",
  request: { params: z.object({ name: Name }) },
  responses: { 200: jsonAnswer("It may report again", Quarantine), ...problemResponses(400, 404) },
});

export function addQuarantineRoutes(app: App, { coordinator, operators, clock }: ApiParts, book: TokenBook) {
  const standing = async (name: string): Promise<QuarantineRow | undefined> =>
    (await operators.quarantines()).find((row) => row.name === name && row.liftedAt === 0);
  return app.openapi(begin, async (c) => {
    const { name, reason } = c.req.valid("json");
    const busy = coordinator.crawls().find(({ recrawlBefore = 0 }) => recrawlBefore > 0);
    if (busy !== undefined) {
      throw new ApiProblem(409, `Crawl ${JSON.stringify(busy.crawlId)} is being queued again: ask when that is done.`);
    }
    const known = await standing(name);
    const at = known?.at ?? Math.floor(clock.wallMs());
    const row: QuarantineRow = { name, reason: reason ?? known?.reason ?? "", at, liftedAt: 0 };
    await operators.putQuarantine(row);
    book.forget();
    const { reversal, shards } = await coordinator.quarantine(name);
    const reversed = {
      leases_ended: reversal.leasesEnded,
      urls_offered_again: reversal.urlsOfferedAgain,
      captures_withdrawn: reversal.capturesWithdrawn,
      origins_forgotten: reversal.originsForgotten,
    };
    return c.json({ ...answerOf(row), reversed, shards: [...shards] }, 200);
  }).openapi(list, async (c) => c.json({ quarantines: (await operators.quarantines()).map(answerOf) }, 200))
    .openapi(lift, async (c) => {
      const { name } = c.req.valid("param");
      const row = await standing(name);
      if (row === undefined) throw new ApiProblem(404, `No edge ${JSON.stringify(name)} is in quarantine.`);
      const lifted = { ...row, liftedAt: Math.floor(clock.wallMs()) };
      await operators.putQuarantine(lifted);
      book.forget();
      return c.json(answerOf(lifted), 200);
    });
}

function answerOf({ name, reason, at, liftedAt }: QuarantineRow): z.infer<typeof Quarantine> {
  return { name, reason, at, ...(liftedAt > 0 ? { lifted_at: liftedAt } : {}) };
}
