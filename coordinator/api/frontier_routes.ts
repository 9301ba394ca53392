/**
 * The frontier verbs over HTTP, one route each.
 * Invariant: what reaches the coordinator passed its schema and lies within what the caller's token may name.
 */

import { createRoute, z } from "@hono/zod-openapi";
import { replyOfVersion1, SERVED } from "./protocol_versions.ts";
import type { ApiParts, App } from "./context.ts";
import { refuseForeignKeys, refuseForeignPrefix, refuseForeignWorker } from "./edge_bounds.ts";
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
  SettledSchema,
} from "./frontier_schemas.ts";
import { ApiProblem, problemResponses } from "./problem.ts";
import { jsonBody } from "./route_parts.ts";

/** A verb's route. Its answer is a message of protocol/messages.ts. */
function verb<P extends string, S extends z.ZodType>(name: P, summary: string, schema: S) {
  return createRoute({
    method: "post" as const,
    path: `/v1/frontier/${name}` as const,
    summary,
    request: { body: jsonBody(schema) },
    responses: {
      200: { description: "The reply (protocol/messages.ts)" },
      ...problemResponses(400, 401, 403, 413, 415, 421, 503),
    },
  });
}

const robots = createRoute({
  method: "get",
  path: "/v1/frontier/robots/{digest}",
  summary: "The robots.txt body with this SHA-256",
  request: { params: z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/, "64 lower-case hex digits are wanted") }) },
  responses: { 200: { description: "{body}" }, ...problemResponses(400, 404) },
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

export function addFrontierRoutes(app: App, { coordinator }: ApiParts): void {
  addVersionCheck(app);
  app.openapi(verb("lease", "Leases hosts", LeaseRequestSchema), async (c) => {
    const request = c.req.valid("json");
    refuseForeignWorker(c.get("caller"), request.worker_id);
    const reply = await coordinator.lease(request);
    return c.json(c.req.header("outrider-protocol") === "1" ? replyOfVersion1(reply) : reply);
  });
  app.openapi(verb("complete", "Reports outcomes", CompletionSchema), async (c) => {
    const completion = c.req.valid("json");
    refuseForeignWorker(c.get("caller"), completion.worker_id);
    refuseForeignKeys(c.get("caller"), completion);
    return c.json(await coordinator.complete(completion));
  });
  app.openapi(verb("extend", "Confirms a lease", ExtendSchema), async (c) => {
    const request = c.req.valid("json");
    refuseForeignWorker(c.get("caller"), request.worker_id);
    return c.json(await coordinator.extend(request));
  });
  app.openapi(verb("release", "Hands leases back", ReleaseSchema), async (c) => {
    const request = c.req.valid("json");
    refuseForeignWorker(c.get("caller"), request.worker_id);
    await coordinator.release(request);
    return c.json({});
  });
  app.openapi(verb("settled", "Frees a host's clock early", SettledSchema), async (c) => {
    const request = c.req.valid("json");
    refuseForeignWorker(c.get("caller"), request.worker_id);
    await coordinator.settled(request);
    return c.json({});
  });
  app.openapi(verb("permits", "Asks for one request start on another host", PermitSchema), async (c) => {
    const request = c.req.valid("json");
    refuseForeignWorker(c.get("caller"), request.worker_id);
    return c.json(await coordinator.permit(request));
  });
  app.openapi(
    verb("address_permits", "Asks for requests of a lease to one address", AddressPermitSchema),
    async (c) => {
      const request = c.req.valid("json");
      refuseForeignWorker(c.get("caller"), request.worker_id);
      return c.json(await coordinator.permitAddress(request));
    },
  );
  app.openapi(verb("permits_return", "Gives permits for addresses back", PermitReturnSchema), async (c) => {
    const request = c.req.valid("json");
    refuseForeignWorker(c.get("caller"), request.worker_id);
    await coordinator.returnPermits(request);
    return c.json({});
  });
  addExchangeRoutes(app, coordinator);
}

/** Outbox rows, robots bodies and captures: what travels beside leases. */
function addExchangeRoutes(app: App, coordinator: ApiParts["coordinator"]): void {
  app.openapi(verb("outbox", "Delivers links of other shards", OutboxDeliverySchema), async (c) => {
    const delivery = c.req.valid("json");
    refuseForeignWorker(c.get("caller"), delivery.worker_id);
    await coordinator.deliverOutbox(delivery);
    return c.json({});
  });
  app.openapi(verb("outbox_ack", "Acknowledges delivered rows", OutboxAckSchema), async (c) => {
    const ack = c.req.valid("json");
    refuseForeignWorker(c.get("caller"), ack.worker_id);
    await coordinator.ackOutbox(ack);
    return c.json({});
  });
  app.openapi(verb("captures", "Acknowledged captures of one storage prefix", CapturesSchema), async (c) => {
    const request = c.req.valid("json");
    refuseForeignPrefix(c.get("caller"), request.storage_prefix);
    if (request.shard >= coordinator.shardCount()) {
      throw new ApiProblem(
        404,
        `There is no shard ${request.shard}: this coordinator has ${coordinator.shardCount()}.`,
      );
    }
    return c.json(await coordinator.captures(request));
  });
  app.openapi(robots, async (c) => {
    const body = await coordinator.robotsBody(c.req.valid("param").digest);
    if (body === undefined) throw new ApiProblem(404, "No robots.txt body with this digest is held.");
    return c.json({ body });
  });
}
