/**
 * Schemas of the frontier verbs' requests.
 * Invariant: what passes is a message of protocol/messages.ts with every number finite and in range and every list
 * bounded (promise 12). Fields that aren't known are dropped: an edge may be newer than its coordinator.
 */

import { z } from "@hono/zod-openapi";
import { LIMITS, SLOT_COUNT } from "../../protocol/mod.ts";
import { OutcomeSchema } from "./outcome_schemas.ts";

/** Finite; the frontier clamps what it uses. */
const Ms = z.number().min(0);
const LeaseIdSchema = z.string().min(1).max(128);
const Epoch = z.int().min(0);
const Slot = z.int().min(0).max(SLOT_COUNT - 1);
const Shard = z.int().min(0).max(SLOT_COUNT - 1);
const WorkerIdSchema = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, "1 to 64 of A-Z, a-z, 0-9, . _ - are wanted");
const HostSchema = z.string().min(1).max(255);
const Priority = z.number().min(0).max(1);
const Seq = z.int().min(0);

/** A coordinator's word to another. */
const Ticket = z.string().max(LIMITS.referralBytes);

const Fence = { worker_id: WorkerIdSchema, lease_id: LeaseIdSchema, epoch: Epoch, slot: Slot };

/** The frontier grants no more than its own limits, whatever is asked. */
export const LeaseRequestSchema = z.object({
  worker_id: WorkerIdSchema,
  region: z.string().max(64),
  max: z.int().min(0),
  max_leases: z.int().min(0),
  holding: z.int().min(0),
  unhealthy: z.string().max(LIMITS.unhealthyChars).optional(),
}).openapi("LeaseRequest");

export const CompletionSchema = z.object({
  ...Fence,
  outcomes: z.array(OutcomeSchema).max(LIMITS.outcomesPerCompletion),
  done: z.boolean(),
  last_start_ago_ms: Ms.optional(),
  gap_ms: Ms.optional(),
}).openapi("Completion");

export const ExtendSchema = z.object(Fence).openapi("ExtendRequest");

export const ReleaseSchema = z.object({
  worker_id: WorkerIdSchema,
  leases: z.array(z.object({ lease_id: LeaseIdSchema, epoch: Epoch, slot: Slot })).max(10_000),
  reason: z.string().max(1000),
}).openapi("ReleaseRequest");

export const SettledSchema = z.object({ ...Fence, last_start_ago_ms: Ms, gap_ms: Ms }).openapi("SettledRequest");

export const PermitSchema = z.object({
  ...Fence,
  ticket: Ticket.optional(),
  host: HostSchema,
  domain: HostSchema,
}).openapi("PermitRequest");

export const AddressPermitSchema = z.object({
  ...Fence,
  ticket: Ticket.optional(),
  address: z.string().min(1).max(64),
  gap_ms: Ms,
  max_parallel: z.int().min(1),
}).openapi("AddressPermitRequest");

export const PermitReturnSchema = z.object({
  worker_id: WorkerIdSchema,
  lease_id: LeaseIdSchema,
  slot: Slot.optional(),
  addresses: z.array(z.string().min(1).max(64)).max(LIMITS.addressesPerLease),
  last_start_ago_ms: Ms.optional(),
}).openapi("PermitReturn");

export const VisitedSchema = z.object({ worker_id: WorkerIdSchema, slot: Slot, ticket: Ticket }).openapi(
  "VisitedRequest",
);

const OutboxLinkSchema = z.object({
  url: z.string().max(LIMITS.urlBytes),
  depth: z.int().min(0),
  hop: z.int().min(0).max(LIMITS.redirectHops),
  discovery_path: z.string().max(64),
  discovered_from: z.string().max(LIMITS.urlBytes),
  priority: Priority,
});

export const OutboxDeliverySchema = z.object({
  worker_id: WorkerIdSchema,
  rows: z.array(z.object({
    slot: Slot,
    from_shard: Shard.optional(),
    crawl_id: z.string().max(64),
    lease_id: LeaseIdSchema,
    seq: Seq,
    links: z.array(OutboxLinkSchema).max(LIMITS.outlinksPerPage),
    seal: z.string().max(64).optional(),
  })).max(LIMITS.outboxRowsPerReply),
}).openapi("OutboxDelivery");

export const OutboxAckSchema = z.object({
  worker_id: WorkerIdSchema,
  rows: z.array(z.object({ lease_id: LeaseIdSchema, seq: Seq, from_shard: Shard.optional() })).max(LIMITS.outboxRows),
}).openapi("OutboxAck");

export const CapturesSchema = z.object({
  storage_prefix: z.string().max(1024),
  shard: Shard,
  after_seq: z.int().min(-1),
  limit: z.int().min(1).max(LIMITS.capturesPerReply),
}).openapi("CapturesRequest");

export const RobotsDigestSchema = z.object({
  digest: z.string().regex(/^[0-9a-f]{64}$/, "64 lower-case hex digits are wanted"),
});

/** In the query of a GET. */
export const RobotsSlotSchema = z.object({
  slot: z.coerce.number().int().min(0).max(SLOT_COUNT - 1).optional().openapi({
    description: "That of the lease that names the body: asked of another coordinator than its owner, it is a 421.",
  }),
});
