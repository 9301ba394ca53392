/**
 * Routes that add URLs to a crawl, and the one that tells what became of a URL.
 * Invariant: when a request is refused, nothing of it was enqueued.
 */

import { createRoute, z } from "@hono/zod-openapi";
import { LIMITS } from "../../protocol/mod.ts";
import type { CrawlRow } from "../ports.ts";
import { type ApiParts, type App, crawlNamed } from "./context.ts";
import { DEFAULT_CRAWL_ID, defaultCrawlSpec } from "./crawl_request.ts";
import {
  CrawlIdSchema,
  EnqueueAccepted,
  EnqueueRequest,
  SeedRequest,
  SeedsAccepted,
  UrlStatusView,
} from "./crawl_schemas.ts";
import type { Once } from "./idempotency.ts";
import { ApiProblem, problemResponses } from "./problem.ts";
import { IdempotencyHeader, jsonAnswer, jsonBody } from "./route_parts.ts";
import {
  enqueueSorted,
  forwardedOf,
  malformedAmong,
  refuseMalformed,
  refuseStrangers,
  startDepth,
  urlProblem,
} from "./seed_intake.ts";

const seeds = createRoute({
  method: "post",
  path: "/v1/crawl/seeds",
  summary: "Adds seeds to a crawl",
  request: { headers: IdempotencyHeader, body: jsonBody(SeedRequest) },
  responses: { 202: jsonAnswer("The seeds are stored", SeedsAccepted), ...problemResponses(400, 404, 409, 413, 422) },
});

const enqueue = createRoute({
  method: "post",
  path: "/v1/frontier/enqueue",
  summary: "Adds URLs that were discovered elsewhere",
  request: { body: jsonBody(EnqueueRequest) },
  responses: { 202: jsonAnswer("The URLs are stored", EnqueueAccepted), ...problemResponses(400, 404, 409, 413) },
});

const urlStatus = createRoute({
  method: "get",
  path: "/v1/crawl/url-status",
  summary: "What became of a URL, and why",
  request: {
    query: z.strictObject({ url: z.string().min(1).max(LIMITS.urlBytes * 4), crawl_id: CrawlIdSchema.optional() }),
  },
  responses: { 200: jsonAnswer("What is known", UrlStatusView), ...problemResponses(400, 404) },
});

export function addSeedRoutes(app: App, parts: ApiParts, once: Once) {
  const { coordinator } = parts;
  return app.openapi(seeds, async (c) => {
    const request = c.req.valid("json");
    const answer = await once.run(c, async () => {
      refuseMalformed(malformedAmong(request.urls), request.urls.length);
      const crawl = await openCrawl(parts, request.crawl_id);
      refuseStrangers(crawl, request.urls);
      const depth = startDepth(crawl, request.max_depth);
      const added = await coordinator.addSeeds(crawl.crawlId, request.urls, { priority: request.priority, depth });
      refuseMalformed(added.malformed, request.urls.length);
      return {
        crawl_id: crawl.crawlId,
        enqueued: added.enqueued,
        already_seen: added.alreadySeen,
        ...forwardedOf(added),
        rejected: added.rejected,
        request_id: parts.random.hex(8),
      };
    });
    return c.json(answer, 202);
  }).openapi(enqueue, async (c) => {
    const { crawl_id: crawlId, urls } = c.req.valid("json");
    const spelt = urls.map(({ url }) => url);
    refuseMalformed(malformedAmong(spelt), urls.length);
    const crawl = await openCrawl(parts, crawlId);
    refuseStrangers(crawl, spelt);
    const added = await enqueueSorted(coordinator, crawl.crawlId, urls);
    const { enqueued: accepted, alreadySeen: already_seen, rejected } = added;
    return c.json({ accepted, already_seen, ...forwardedOf(added), rejected }, 202);
  }).openapi(urlStatus, async (c) => {
    const { url, crawl_id: crawlId = DEFAULT_CRAWL_ID } = c.req.valid("query");
    const problem = urlProblem(url);
    if (problem !== undefined) throw new ApiProblem(400, problem);
    const status = await coordinator.urlStatus(crawlNamed(coordinator, crawlId).crawlId, url);
    if (!status) throw new ApiProblem(404, `Crawl ${JSON.stringify(crawlId)} hasn't seen this URL.`);
    const { lastCrawledAt, httpStatus } = status;
    return c.json({
      url: status.url,
      key: status.key,
      crawl_id: crawlId,
      status: status.status,
      ...(lastCrawledAt === undefined ? {} : { last_crawled_at: lastCrawledAt }),
      ...(httpStatus === undefined ? {} : { http_status: httpStatus }),
      why: status.why,
    }, 200);
  });
}

/** The crawl that URLs are to join; the default one is made when first needed. Throws a 404 or 409. */
async function openCrawl(parts: ApiParts, crawlId = DEFAULT_CRAWL_ID): Promise<CrawlRow> {
  const { coordinator, defaults } = parts;
  if (crawlId === DEFAULT_CRAWL_ID && coordinator.crawl(crawlId) === undefined) {
    return (await coordinator.createCrawl(crawlId, defaultCrawlSpec(defaults))).crawl;
  }
  const crawl = crawlNamed(coordinator, crawlId);
  if (crawl.state !== "cancelled") return crawl;
  throw new ApiProblem(409, `Crawl ${JSON.stringify(crawlId)} was cancelled, so it takes no more URLs.`);
}
