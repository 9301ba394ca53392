/**
 * The frontier verbs over HTTP, one route each.
 * Invariant: what reaches the coordinator passed its schema and lies within what the caller's token may name.
 */

import { createRoute, type z } from "@hono/zod-openapi";
import type { RobotsBodyRequest, WorkerId } from "../../protocol/mod.ts";
import { leaseForVersion1, replyOfVersion1, SERVED } from "./protocol_versions.ts";
import type { ApiParts, App } from "./context.ts";
import { refuseForeignKeys, refuseForeignPrefix, refuseForeignWorker } from "./edge_bounds.ts";
import {
  AddressPermitAnswer,
  CapturesAnswer,
  CompletionAnswer,
  ExtendAnswer,
  LeaseAnswer,
  MapAnswer,
  NothingAnswer,
  PermitAnswer,
  RobotsBodyAnswer,
} from "./frontier_answers.ts";
import {
  AddressPermitSchema,
  CapturesSchema,
  CompletionSchema,
  ExtendSchema,
  LeaseRequestSchema,
  OutboxAckSchema,
  OutboxDeliverySchema,
  PermitReturnSchema,
  PermitSchema,
  ReleaseSchema,
  RobotsDigestSchema,
  RobotsSlotSchema,
  SettledSchema,
  VisitedSchema,
} from "./frontier_schemas.ts";
import type { OutboxSeal } from "./outbox_seal.ts";
import { ApiProblem, problemResponses } from "./problem.ts";
import { jsonAnswer, jsonBody } from "./route_parts.ts";
import type { Caller } from "./tokens.ts";

/** A verb's route: a message of protocol/messages.ts in, another one out. */
function verb<P extends string, S extends z.ZodType, A extends z.ZodType>(
  name: P,
  summary: string,
  { asks, answers }: { readonly asks: S; readonly answers: A },
) {
  return createRoute({
    method: "post" as const,
    path: `/v1/frontier/${name}` as const,
    summary,
    request: { body: jsonBody(asks) },
    responses: { 200: jsonAnswer("The reply", answers) },
  });
}

const leaseRoute = verb("lease", "Leases hosts", { asks: LeaseRequestSchema, answers: LeaseAnswer });
const completeRoute = verb("complete", "Reports outcomes", { asks: CompletionSchema, answers: CompletionAnswer });
const extendRoute = verb("extend", "Confirms a lease", { asks: ExtendSchema, answers: ExtendAnswer });
const releaseRoute = verb("release", "Hands leases back", { asks: ReleaseSchema, answers: NothingAnswer });
const settledRoute = verb("settled", "Frees a host's clock early", { asks: SettledSchema, answers: NothingAnswer });
const permitsRoute = verb("permits", "Asks for one request start on another host", {
  asks: PermitSchema,
  answers: PermitAnswer,
});
const addressRoute = verb("address_permits", "Asks for requests of a lease to one address", {
  asks: AddressPermitSchema,
  answers: AddressPermitAnswer,
});
const returnRoute = verb("permits_return", "Gives permits for addresses back", {
  asks: PermitReturnSchema,
  answers: NothingAnswer,
});
const visitedRoute = verb("visited", "Carries another coordinator's word on a visit", {
  asks: VisitedSchema,
  answers: NothingAnswer,
});
const outboxRoute = verb("outbox", "Delivers links of other shards", {
  asks: OutboxDeliverySchema,
  answers: NothingAnswer,
});
const ackRoute = verb("outbox_ack", "Acknowledges delivered rows", { asks: OutboxAckSchema, answers: NothingAnswer });
const capturesRoute = createRoute({
  method: "post",
  path: "/v1/frontier/captures",
  summary: "Acknowledged captures of one storage prefix",
  request: { body: jsonBody(CapturesSchema) },
  responses: { 200: jsonAnswer("The reply", CapturesAnswer), ...problemResponses(404) },
});

const robots = createRoute({
  method: "get",
  path: "/v1/frontier/robots/{digest}",
  summary: "The robots.txt body with this SHA-256",
  request: { params: RobotsDigestSchema, query: RobotsSlotSchema },
  responses: { 200: jsonAnswer("The body", RobotsBodyAnswer), ...problemResponses(404) },
});

const map = createRoute({
  method: "get",
  path: "/v1/frontier/map",
  summary: "Which shard has a slot, and which coordinator a shard, as far as this one knows",
  responses: { 200: jsonAnswer("The map", MapAnswer) },
});

/** Edges that speak another version are told so before anything is misread. */
function addVersionCheck(app: App): void {
  app.use("/v1/frontier/*", async (c, next) => {
    const version = c.req.header("outrider-protocol");
    if (version !== undefined && !SERVED.includes(version)) {
      throw new ApiProblem(
        400,
        `The edge speaks protocol ${version.slice(0, 20)}, but this coordinator serves ${
          SERVED.join(" and ")
        }: upgrade coordinators first, then edges.`,
      );
    }
    await next();
  });
}

interface WithCaller {
  get(name: "caller"): Caller;
}

/** What a worker asks, once the caller is known to speak for it. */
function ownOf<Asked extends { readonly worker_id: WorkerId }>(c: WithCaller, asked: Asked): Asked {
  refuseForeignWorker(c.get("caller"), asked.worker_id);
  return asked;
}

export function addFrontierRoutes(app: App, { coordinator }: ApiParts, seal: OutboxSeal) {
  addVersionCheck(app);
  return app.openapi(leaseRoute, async (c) => {
    const request = ownOf(c, c.req.valid("json"));
    const isOld = c.req.header("outrider-protocol") === "1";
    const granted = isOld ? await leaseForVersion1(coordinator, request) : await coordinator.lease(request);
    const reply = { ...granted, outbox: await seal.sealed(granted.outbox, request.worker_id) };
    return c.json(isOld ? replyOfVersion1(reply) : reply, 200);
  }).openapi(completeRoute, async (c) => {
    const completion = ownOf(c, c.req.valid("json"));
    refuseForeignKeys(c.get("caller"), completion);
    return c.json(await coordinator.complete(completion), 200);
  }).openapi(extendRoute, async (c) => {
    const request = ownOf(c, c.req.valid("json"));
    return c.json(await coordinator.extend(request), 200);
  }).openapi(releaseRoute, async (c) => {
    await coordinator.release(ownOf(c, c.req.valid("json")));
    return c.json({}, 200);
  }).openapi(settledRoute, async (c) => {
    await coordinator.settled(ownOf(c, c.req.valid("json")));
    return c.json({}, 200);
  });
}

/** Permits, outbox rows, robots bodies and captures: what travels beside leases. */
export function addExchangeRoutes(app: App, { coordinator }: ApiParts, seal: OutboxSeal) {
  return app.openapi(permitsRoute, async (c) => {
    const request = ownOf(c, c.req.valid("json"));
    return c.json(await coordinator.permit(request), 200);
  }).openapi(addressRoute, async (c) => {
    const request = ownOf(c, c.req.valid("json"));
    return c.json(await coordinator.permitAddress(request), 200);
  }).openapi(returnRoute, async (c) => {
    await coordinator.returnPermits(ownOf(c, c.req.valid("json")));
    return c.json({}, 200);
  }).openapi(visitedRoute, async (c) => {
    await coordinator.visited(ownOf(c, c.req.valid("json")));
    return c.json({}, 200);
  }).openapi(outboxRoute, async (c) => {
    const delivery = ownOf(c, c.req.valid("json"));
    await seal.check(delivery.rows);
    await coordinator.deliverOutbox(delivery);
    return c.json({}, 200);
  }).openapi(ackRoute, async (c) => {
    const ack = ownOf(c, c.req.valid("json"));
    await coordinator.ackOutbox({ ...ack, rows: seal.acknowledgeable(ack.rows, c.get("caller")) });
    return c.json({}, 200);
  }).openapi(capturesRoute, async (c) => {
    const request = c.req.valid("json");
    refuseForeignPrefix(c.get("caller"), request.storage_prefix);
    if (request.shard >= coordinator.shardCount()) {
      throw new ApiProblem(
        404,
        `There is no shard ${request.shard}: this coordinator has ${coordinator.shardCount()}.`,
      );
    }
    return c.json(await coordinator.captures(request), 200);
  }).openapi(map, (c) => c.json({ slot_map: coordinator.slotMap() }, 200))
    .openapi(robots, async (c) => {
      const body = await coordinator.robotsBody(robotsRequest(c.req.valid("param"), c.req.valid("query")));
      if (body === undefined) throw new ApiProblem(404, "No robots.txt body with this digest is held.");
      return c.json({ body }, 200);
    });
}

function robotsRequest(
  { digest }: z.infer<typeof RobotsDigestSchema>,
  { slot }: z.infer<typeof RobotsSlotSchema>,
): RobotsBodyRequest {
  return { digest, ...(slot === undefined ? {} : { slot }) };
}
