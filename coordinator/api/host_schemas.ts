/**
 * Schemas of what is shown of one host.
 * Invariant: answers mirror HostView of coordinator/host_ports.ts, in snake_case.
 */

import { z } from "@hono/zod-openapi";
import type { HostCrawlView, HostPlacement, HostView } from "../host_ports.ts";

const Placement = z.object({
  home: z.string().openapi({ description: 'The nearest region, as far as known; "" = not known.' }),
  pinned: z.string().openapi({ description: 'The only region that may ask, by policy; "" = any.' }),
  next: z.string().openapi({ description: 'The region that the next lease is meant for; "" = whichever comes.' }),
  leased_to: z.string().openapi({ description: 'The region that holds a lease now; "" = none.' }),
  regions: z.array(z.object({
    region: z.string(),
    connect_ms: z.number().optional().openapi({ description: "Least TCP connect time of the last five." }),
    tries: z.int().openapi({ description: "Leases that it was given." }),
    refusals: z.int().openapi({ description: "In a row: 3 for each failed connection, 1 for each 403 or 451." }),
    geo_blocked: z.boolean().openapi({ description: "Refused here while another region is answered." }),
    silent: z.boolean().openapi({ description: "No edge of it asks for leases." }),
    last_leased_at: z.number().openapi({ description: "ms since 1970-01-01 UTC; 0 = never." }),
  })),
}).openapi("HostPlacement");

const Counts = z.record(z.string(), z.int());

const HostCrawl = z.object({
  crawl_id: z.string(),
  ready: z.int(),
  waiting: z.int().openapi({ description: "Queued, but not before a time." }),
  accepted: z.int().openapi({ description: "URLs ever accepted." }),
  budget: z.object({
    cycle_ends_at: z.number().openapi({ description: "ms since 1970-01-01 UTC; then both budgets begin anew." }),
    used: z.int(),
    limit: z.int(),
    domain_used: z.int(),
    domain_limit: z.int(),
    queue_limit: z.int(),
  }),
  pages: z.int().openapi({ description: "Looked at of late for duplicates." }),
  duplicates: z.int(),
  cut: z.boolean().openapi({ description: "Most were duplicates, so nothing more of the host is accepted for now." }),
  rejected_by_reason: Counts.openapi({ description: "URLs of the host that were refused at the door." }),
}).openapi("HostCrawl");

/** GET /v1/hosts/{host}. */
export const HostAnswer = z.object({
  host: z.string(),
  domain: z.string(),
  address: z.string().openapi({ description: 'That an edge connected to last, IPv6 as its /64; "" = none yet.' }),
  placement: Placement,
  clocks: z.object({
    next_start_in_ms: z.number().openapi({ description: "0 = now." }),
    crawl_delay_ms: z.number(),
    response_ms: z.number().openapi({ description: "How slowly it answers of late." }),
    backoff_ms: z.number(),
    failures_in_row: z.int(),
  }),
  policy: z.object({
    min_delay_ms: z.number().optional(),
    max_parallel: z.number().optional(),
    paused: z.boolean(),
  }),
  blocked_reason: z.string().openapi({ description: 'Why nothing of it is leased; "" = it isn\'t blocked.' }),
  lease: z.object({ lease_id: z.string(), crawl_id: z.string(), worker_id: z.string() }).optional(),
  crawls: z.array(HostCrawl),
}).openapi("Host");

export function hostAnswer(view: HostView): z.infer<typeof HostAnswer> {
  const { host, domain, address, placement, clocks, policy, blockedReason, lease, crawls } = view;
  return {
    host,
    domain,
    address,
    placement: placementAnswer(placement),
    clocks: {
      next_start_in_ms: clocks.nextStartInMs,
      crawl_delay_ms: clocks.crawlDelayMs,
      response_ms: clocks.responseMs,
      backoff_ms: clocks.backoffMs,
      failures_in_row: clocks.failuresInRow,
    },
    policy: {
      ...(policy.delayMs > 0 ? { min_delay_ms: policy.delayMs } : {}),
      ...(policy.maxParallel > 0 ? { max_parallel: policy.maxParallel } : {}),
      paused: policy.paused,
    },
    blocked_reason: blockedReason,
    ...(lease === undefined
      ? {}
      : { lease: { lease_id: lease.leaseId, crawl_id: lease.crawlId, worker_id: lease.workerId } }),
    crawls: crawls.map(crawlAnswer),
  };
}

function crawlAnswer(view: HostCrawlView): z.infer<typeof HostCrawl> {
  const { crawlId, ready, waiting, accepted, budget, pages, duplicates, isCut, rejectedByReason } = view;
  return {
    crawl_id: crawlId,
    ready,
    waiting,
    accepted,
    budget: {
      cycle_ends_at: budget.cycleEndsAt,
      used: budget.used,
      limit: budget.limit,
      domain_used: budget.domainUsed,
      domain_limit: budget.domainLimit,
      queue_limit: budget.queueLimit,
    },
    pages,
    duplicates,
    cut: isCut,
    rejected_by_reason: { ...rejectedByReason },
  };
}

function placementAnswer({ home, pinned, next, leasedTo, regions }: HostPlacement): z.infer<typeof Placement> {
  return {
    home,
    pinned,
    next,
    leased_to: leasedTo,
    regions: regions.map(({ region, connectMs, tries, refusals, isGeoBlocked, isSilent, lastLeasedAt }) => ({
      region,
      tries,
      refusals,
      geo_blocked: isGeoBlocked,
      silent: isSilent,
      last_leased_at: lastLeasedAt,
      ...(connectMs === undefined ? {} : { connect_ms: connectMs }),
    })),
  };
}
