/**
 * Routes for those who use what was stored: a page by its content, and the feed of stored pages.
 * Invariant: an event's id is all that is needed to go on after it, on this process or the next; a page is told at least
 * once.
 */

import { createRoute, z } from "@hono/zod-openapi";
import { type CaptureRow, LIMITS } from "../../protocol/mod.ts";
import type { PageEvent } from "../page_ports.ts";
import type { ApiParts, App } from "./context.ts";
import { eventStream } from "./event_stream.ts";
import { ApiProblem, problemResponses } from "./problem.ts";
import { jsonAnswer, queryInt } from "./route_parts.ts";

/** Captures of one content that are listed. */
const OTHERS = 100;
/** Events of one piece of a stream. */
const STREAMED_AT_ONCE = 100;

const RefersTo = z.object({ url: z.string(), fetched_at: z.number() }).openapi({
  description: "The record is a revisit: the body lies in the capture of this URL at this time.",
});

const Capture = z.object({
  url: z.string(),
  crawl_id: z.string(),
  http_status: z.int(),
  fetched_at: z.number().openapi({ description: "Start of the fetch, ms since 1970." }),
  content_type: z.string(),
  storage_key: z.string(),
  offset: z.int(),
  length: z.int().openapi({ description: "Of the compressed record." }),
  refers_to: RefersTo.optional(),
});

const Page = Capture.extend({
  content_hash: z.string(),
  others: z.array(Capture).openapi({ description: "Further captures of the same content, the newest first." }),
}).openapi("Page");

const Event = z.object({
  id: z.string().openapi({ description: "Give it as `after` or Last-Event-ID to go on behind this event." }),
  url: z.string(),
  content_hash: z.string(),
  storage_key: z.string(),
  offset: z.int(),
  length: z.int(),
  crawl_id: z.string(),
  http_status: z.int(),
  fetched_at: z.number(),
  refers_to: RefersTo.optional(),
  change_rate: z.number().openapi({ description: "Estimated changes a day." }),
  importance: z.number().openapi({ description: "0 to 1." }),
}).openapi("PageEvent");

const Events = z.object({ events: z.array(Event), next: z.string() }).openapi("PageEvents");

const page = createRoute({
  method: "get",
  path: "/v1/pages/{content_hash}",
  summary: "Where content is stored, by the SHA-256 of the decoded body",
  request: {
    params: z.object({ content_hash: z.string().regex(/^[0-9a-f]{64}$/, "64 lower-case hex digits are wanted") }),
  },
  responses: { 200: jsonAnswer("Stored", Page), ...problemResponses(400, 404) },
});

const events = createRoute({
  method: "get",
  path: "/v1/events",
  summary:
    "Stored pages in the order of their acknowledgement; as server-sent events when text/event-stream is asked for",
  request: {
    query: z.strictObject({
      after: z.string().max(1024).optional(),
      limit: queryInt({ least: 1, most: LIMITS.capturesPerReply }).optional(),
    }),
    headers: z.object({ "last-event-id": z.string().max(1024).optional() }),
  },
  // And as a stream: addStream of document.ts.
  responses: { 200: jsonAnswer("Events", Events), ...problemResponses(400, 503) },
});

export function addPageRoutes(app: App, parts: ApiParts) {
  const { coordinator } = parts;
  const stream = eventStream(parts, (cursor) => coordinator.pageFeed(cursor, STREAMED_AT_ONCE), (event) => {
    const data = eventOf(event);
    return { id: data.id, data };
  });
  return app.openapi(page, async (c) => {
    const hash = c.req.valid("param").content_hash;
    const [newest, ...others] = await coordinator.pagesOfContent(hash, OTHERS + 1);
    if (newest === undefined) throw new ApiProblem(404, `No capture has the content hash ${hash}.`);
    return c.json({ content_hash: hash, ...captureOf(newest), others: others.map(captureOf) }, 200);
  }).openapi(events, async (c) => {
    const { after, limit } = c.req.valid("query");
    const cursor = readCursor(c.req.valid("header")["last-event-id"] ?? after ?? "", coordinator.shardCount());
    // Its schema is the JSON answer's; a stream isn't described by one.
    if (c.req.header("accept")?.includes("text/event-stream")) return stream(cursor, c.req.raw.signal) as never;
    const feed = await coordinator.pageFeed(cursor, limit ?? 100);
    return c.json({ events: feed.events.map(eventOf), next: feed.cursor.join("-") }, 200);
  });
}

function captureOf(row: CaptureRow): z.infer<typeof Capture> {
  return {
    url: row.url,
    crawl_id: row.crawl_id,
    http_status: row.http_code,
    fetched_at: row.fetched_at,
    content_type: row.content_type,
    storage_key: row.record.storage_key,
    offset: row.record.offset,
    length: row.record.length,
    ...(row.refers_to === undefined ? {} : { refers_to: row.refers_to }),
  };
}

function eventOf({ cursor, capture, changesPerDay, importance }: PageEvent): z.infer<typeof Event> {
  const { content_type: _, ...facts } = captureOf(capture);
  return {
    id: cursor.join("-"),
    ...facts,
    content_hash: capture.content_hash,
    change_rate: changesPerDay,
    importance,
  };
}

/** "" = from the beginning. */
function readCursor(text: string, shards: number): number[] {
  if (text === "") return [];
  const numbers = /^\d{1,15}(?:-\d{1,15})*$/.test(text) ? text.split("-").map(Number) : [];
  if (numbers.length === shards) return numbers;
  throw new ApiProblem(
    400,
    `${JSON.stringify(text.slice(0, 100))} is no event's id: one that this coordinator gave is wanted.`,
  );
}
