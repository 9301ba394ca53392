/**
 * Errors of the API as application/problem+json (RFC 9457).
 * Invariant: every answer of 400 and above is made here; `detail` is a sentence and never holds a stack or a secret.
 */

import type { Context } from "hono";
import { z } from "@hono/zod-openapi";
import { SlotMapAnswer } from "./frontier_answers.ts";
import { type Issue, issueText } from "./schema_issue.ts";

const TITLES = {
  400: "Malformed request",
  401: "Not authenticated",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  413: "Request too large",
  415: "Unsupported media type",
  421: "Misdirected request",
  422: "Refused",
  429: "Too many requests",
  500: "Internal error",
  503: "Not ready",
} as const;

export type ProblemStatus = keyof typeof TITLES;

/** Thrown by handlers; the API's error handler makes the answer. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: ProblemStatus;
  /** Members beside the standard ones, snake_case. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ProblemStatus,
    detail: string,
    extra: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.status = status;
    this.extra = extra;
    this.headers = headers;
  }
}

/** The answer for a problem; `about:blank` as type says that the status tells the kind (RFC 9457 4.2.1). */
export function problemResponse(problem: ApiProblem, headers: Readonly<Record<string, string>> = {}): Response {
  const { status, message, extra } = problem;
  const body = { type: "about:blank", title: TITLES[status], status, detail: message, ...extra };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json; charset=utf-8", ...problem.headers, ...headers },
  });
}

/** What a failed schema check says: at most `MOST_ISSUES` places, then how many more. */
const MOST_ISSUES = 5;

/** One sentence on all that a schema found wrong in `part` (json, query, param, header). */
export function schemaProblem(part: string, issues: readonly Issue[]): ApiProblem {
  const named = issues.slice(0, MOST_ISSUES).map(issueText);
  const rest = issues.length > MOST_ISSUES ? `; and ${issues.length - MOST_ISSUES} more` : "";
  const place = { json: "body", param: "path" }[part] ?? part;
  return new ApiProblem(
    400,
    `The request's ${place} doesn't fit its schema (/openapi.json): ${named.join("; ")}${rest}.`,
  );
}

/** The schema of a problem, for the OpenAPI document. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().openapi({ description: "A sentence: attempted, found, wanted." }),
  malformed: z.array(z.object({ index: z.int(), url: z.string(), error: z.string() })).optional().openapi({
    description: "Which URLs of the request are none.",
  }),
  problems: z.array(z.string()).optional().openapi({ description: "A sentence for each thing that is wrong." }),
  shard: z.int().optional().openapi({ description: "With 421: what was asked for is of this shard." }),
  slot_map: SlotMapAnswer.optional().openapi({ description: "With 421: says which coordinator owns it." }),
}).openapi("Problem");

/** A response of this status, for the OpenAPI document. */
export function problemEntry<S>(status: ProblemStatus, schema: S) {
  return { description: TITLES[status], content: { "application/problem+json": { schema } } };
}

/** `responses` entries of a route for these statuses. */
export function problemResponses<S extends ProblemStatus>(...statuses: S[]) {
  const entry = (status: S) => problemEntry(status, Problem);
  return Object.fromEntries(statuses.map((status) => [status, entry(status)])) as Record<S, ReturnType<typeof entry>>;
}

/** Validation hook of every route. Shape: zod-openapi's `defaultHook`. */
export function refuseInvalid(
  result: {
    readonly success: boolean;
    readonly target: string;
    readonly error?: { readonly issues: readonly Issue[] };
  },
  _context: Context,
): void {
  if (!result.success) throw schemaProblem(result.target, result.error?.issues ?? []);
}
