/**
 * What every route works with.
 * Invariant: routes reach the world through these only; the caller is known before a handler runs.
 */

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Clock, Digest, Logger, Random } from "../../runtime/ports.ts";
import type { ControlStore, Coordinator, CrawlRow } from "../ports.ts";
import type { CrawlDefaults } from "./crawl_request.ts";
import { ApiProblem } from "./problem.ts";
import type { Caller, Token } from "./tokens.ts";

export type IdempotencyStore = Pick<ControlStore, "idempotent" | "putIdempotent">;

export interface ApiParts {
  readonly coordinator: Coordinator;
  /** The control store that the coordinator uses too. */
  readonly idempotency: IdempotencyStore;
  /** Empty = no token is asked for; startApi allows that on loopback only. */
  readonly tokens: readonly Token[];
  /** Hostnames beside loopback under which an API without tokens may be reached. */
  readonly hostnames: readonly string[];
  readonly defaults: CrawlDefaults;
  readonly clock: Clock;
  readonly random: Random;
  readonly digest: Digest;
  readonly log: Logger;
}

export interface ApiEnv {
  Variables: { caller: Caller };
}

export type App = OpenAPIHono<ApiEnv>;

/** The crawl of this name, or a 404. */
export function crawlNamed(coordinator: Coordinator, crawlId: string): CrawlRow {
  const crawl = coordinator.crawls().find((row) => row.crawlId === crawlId);
  if (crawl) return crawl;
  throw new ApiProblem(404, `There is no crawl ${JSON.stringify(crawlId)}; GET /v1/crawls lists those that there are.`);
}
