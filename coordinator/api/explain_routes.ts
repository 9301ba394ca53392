/**
 * The route that says why a URL was or wasn't fetched.
 * Invariant: reads only; an answer mirrors Explanation of coordinator/explain_ports.ts, in snake_case.
 */

import { createRoute, z } from "@hono/zod-openapi";
import { LIMITS } from "../../protocol/mod.ts";
import type { Explanation, RobotsVerdict } from "../explain_ports.ts";
import { type ApiParts, type App, crawlNamed } from "./context.ts";
import { DEFAULT_CRAWL_ID } from "./crawl_request.ts";
import { CrawlIdSchema } from "./crawl_schemas.ts";
import { ApiProblem, problemResponses } from "./problem.ts";
import { jsonAnswer } from "./route_parts.ts";
import { urlProblem } from "./seed_intake.ts";

const Check = z.object({
  check: z.string().openapi({ description: "What was looked at: shape, scope, host_budget, robots and so on." }),
  passes: z.boolean().openapi({
    description: "False: as things are, it keeps the URL out, or from being fetched now.",
  }),
  says: z.string().openapi({ description: "A sentence." }),
}).openapi("ExplainedCheck");

const ExplainAnswer = z.object({
  crawl_id: z.string(),
  url: z.string(),
  key: z.string().openapi({ description: "The normalised URL." }),
  fingerprint: z.string(),
  host: z.string(),
  domain: z.string(),
  status: z.enum(["pending", "crawling", "done", "blocked", "unknown"]).openapi({
    description: "As in url-status; unknown = the crawl hasn't accepted it.",
  }),
  why: z.string(),
  refusal: z.string().optional().openapi({
    description: "What the door would say if the URL were found now, as in rejected_by_reason; absent = come in.",
  }),
  checks: z.array(Check),
  robots: z.object({
    allowed: z.boolean(),
    rule: z.string().optional().openapi({ description: "The rule that decides; absent = none fits." }),
    line: z.int().optional().openapi({ description: "Its line, from 1." }),
  }).optional().openapi({ description: "What the robots.txt in force says of it, where it has rules." }),
  ahead: z.int().optional().openapi({
    description:
      "URLs of its host and crawl that come before it, up to 10,000: 0 = it is next. Of one that is queued and ready.",
  }),
  waiting_until: z.number().optional().openapi({
    description:
      "ms since 1970-01-01 UTC before which it isn't fetched; absent = it needn't wait, or no time is known.",
  }),
  duplicates_of: z.array(z.string()).openapi({
    description: "URLs of the crawl that had the content of its last answer before it, the oldest first, at most 5.",
  }),
  row: z.object({
    priority: z.number(),
    band: z.int(),
    depth: z.int(),
    hop: z.int(),
    discovery_path: z.string(),
    discovered_from: z.string(),
    enqueued_at: z.number(),
    attempts: z.int(),
    in_links: z.int(),
  }).optional().openapi({ description: "What the frontier keeps of a URL that was accepted." }),
}).openapi("Explanation");

const explainRoute = createRoute({
  method: "get",
  path: "/v1/explain",
  summary: "Why a URL was or wasn't fetched: the door's verdict as it is now, and all that comes after it",
  request: {
    query: z.strictObject({ url: z.string().min(1).max(LIMITS.urlBytes * 4), crawl_id: CrawlIdSchema.optional() }),
  },
  responses: { 200: jsonAnswer("What is known", ExplainAnswer), ...problemResponses(400, 404) },
});

export function addExplainRoutes(app: App, { coordinator }: ApiParts) {
  return app.openapi(explainRoute, async (c) => {
    const { url, crawl_id: crawlId = DEFAULT_CRAWL_ID } = c.req.valid("query");
    const problem = urlProblem(url);
    if (problem !== undefined) throw new ApiProblem(400, problem);
    const explanation = await coordinator.explain(crawlNamed(coordinator, crawlId).crawlId, url);
    if (!explanation) throw new ApiProblem(404, `Crawl ${JSON.stringify(crawlId)} isn't there any more.`);
    return c.json({ crawl_id: crawlId, ...explainAnswer(explanation) }, 200);
  });
}

function explainAnswer(explanation: Explanation): Omit<z.infer<typeof ExplainAnswer>, "crawl_id"> {
  const { row, checks, robots, waitingUntil, duplicatesOf, ...plainly } = explanation;
  const rest = {
    ...plainly,
    ...(robots === undefined ? {} : { robots: verdictOf(robots) }),
    ...(waitingUntil === undefined ? {} : { waiting_until: waitingUntil }),
    duplicates_of: [...duplicatesOf],
  };
  if (row === undefined) return { ...rest, checks: [...checks] };
  const { discoveryPath, discoveredFrom, enqueuedAt, inLinks, ...plain } = row;
  return {
    ...rest,
    checks: [...checks],
    row: {
      ...plain,
      discovery_path: discoveryPath,
      discovered_from: discoveredFrom,
      enqueued_at: enqueuedAt,
      in_links: inLinks,
    },
  };
}

function verdictOf({ allowed, rule, line }: RobotsVerdict) {
  return { allowed, ...(rule === undefined ? {} : { rule }), ...(line === undefined ? {} : { line }) };
}
