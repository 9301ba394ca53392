/**
 * Routes that create, show and steer crawls.
 * Invariant: an answer of 202 means that the crawl and its seeds are durable.
 */

import { createRoute, z } from "@hono/zod-openapi";
import type { CrawlSpec } from "../../protocol/mod.ts";
import type { Coordinator, CrawlRow } from "../ports.ts";
import { type ApiParts, type App, crawlNamed } from "./context.ts";
import { crawlSpecFrom } from "./crawl_request.ts";
import {
  CrawlAccepted,
  CrawlIdSchema,
  CrawlList,
  CrawlRequest,
  type CrawlRequestBody,
  CrawlView,
  StatsView,
} from "./crawl_schemas.ts";
import type { Once } from "./idempotency.ts";
import { ApiProblem, problemResponses } from "./problem.ts";
import { IdempotencyHeader, jsonAnswer, jsonBody, queryInt } from "./route_parts.ts";
import { forwardedOf, refuseMalformed } from "./seed_intake.ts";

const CrawlParams = z.object({ crawl_id: CrawlIdSchema });
const create = createRoute({
  method: "post",
  path: "/v1/crawls",
  summary: "Creates a crawl and injects its seeds",
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(CrawlRequest),
  },
  responses: {
    202: jsonAnswer("The crawl and its seeds are stored", CrawlAccepted),
    ...problemResponses(400, 409, 413, 422),
  },
});

const list = createRoute({
  method: "get",
  path: "/v1/crawls",
  summary: "Crawls, the newest first",
  request: {
    query: z.strictObject({
      limit: queryInt({ least: 1, most: 1000 }).default(100),
      before: CrawlIdSchema.optional().openapi({ description: "Goes on after this crawl of an earlier answer." }),
    }),
  },
  responses: { 200: jsonAnswer("One page of crawls", CrawlList), ...problemResponses(400, 404) },
});

const show = createRoute({
  method: "get",
  path: "/v1/crawls/{crawl_id}",
  summary: "One crawl with its spec",
  request: { params: CrawlParams },
  responses: { 200: jsonAnswer("The crawl", CrawlView), ...problemResponses(400, 404) },
});

const stats = createRoute({
  method: "get",
  path: "/v1/crawls/{crawl_id}/stats",
  summary: "Counters of one crawl",
  request: { params: CrawlParams },
  responses: { 200: jsonAnswer("The counters, all of one commit per shard", StatsView), ...problemResponses(400, 404) },
});

const WANTED = { pause: "paused", resume: "running", cancel: "cancelled" } as const;
type Action = keyof typeof WANTED;

function steerRoute<A extends Action>(action: A) {
  return createRoute({
    method: "post",
    path: `/v1/crawls/{crawl_id}/${action}` as const,
    summary: `Tells a crawl to ${action}; repeating it is no error`,
    request: { params: CrawlParams },
    responses: { 200: jsonAnswer("The crawl in its new state", CrawlView), ...problemResponses(400, 404, 409, 503) },
  });
}

const recrawl = createRoute({
  method: "post",
  path: "/v1/crawls/{crawl_id}/recrawl",
  summary: "Queues every URL of a finished crawl again; unchanged pages are told by their validators",
  request: { params: CrawlParams },
  responses: {
    202: jsonAnswer("They are queued", z.object({ crawl_id: CrawlIdSchema, queued: z.number().int() })),
    ...problemResponses(400, 404, 409),
  },
});

export function addCrawlRoutes(app: App, parts: ApiParts, once: Once) {
  const { coordinator } = parts;
  return app.openapi(create, async (c) => {
    const request = c.req.valid("json");
    return c.json(await once.run(c, (stableName) => createCrawl(parts, request, stableName)), 202);
  }).openapi(list, (c) => {
    const { limit, before } = c.req.valid("query");
    return c.json({ crawls: pageOf(coordinator, limit, before).map(summaryOf) }, 200);
  }).openapi(show, (c) => c.json(viewOf(crawlNamed(coordinator, c.req.valid("param").crawl_id)), 200))
    .openapi(stats, (c) => {
      const { crawl_id: crawlId } = c.req.valid("param");
      const counted = coordinator.stats(crawlNamed(coordinator, crawlId).crawlId);
      if (!counted) throw new ApiProblem(404, `Crawl ${JSON.stringify(crawlId)} has no counters yet; ask again.`);
      return c.json(counted, 200);
    });
}

/** Pause, resume, cancel, recrawl. */
export function addSteeringRoutes(app: App, { coordinator }: ApiParts) {
  const steer = async (crawlId: string, action: Action) => viewOf(await steerCrawl(coordinator, crawlId, action));
  return app
    .openapi(steerRoute("pause"), async (c) => c.json(await steer(c.req.valid("param").crawl_id, "pause"), 200))
    .openapi(steerRoute("resume"), async (c) => c.json(await steer(c.req.valid("param").crawl_id, "resume"), 200))
    .openapi(steerRoute("cancel"), async (c) => c.json(await steer(c.req.valid("param").crawl_id, "cancel"), 200))
    .openapi(recrawl, async (c) => {
      const { crawl_id } = c.req.valid("param");
      const { state } = crawlNamed(coordinator, crawl_id);
      if (state !== "finished") {
        throw new ApiProblem(409, `Crawl ${JSON.stringify(crawl_id)} is ${state}: one that is finished is wanted.`);
      }
      return c.json({ crawl_id, queued: await coordinator.recrawl(crawl_id) ?? 0 }, 202);
    });
}

async function createCrawl(parts: ApiParts, request: CrawlRequestBody, stableName: string | undefined) {
  const made = crawlSpecFrom(request, parts.defaults);
  if ("problems" in made) throw new ApiProblem(400, made.problems.join(" "), { problems: made.problems });
  const crawlId = request.crawl_id ?? `c-${stableName?.slice(0, 16) ?? parts.random.hex(8)}`;
  const { coordinator } = parts;
  refuseOtherSpec(coordinator, crawlId, made.spec);
  const { seeds } = await coordinator.createCrawl(crawlId, made.spec).catch((error) => {
    // Another request may have made it meanwhile.
    refuseOtherSpec(coordinator, crawlId, made.spec);
    throw error;
  });
  refuseMalformed(seeds.malformed, request.seeds.length);
  const { enqueued, alreadySeen: already_seen, rejected } = seeds;
  return { crawl_id: crawlId, enqueued, already_seen, ...forwardedOf(seeds), rejected };
}

function refuseOtherSpec(coordinator: Coordinator, crawlId: string, spec: CrawlSpec): void {
  const earlier = coordinator.crawl(crawlId);
  if (!earlier || JSON.stringify(earlier.spec) === JSON.stringify(spec)) return;
  throw new ApiProblem(409, `Crawl ${JSON.stringify(crawlId)} exists with another spec: another name is wanted.`);
}

/** Repeating an action is no error; what has ended can't be steered any more. */
async function steerCrawl(coordinator: Coordinator, crawlId: string, action: Action): Promise<CrawlRow> {
  const { state } = crawlNamed(coordinator, crawlId);
  if (state !== WANTED[action] && (state === "cancelled" || state === "finished")) {
    throw new ApiProblem(409, `Crawl ${JSON.stringify(crawlId)} is ${state}, so it can't be told to ${action}.`);
  }
  return (await coordinator.setCrawlState(crawlId, WANTED[action])) ?? crawlNamed(coordinator, crawlId);
}

function pageOf(coordinator: Coordinator, limit: number, before: string | undefined): CrawlRow[] {
  const rows = coordinator.crawls().toSorted((a, b) => b.createdAt - a.createdAt || (a.crawlId < b.crawlId ? -1 : 1));
  const start = before === undefined ? 0 : rows.indexOf(rows.find(({ crawlId }) => crawlId === before)!) + 1;
  if (before !== undefined && start === 0) crawlNamed(coordinator, before);
  return rows.slice(start, start + limit);
}

function summaryOf({ crawlId, state, reason, createdAt, finishedAt }: CrawlRow) {
  const finished = finishedAt > 0 ? { finished_at: finishedAt } : {};
  return { crawl_id: crawlId, state, reason, created_at: createdAt, ...finished };
}

function viewOf(crawl: CrawlRow) {
  return { ...summaryOf(crawl), spec: crawl.spec };
}
