/**
 * Schemas of what the frontier verbs answer.
 * Invariant: as protocol/messages.ts says, to the field; answers are described by them, not checked.
 */

import { z } from "@hono/zod-openapi";

const Count = z.int().min(0);
const Ms = z.number().min(0);

const Record = z.object({ storage_key: z.string(), offset: Count, length: Count }).readonly();

const Target = z.object({
  target_id: z.string(),
  url: z.string(),
  key: z.string().optional(),
  kind: z.enum(["page", "robots", "sitemap"]),
  depth: Count,
  hop: Count,
  not_before_in_ms: Ms,
  etag: z.string().optional(),
  last_modified: z.string().optional(),
  history: z.object({
    content_hash: z.string(),
    text_hash: z.string().optional(),
    simhash: z.string().optional(),
    record: Record,
    fetched_at: z.number(),
    payload_digest: z.string(),
    refers_to: z.object({ url: z.string(), fetched_at: z.number() }).readonly().optional(),
  }).readonly().optional(),
}).openapi("Target");

const Lease = z.object({
  lease_id: z.string(),
  epoch: Count.openapi({ description: "The fence: a report under another one is stale." }),
  slot: Count,
  crawl: z.object({
    crawl_id: z.string(),
    user_agent: z.string(),
    product_token: z.string(),
    contact: z.string().optional(),
    polite: z.boolean(),
    embeds: z.boolean(),
    respect_rel_nofollow: z.boolean(),
    sitemaps: z.boolean(),
    scope_version: Count,
    content_types: z.array(z.string()).readonly().optional(),
    cookies: z.boolean().optional(),
    noarchive: z.enum(["mark", "obey"]).optional(),
  }).readonly(),
  host: z.string(),
  domain: z.string(),
  expires_in_ms: Ms.openapi({ description: "Counted from when the request was sent." }),
  first_start_in_ms: Ms,
  gap_ms: Ms,
  delay_factor: z.number().min(0),
  delay_cap_ms: Ms,
  max_parallel: Count,
  robots: z.array(
    z.object({
      origin: z.string(),
      class: z.enum(["rules", "allow_all"]),
      digest: z.string().optional(),
      expires_in_ms: z.number(),
    }).readonly(),
  ).readonly(),
  targets: z.array(Target.readonly()).readonly(),
}).openapi("Lease");

/** Which shard has which slots, and where the shards are (protocol/slot.ts). */
export const SlotMapAnswer = z.object({
  version: Count,
  shards: Count,
  runs: z.array(z.tuple([Count, Count]).readonly()).readonly().openapi({
    description: "[first slot, shard] of each run.",
  }),
  owners: z.array(z.object({ url: z.string(), term: Count }).readonly()).readonly().optional(),
}).readonly().openapi("SlotMap");

export const MapAnswer = z.object({ slot_map: SlotMapAnswer }).openapi("FrontierMap");

const OutboxRow = z.object({
  slot: Count,
  from_shard: Count.optional(),
  crawl_id: z.string(),
  lease_id: z.string(),
  seq: Count,
  links: z.array(
    z.object({
      url: z.string(),
      depth: Count,
      hop: Count,
      discovery_path: z.string(),
      discovered_from: z.string(),
      priority: z.number(),
    }).readonly(),
  ).readonly(),
  seal: z.string().optional().openapi({ description: "To be delivered with the row, which may not be changed." }),
}).openapi("OutboxRow");

export const LeaseAnswer = z.object({
  leases: z.array(Lease.readonly()).readonly(),
  retry_after_ms: Ms,
  reason: z.string().openapi({ description: "Why there is nothing (more)." }),
  outbox: z.array(OutboxRow.readonly()).readonly(),
  slot_map: z.union([SlotMapAnswer, z.object({ version: Count, starts: z.array(Count).readonly() }).readonly()])
    .openapi({
      description: "`starts`: to edges of protocol 1.",
    }),
}).openapi("LeaseReply");

const Referral = z.object({
  slot: Count.openapi({ description: "Whose owner is to be told." }),
  ticket: z.string().openapi({ description: "A coordinator's word to another, signed: carried as it is." }),
}).readonly().openapi("Referral");

export const CompletionAnswer = z.object({
  status: z.enum(["ok", "stale"]).openapi({ description: "stale: the lease is over, and nothing changed." }),
  accepted: Count.openapi({ description: "New URLs that the outlinks brought." }),
  queue_full: z.boolean().optional(),
  referrals: z.array(Referral).readonly().optional(),
}).openapi("CompletionReply");

export const ExtendAnswer = z.object({
  status: z.enum(["ok", "stale"]),
  expires_in_ms: Ms,
  stop: z.boolean().openapi({ description: "Start nothing more; complete with done." }),
}).openapi("ExtendReply");

export const PermitAnswer = z.object({
  granted: z.boolean(),
  wait_ms: Ms,
  referral: Referral.optional(),
}).openapi("PermitReply");

export const AddressPermitAnswer = z.object({
  granted: z.boolean(),
  gap_ms: Ms,
  max_parallel: Count,
  expires_in_ms: Ms,
  referral: Referral.optional(),
}).openapi("AddressPermitReply");

export const RobotsBodyAnswer = z.object({ body: z.string() }).openapi("RobotsBody");

export const NothingAnswer = z.strictObject({}).openapi("Nothing");

const CaptureRow = z.object({
  seq: Count,
  crawl_id: z.string(),
  url: z.string(),
  kind: z.enum(["page", "robots", "sitemap"]),
  role: z.enum(["answer", "redirect", "failure"]),
  http_code: Count,
  depth: Count,
  discovered_from: z.string(),
  fetched_at: z.number(),
  record: Record,
  content_hash: z.string(),
  payload_digest: z.string(),
  simhash: z.string().optional(),
  length: Count,
  content_type: z.string(),
  title: z.string().optional(),
  robots: z.string().optional(),
  truncated: z.string().optional(),
  location: z.string().optional(),
}).openapi("CaptureRow");

export const CapturesAnswer = z.object({
  rows: z.array(CaptureRow.readonly()).readonly(),
  more: z.boolean(),
}).openapi("CapturesReply");
