/**
 * Schemas of what operators and readers send and get.
 * Invariant: requests are strict, so a misspelt field is refused instead of ignored; answers mirror protocol/crawl.ts.
 */

import { z } from "@hono/zod-openapi";
import { LIMITS } from "../../protocol/mod.ts";

const SCOPE_KINDS = ["host", "domain", "prefix", "any"] as const;
const ORDERS = ["priority", "breadth_first"] as const;
const STATES = ["running", "paused", "cancelled", "finished"] as const;

export const CrawlIdSchema = z.string().regex(/^[a-z0-9_-]{1,64}$/, "1 to 64 of a-z, 0-9, - and _ are wanted").openapi({
  example: "docs-2026",
});

const Url = z.string().min(1).max(LIMITS.urlBytes * 4).openapi({ example: "https://example.org/" });
const Pattern = z.string().max(LIMITS.scopePatternChars);
const Priority = z.number().min(0).max(1);
const NoarchiveUse = z.enum(["mark", "obey"]);
const SitemapUse = z.enum(["none", "robots", "all"]).openapi({
  description:
    "Which sitemaps are read: none, those that robots.txt names (default), or also /sitemap.xml where it names none.",
});
const Order = z.enum(ORDERS).openapi({
  description: "Which URL of a host comes first; absent = priority, which weighs depth, in-links and more.",
});
const Depth = z.int().min(0).max(1_000_000);

export const SeedRefusals = {
  forwarded: z.int().optional().openapi({
    description: "Stored, and on their way to shards of other coordinators, which find out whether they are new.",
  }),
  rejected: z.array(z.object({ url: z.string(), reason: z.string() })).readonly().openapi({
    description: "Refused at the door (scope, limits); counted per reason in the stats.",
  }),
};

/** POST /v1/crawls. Absent fields take the server's defaults (docs/API.md). */
export const CrawlRequest = z.strictObject({
  crawl_id: CrawlIdSchema.optional().openapi({ description: "Absent = the server makes one." }),
  seeds: z.array(Url).min(1).max(LIMITS.seedsPerRequest),
  scope: z.strictObject({
    kind: z.enum(SCOPE_KINDS).optional(),
    domains: z.array(z.string()).max(LIMITS.scopeDomains).optional(),
    max_depth: Depth.optional(),
    include: z.array(Pattern).max(LIMITS.scopePatterns).optional(),
    exclude: z.array(Pattern).max(LIMITS.scopePatterns).optional(),
  }).optional(),
  priority: Priority.optional(),
  max_pages: z.int().min(1).optional(),
  politeness: z.strictObject({
    delay_ms: z.int().min(0).optional(),
    delay_factor: z.number().min(0).optional(),
    delay_cap_ms: z.int().min(0).optional(),
    max_parallel: z.int().min(1).max(LIMITS.hostInFlightMax).optional(),
  }).optional(),
  user_agent: z.string().max(512).optional(),
  product_token: z.string().max(64).optional(),
  contact: z.string().max(512).optional(),
  embeds: z.boolean().optional(),
  respect_rel_nofollow: z.boolean().optional(),
  order: Order.optional(),
  sitemaps: SitemapUse.optional(),
  content_types: z.array(z.string().max(256)).max(LIMITS.contentTypes).optional().openapi({
    description: "Media types of pages that are wanted, type/subtype or type/*; absent = all.",
  }),
  cookies: z.boolean().optional().openapi({ description: "Cookies are kept within a lease. Default false." }),
  noarchive: NoarchiveUse.optional().openapi({
    description: "obey: the bodies of pages that say noarchive aren't kept. Default mark.",
  }),
}).openapi("CrawlRequest");

export type CrawlRequestBody = z.infer<typeof CrawlRequest>;

export const CrawlAccepted = z.object({
  crawl_id: z.string(),
  enqueued: z.int(),
  already_seen: z.int(),
  ...SeedRefusals,
}).openapi("CrawlAccepted");

const Strings = z.array(z.string()).readonly();

/** A CrawlSpec as it is stored. */
const Spec = z.object({
  seeds: Strings,
  scope: z.object({
    kind: z.enum(SCOPE_KINDS),
    domains: Strings,
    max_depth: z.int().optional(),
    include: Strings,
    exclude: Strings,
  }),
  priority: z.number(),
  max_pages: z.int().optional(),
  politeness: z.object({
    delay_ms: z.int(),
    delay_factor: z.number(),
    delay_cap_ms: z.int(),
    max_parallel: z.int(),
  }),
  user_agent: z.string(),
  product_token: z.string(),
  contact: z.string().optional(),
  embeds: z.boolean(),
  respect_rel_nofollow: z.boolean(),
  order: Order.optional(),
  sitemaps: SitemapUse.optional(),
  content_types: Strings.optional(),
  cookies: z.boolean().optional(),
  noarchive: NoarchiveUse.optional(),
}).openapi("CrawlSpec");

/** One crawl without its spec, as listings show it. */
export const CrawlSummary = z.object({
  crawl_id: z.string(),
  state: z.enum(STATES),
  reason: z.string(),
  created_at: z.number().openapi({ description: "ms since 1970-01-01 UTC." }),
  finished_at: z.number().optional(),
}).openapi("CrawlSummary");

export const CrawlView = CrawlSummary.extend({ spec: Spec }).openapi("Crawl");

export const CrawlList = z.object({ crawls: z.array(CrawlSummary) }).openapi("CrawlList");

const Counts = z.record(z.string(), z.int()).readonly();

export const StatsView = z.object({
  crawl_id: z.string(),
  state: z.enum(STATES),
  reason: z.string(),
  accepted: z.int().openapi({ description: "accepted = queued + leased + settled." }),
  queued: z.int(),
  leased: z.int(),
  settled: z.int(),
  fetched: z.int().openapi({ description: "Final responses, of which 2xx are `pages`." }),
  pages: z.int(),
  sitemaps: z.int().openapi({ description: "Answers to sitemaps; they aren't among fetched and pages." }),
  redirected: z.int(),
  excluded: z.int(),
  dead: z.int(),
  rejected_by_reason: Counts,
  errors_by_class: Counts,
  leases_by_region: Counts,
  leases_placed: z.int().openapi({
    description: "Leases of hosts that are known to be nearer to one region than to others.",
  }),
  leases_home: z.int().openapi({ description: "Those of them that it got." }),
  bytes: z.int(),
  requests: z.int(),
  hosts_active: z.int(),
  hosts_waiting: z.int(),
  outbox_rows: z.int(),
  next_in_ms: z.number().optional(),
}).openapi("CrawlStats");

/** POST /v1/crawl/seeds. */
export const SeedRequest = z.strictObject({
  urls: z.array(z.string()).min(1).max(LIMITS.seedsPerRequest),
  priority: Priority.optional(),
  max_depth: Depth.optional().openapi({
    description: "Links are followed this deep from these seeds; the crawl's own max_depth holds where it is smaller.",
  }),
  crawl_id: CrawlIdSchema.optional().openapi({ description: 'Absent = "default", which is made when first needed.' }),
}).openapi("SeedRequest");

export const SeedsAccepted = z.object({
  crawl_id: z.string(),
  enqueued: z.int(),
  already_seen: z.int(),
  request_id: z.string(),
  ...SeedRefusals,
}).openapi("SeedsAccepted");

/** POST /v1/frontier/enqueue. */
export const EnqueueRequest = z.strictObject({
  crawl_id: CrawlIdSchema.optional(),
  urls: z.array(z.strictObject({
    url: z.string(),
    priority: Priority.optional(),
    discovered_from: z.string().max(LIMITS.urlBytes * 4).optional(),
    depth: Depth.optional(),
  })).min(1).max(LIMITS.seedsPerRequest),
}).openapi("EnqueueRequest");

export const EnqueueAccepted = z.object({
  accepted: z.int().openapi({ description: "URLs that were new to the crawl." }),
  already_seen: z.int(),
  ...SeedRefusals,
}).openapi("EnqueueAccepted");

export const UrlStatusView = z.object({
  url: z.string(),
  key: z.string().openapi({ description: "The normalised URL." }),
  crawl_id: z.string(),
  status: z.enum(["pending", "crawling", "done", "blocked"]),
  last_crawled_at: z.number().optional(),
  http_status: z.int().optional(),
  why: z.string(),
}).openapi("UrlStatus");

/** PUT /v1/hosts/{host}/policy: what is absent stays as it is. */
export const HostPolicy = z.strictObject({
  min_delay_ms: z.int().min(0).max(LIMITS.delayMaxMs).optional(),
  max_parallel: z.int().min(1).max(LIMITS.hostInFlightMax).optional(),
  paused: z.boolean().optional(),
  blocked_reason: z.string().max(500).optional(),
  region: z.string().regex(/^[A-Za-z0-9._-]{0,64}$/, "up to 64 of A-Z, a-z, 0-9, . _ - are wanted").optional().openapi({
    description: 'The only region that may ask; "" takes it back.',
  }),
}).openapi("HostPolicy");

/** PUT /v1/domains/{domain}/policy. */
export const DomainPolicy = z.strictObject({
  min_delay_ms: z.int().min(0).max(LIMITS.delayMaxMs).optional().openapi({
    description: "Mean gap between two starts on any of its hosts; 0 takes an earlier policy back.",
  }),
  max_parallel: z.int().min(0).max(LIMITS.hostInFlightMax).optional().openapi({
    description: "Requests under way on all its hosts; 0 takes an earlier policy back.",
  }),
  paused: z.boolean().optional(),
  blocked_reason: z.string().max(500).optional(),
}).openapi("DomainPolicy");

/** POST /v1/domains/{host}/config. */
export const DomainConfig = z.strictObject({
  crawl_delay_ms: z.int().min(0).max(LIMITS.delayMaxMs).optional(),
  allow_crawl: z.boolean().optional(),
}).openapi("DomainConfig");

export const DomainAnswer = z.object({
  domain: z.string(),
  policy: z.object({
    min_delay_ms: z.number().optional(),
    max_parallel: z.int().optional(),
    paused: z.boolean(),
    blocked_reason: z.string(),
  }),
  limits: z.object({
    in_flight: z.int(),
    gap_ms: z.number().openapi({ description: "In in_flight x gap_ms at most in_flight requests start." }),
  }),
  hosts: z.int(),
  queued: z.int(),
  addresses: z.array(z.string()).readonly(),
  host_names: z.array(z.string()).readonly().openapi({ description: "The busiest first, at most 1,000." }),
  leases_out: z.array(z.string()).readonly().openapi({
    description: "Leases of its hosts that are out; those granted before a policy end within their time.",
  }),
}).openapi("DomainAnswer");

export const HostPolicyAnswer = z.object({
  host: z.string(),
  leases_out: z.array(z.string()).readonly().openapi({
    description: "Leases of the host that were out when the policy took effect; they end within their time.",
  }),
}).openapi("HostPolicyAnswer");
