/**
 * The coordinator's HTTP API as one Hono app, without a server and without a runtime's name.
 * Invariant: a request is authenticated, allowed and within its size before a route sees it; every error is a problem.
 */

import { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { LIMITS } from "../../protocol/mod.ts";
import { NotObeyed, NotOwned } from "../owner_ports.ts";
import { SlotMoving, UnfitDatabase } from "../slot_ports.ts";
import { type ApiMeter, createApiMeter } from "./api_meter.ts";
import { createAdmission } from "./admission.ts";
import { auditLog, isFrontierVerb } from "./audit_log.ts";
import { addAuditRoutes } from "./audit_routes.ts";
import type { ApiEnv, ApiParts, App } from "./context.ts";
import { addCrawlRoutes, addSteeringRoutes } from "./crawl_routes.ts";
import { addExplainRoutes } from "./explain_routes.ts";
import { addExchangeRoutes, addFrontierRoutes } from "./frontier_routes.ts";
import { apiDocument, registerDocument } from "./document.ts";
import { createOnce } from "./idempotency.ts";
import { methodsOf } from "./methods.ts";
import { type ApiDocument, docsPage } from "./docs_page.ts";
import { addDomainRoutes } from "./domain_routes.ts";
import { addOperateRoutes } from "./operate_routes.ts";
import { createOutboxSeal } from "./outbox_seal.ts";
import { addPageRoutes } from "./page_routes.ts";
import { ApiProblem, problemResponse, type ProblemStatus, refuseInvalid } from "./problem.ts";
import { addSeedRoutes } from "./seed_routes.ts";
import { addQuarantineRoutes } from "./quarantine_routes.ts";
import { addShardRoutes } from "./shard_routes.ts";
import { createTurns } from "./turns.ts";
import { createTokenBook, type TokenBook } from "./token_book.ts";

/** The app; `app.fetch` is a handler for the Serve port, `app.request` serves tests. */
export function createApi(parts: ApiParts): App {
  const app: App = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid });
  addErrors(app, parts);
  const meter = createApiMeter(parts.clock);
  app.use(meter.middleware);
  if (parts.corsOrigins.length > 0) app.use(crossOrigin(parts.corsOrigins));
  const book = createTokenBook(parts);
  const admit = createAdmission(parts, book);
  const turn = createTurns(parts.clock);
  app.use(async (c, next) => {
    if (!isFrontierVerb(c.req.path)) await turn();
    c.set("caller", await admit(c));
    await next();
    c.res.headers.set("cache-control", "no-store");
    c.res.headers.set("x-content-type-options", "nosniff");
  });
  app.use(bodyLimit({ maxSize: LIMITS.apiBodyBytes, onError: refuseSize }));
  app.use(auditLog(parts));
  addRoutes(app, parts, { meter, book });
  registerDocument(app);
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  let document: ReturnType<typeof apiDocument> | undefined;
  const documented = () => document ??= apiDocument(app, parts.defaults.version);
  app.get("/openapi.json", (c) => c.json(documented()));
  app.get("/docs", (c) => c.html(docsPage(documented() as ApiDocument)));
  return app;
}

function addRoutes(app: App, parts: ApiParts, { meter, book }: { meter: ApiMeter; book: TokenBook }): void {
  const once = createOnce(parts);
  addCrawlRoutes(app, parts, once);
  addSteeringRoutes(app, parts);
  addSeedRoutes(app, parts, once);
  addExplainRoutes(app, parts);
  const seal = createOutboxSeal(parts);
  addFrontierRoutes(app, parts, seal);
  addExchangeRoutes(app, parts, seal);
  addOperateRoutes(app, parts, meter);
  addDomainRoutes(app, parts);
  addShardRoutes(app, parts);
  addPageRoutes(app, parts);
  addAuditRoutes(app, parts);
  addQuarantineRoutes(app, parts, book);
}

type Routes<Add extends (...args: never[]) => unknown> = ReturnType<Add> extends OpenAPIHono<ApiEnv, infer S> ? S
  : never;

/** The app with all its routes, for typed clients (client.ts). */
export type Api = OpenAPIHono<
  ApiEnv,
  & Routes<typeof addCrawlRoutes>
  & Routes<typeof addSteeringRoutes>
  & Routes<typeof addSeedRoutes>
  & Routes<typeof addExplainRoutes>
  & Routes<typeof addFrontierRoutes>
  & Routes<typeof addExchangeRoutes>
  & Routes<typeof addOperateRoutes>
  & Routes<typeof addDomainRoutes>
  & Routes<typeof addShardRoutes>
  & Routes<typeof addPageRoutes>
  & Routes<typeof addAuditRoutes>
  & Routes<typeof addQuarantineRoutes>
>;

/** Pages of these origins may use the API in a browser; the preflight request carries no token (Fetch standard 3.2.5). */
function crossOrigin(origins: readonly string[]) {
  return cors({
    origin: [...origins],
    allowMethods: ["GET", "POST", "PUT", "DELETE"],
    allowHeaders: ["authorization", "content-type", "idempotency-key", "last-event-id"],
    exposeHeaders: ["retry-after"],
    maxAge: 600,
  });
}

function refuseSize(): never {
  throw new ApiProblem(413, `The request's body is larger than ${LIMITS.apiBodyBytes} bytes: send it in parts.`);
}

function addErrors(app: App, { coordinator, log }: ApiParts): void {
  app.notFound((c) => {
    const methods = methodsOf(app, c.req.path);
    if (methods.length === 0) {
      return problemResponse(
        new ApiProblem(404, `There is nothing at ${c.req.path.slice(0, 200)}; see /openapi.json.`),
      );
    }
    const detail = `${c.req.method} isn't possible here: ${methods.join(" or ")} is wanted.`;
    return problemResponse(new ApiProblem(405, detail), { allow: methods.join(", ") });
  });
  app.onError((error, c) => {
    const problem = problemFrom(error, coordinator.problems());
    // That a slot is on its way is nobody's failure.
    if ((problem.status === 500 || problem.status === 503) && !(error instanceof SlotMoving)) {
      log.error("An API request failed", { method: c.req.method, path: c.req.path, error: String(error) });
    }
    const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
    return problemResponse(problem, headers);
  });
}

const HTTP_DETAILS: Partial<Record<number, readonly [ProblemStatus, string]>> = {
  400: [400, "The request's body is no JSON: one JSON object is wanted."],
  413: [413, `The request's body is larger than ${LIMITS.apiBodyBytes} bytes: send it in parts.`],
  415: [415, "The request's body must be JSON: Content-Type application/json is wanted."],
};

/** What a thrown value means for the caller; the unexpected tells nothing of its inside. */
function problemFrom(error: Error, problems: readonly string[]): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const known = error instanceof HTTPException ? HTTP_DETAILS[error.status] : undefined;
  if (known) return new ApiProblem(...known);
  if (error instanceof NotOwned) return new ApiProblem(421, error.message, { shard: error.shard, slot_map: error.map });
  if (error instanceof UnfitDatabase) return new ApiProblem(409, error.message);
  if (error instanceof SlotMoving) return new ApiProblem(503, error.message, {}, { "retry-after": "2" });
  if (error instanceof NotObeyed) return new ApiProblem(503, error.message, {}, { "retry-after": "2" });
  if (error.name === "OwnerLost") {
    return new ApiProblem(503, "Another coordinator owns the data now: ask that one.");
  }
  if (problems.length > 0) return new ApiProblem(503, problems.join(" "), { problems });
  return new ApiProblem(500, "The request failed inside the coordinator; its log says why. Asking again is safe.");
}
