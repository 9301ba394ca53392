/**
 * Routes for those who run the coordinator: host policies, health, readiness, metrics.
 * Invariant: /healthz says only that the process answers; /readyz says whether it can do its work.
 */

import { createRoute, z } from "@hono/zod-openapi";
import type { ApiMeter } from "./api_meter.ts";
import type { ApiParts, App } from "./context.ts";
import { HostPolicy, HostPolicyAnswer } from "./crawl_schemas.ts";
import { FleetAnswer, fleetAnswer } from "./fleet_schemas.ts";
import { HostAnswer, hostAnswer } from "./host_schemas.ts";
import { prometheusText } from "./metrics.ts";
import { hostKeyOf } from "./host_name.ts";
import { ApiProblem, problemResponses } from "./problem.ts";
import { jsonAnswer, jsonBody } from "./route_parts.ts";

const policy = createRoute({
  method: "put",
  path: "/v1/hosts/{host}/policy",
  summary: "Sets how a host may be asked, in all crawls",
  request: { params: z.object({ host: z.string().min(1).max(255) }), body: jsonBody(HostPolicy) },
  responses: { 200: jsonAnswer("In force", HostPolicyAnswer), ...problemResponses(400, 413, 415) },
});

const hostRoute = createRoute({
  method: "get",
  path: "/v1/hosts/{host}",
  summary: "What is known of a host",
  request: { params: z.object({ host: z.string().min(1).max(255) }) },
  responses: { 200: jsonAnswer("The host", HostAnswer), ...problemResponses(400, 404) },
});

const fleetRoute = createRoute({
  method: "get",
  path: "/v1/fleet",
  summary: "Fetch slots and regions",
  responses: { 200: jsonAnswer("The fleet", FleetAnswer) },
});

const health = createRoute({
  method: "get",
  path: "/healthz",
  summary: "The process answers",
  security: [],
  responses: { 200: jsonAnswer("Alive", z.object({ status: z.literal("ok"), version: z.string() })) },
});

const ready = createRoute({
  method: "get",
  path: "/readyz",
  summary: "The coordinator can do its work",
  responses: { 200: jsonAnswer("Ready", z.object({ status: z.literal("ready") })), ...problemResponses(503) },
});

const metrics = createRoute({
  method: "get",
  path: "/metrics",
  summary: "Counters for Prometheus",
  responses: { 200: { description: "Exposition format 0.0.4", content: { "text/plain": { schema: z.string() } } } },
});

export function addOperateRoutes(app: App, { coordinator, defaults }: ApiParts, meter: ApiMeter) {
  return app.openapi(policy, async (c) => {
    const host = hostKeyOf(c.req.valid("param").host);
    const { min_delay_ms, max_parallel, paused, blocked_reason, region } = c.req.valid("json");
    const { leasesOut } = await coordinator.setHostPolicy(host, {
      minDelayMs: min_delay_ms,
      maxParallel: max_parallel,
      paused,
      blockedReason: blocked_reason,
      region,
    });
    return c.json({ host, leases_out: leasesOut }, 200);
  }).openapi(hostRoute, (c) => {
    const host = hostKeyOf(c.req.valid("param").host);
    const view = coordinator.hostView(host);
    if (view === undefined) throw new ApiProblem(404, `No URL, lease or policy of ${host} is known.`);
    return c.json(hostAnswer(view), 200);
  }).openapi(fleetRoute, (c) => c.json(fleetAnswer(coordinator.fleet()), 200)).openapi(
    health,
    (c) => c.json({ status: "ok" as const, version: defaults.version }, 200),
  ).openapi(ready, (c) => {
    const problems = coordinator.problems();
    if (problems.length > 0) throw new ApiProblem(503, problems.join(" "), { problems });
    return c.json({ status: "ready" as const }, 200);
  }).openapi(metrics, (c) => {
    const stats = coordinator.crawls().flatMap(({ crawlId }) => coordinator.stats(crawlId) ?? []);
    const problemCount = coordinator.problems().length;
    const fleet = coordinator.fleet();
    const { version } = defaults;
    const measured = {
      crawls: stats,
      problemCount,
      fleet,
      seen: coordinator.seenFacts(),
      version,
      api: meter.families(),
    };
    return c.text(prometheusText(measured), 200);
  });
}
