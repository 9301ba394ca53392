/**
 * The OpenAPI 3.1 document of an app.
 * Invariant: made from the routes themselves; what any route may answer beside its own answers - who isn't let in, what
 * doesn't fit, what fails - is in it at every route that may answer it.
 */

import type { App } from "./context.ts";
import { problemEntry, type ProblemStatus } from "./problem.ts";

/** At every route: not let in, the wrong coordinator, too often, failed, not ready. */
const ANYWHERE: readonly ProblemStatus[] = [401, 403, 421, 429, 500, 503];
/** Where there is something to read. */
const WITH_INPUT: readonly ProblemStatus[] = [400];
const WITH_BODY: readonly ProblemStatus[] = [413, 415];

type Document = ReturnType<App["getOpenAPI31Document"]>;
interface Operation {
  readonly requestBody?: unknown;
  readonly parameters?: readonly unknown[];
  readonly responses: Record<string, unknown>;
}

export function apiDocument(app: App, version: string): Document {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Outrider coordinator", version },
    security: [{ bearer: [] }],
  });
  for (const operations of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(operations as Record<string, Operation>)) addProblems(operation);
  }
  addStream(document);
  return document;
}

/** A route's own schema is the JSON answer's alone, which is what typed clients read. */
function addStream(document: Document): void {
  const answer = document.paths?.["/v1/events"]?.get?.responses?.[200] as
    | { content?: Record<string, unknown> }
    | undefined;
  if (answer?.content !== undefined) answer.content["text/event-stream"] = { schema: { type: "string" } };
}

/** The document itself, and its page. */
export function registerDocument(app: App): void {
  const answered = (type: string, description: string) => ({
    200: {
      description,
      content: { [type]: { schema: { type: type === "text/html" ? "string" : "object" } as const } },
    },
  });
  app.openAPIRegistry.registerPath({
    method: "get",
    path: "/openapi.json",
    summary: "This document",
    responses: answered("application/json", "OpenAPI 3.1"),
  });
  app.openAPIRegistry.registerPath({
    method: "get",
    path: "/docs",
    summary: "This document as a page",
    responses: answered("text/html", "A page that needs nothing from elsewhere"),
  });
}

function addProblems({ requestBody, parameters = [], responses }: Operation): void {
  const statuses = [
    ...ANYWHERE,
    ...(requestBody !== undefined || parameters.length > 0 ? WITH_INPUT : []),
    ...(requestBody !== undefined ? WITH_BODY : []),
  ];
  for (const status of statuses) responses[status] ??= problemEntry(status, { $ref: "#/components/schemas/Problem" });
}
