/**
 * Routes for a whole site: what is known of a registered domain, and how it may be asked.
 * Invariant: a 200 means that every lease granted from now on obeys; the leases that are still out are listed (E44, E45).
 */

import { createRoute, z } from "@hono/zod-openapi";
import type { DomainView } from "../group_ports.ts";
import type { ApiParts, App } from "./context.ts";
import { DomainAnswer, DomainConfig, DomainPolicy } from "./crawl_schemas.ts";
import { hostKeyOf } from "./host_name.ts";
import { ApiProblem, problemResponses } from "./problem.ts";
import { jsonAnswer, jsonBody } from "./route_parts.ts";

const Name = z.object({ domain: z.string().min(1).max(255) });

const show = createRoute({
  method: "get",
  path: "/v1/domains/{domain}",
  summary: "A registered domain: its limits, hosts, addresses and leases; any of its hosts may be named",
  request: { params: Name },
  responses: { 200: jsonAnswer("Known", DomainAnswer), ...problemResponses(400, 404) },
});

const policy = createRoute({
  method: "put",
  path: "/v1/domains/{domain}/policy",
  summary: "Sets how a whole registered domain may be asked, in all crawls",
  request: { params: Name, body: jsonBody(DomainPolicy) },
  responses: { 200: jsonAnswer("In force", DomainAnswer), ...problemResponses(400, 413, 415) },
});

const config = createRoute({
  method: "post",
  path: "/v1/domains/{domain}/config",
  summary: "Slows a registered domain, or forbids to crawl it",
  request: { params: Name, body: jsonBody(DomainConfig) },
  responses: { 200: jsonAnswer("In force", DomainAnswer), ...problemResponses(400, 413, 415) },
});

const FORBIDDEN = "an operator forbade to crawl it";

export function addDomainRoutes(app: App, { coordinator }: ApiParts) {
  return app.openapi(show, (c) => {
    const name = hostKeyOf(c.req.valid("param").domain);
    const view = coordinator.domain(name);
    if (view === undefined) throw new ApiProblem(404, `Nothing is known of the domain of ${name}.`);
    return c.json(answerOf(view), 200);
  }).openapi(policy, async (c) => {
    const { min_delay_ms, max_parallel, paused, blocked_reason } = c.req.valid("json");
    const view = await coordinator.setDomainPolicy(hostKeyOf(c.req.valid("param").domain), {
      ...(min_delay_ms === undefined ? {} : { minDelayMs: min_delay_ms }),
      ...(max_parallel === undefined ? {} : { maxParallel: max_parallel }),
      ...(paused === undefined ? {} : { paused }),
      ...(blocked_reason === undefined ? {} : { blockedReason: blocked_reason }),
    });
    return c.json(answerOf(view), 200);
  }).openapi(config, async (c) => {
    const { crawl_delay_ms, allow_crawl } = c.req.valid("json");
    const view = await coordinator.setDomainPolicy(hostKeyOf(c.req.valid("param").domain), {
      ...(crawl_delay_ms === undefined ? {} : { minDelayMs: crawl_delay_ms }),
      ...(allow_crawl === undefined ? {} : { blockedReason: allow_crawl ? "" : FORBIDDEN }),
    });
    return c.json(answerOf(view), 200);
  });
}

function answerOf(view: DomainView): z.infer<typeof DomainAnswer> {
  const { policyDelayMs, policyMaxParallel, paused, blockedReason } = view.policy;
  return {
    domain: view.domain,
    policy: {
      ...(policyDelayMs > 0 ? { min_delay_ms: policyDelayMs } : {}),
      ...(policyMaxParallel > 0 ? { max_parallel: policyMaxParallel } : {}),
      paused,
      blocked_reason: blockedReason,
    },
    limits: { in_flight: view.inFlight, gap_ms: view.gapMs },
    hosts: view.hosts,
    queued: view.queued,
    addresses: view.addresses,
    host_names: view.hostNames,
    leases_out: view.leasesOut,
  };
}
