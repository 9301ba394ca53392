/**
 * What every route works with.
 * Invariant: routes reach the world through these only; the caller is known before a handler runs.
 */

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Clock, Digest, Logger, Random } from "../../runtime/ports.ts";
import type { ControlStore, Coordinator, CrawlRow } from "../ports.ts";
import type { OperatorStore } from "../operator_ports.ts";
import type { ShardAdmin } from "../slot_ports.ts";
import type { CrawlDefaults } from "./crawl_request.ts";
import { ApiProblem } from "./problem.ts";
import type { Rates } from "./rate_limit.ts";
import type { Caller, Token } from "./tokens.ts";

export type IdempotencyStore = Pick<ControlStore, "idempotent" | "putIdempotent">;

export interface ApiParts {
  readonly coordinator: Coordinator;
  /** The control store that the coordinator uses too. */
  readonly idempotency: IdempotencyStore;
  /** Where tokens that were made later, the audit log and quarantines are kept. */
  readonly operators: OperatorStore;
  /** Absent: no directory, so shards are neither listed nor added. */
  readonly shards?: ShardAdmin;
  /** Those of the environment. Without one, and without any that was ever made, no token is asked for: loopback only. */
  readonly tokens: readonly Token[];
  /** Absent = RATES. */
  readonly rates?: Partial<Rates>;
  /** Origins of web pages that may use the API in a browser; none = no CORS header is ever sent. */
  readonly corsOrigins: readonly string[];
  /** Hostnames beside loopback under which an API without tokens may be reached. */
  readonly hostnames: readonly string[];
  readonly defaults: CrawlDefaults;
  readonly clock: Clock;
  readonly random: Random;
  readonly digest: Digest;
  readonly log: Logger;
}

export interface ApiEnv {
  Bindings: {
    /** Of whoever sent the request; "" = not known. */
    remoteAddress?: string;
  };
  Variables: { caller: Caller };
}

export type App = OpenAPIHono<ApiEnv>;

/** The crawl of this name, or a 404. */
export function crawlNamed(coordinator: Coordinator, crawlId: string): CrawlRow {
  const crawl = coordinator.crawl(crawlId);
  if (crawl) return crawl;
  throw new ApiProblem(404, `There is no crawl ${JSON.stringify(crawlId)}; GET /v1/crawls lists those that there are.`);
}
