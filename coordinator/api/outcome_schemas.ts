/**
 * Schemas of what became of a target.
 * Invariant: as in frontier_schemas.ts; a storage key is a relative path that stays below its root. Outlinks are
 * strings, no more: the frontier judges each of them anyway.
 */

import { z } from "@hono/zod-openapi";
import { type FailureClass, FAILURES, LIMITS } from "../../protocol/mod.ts";

/** Finite; the frontier clamps what it uses. */
const Ms = z.number().min(0);
const Hex64 = z.string().regex(/^[0-9a-f]{16}$/, "16 lower-case hex digits are wanted");
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "64 lower-case hex digits are wanted");
/** Text that the web decides on: no header or title that an edge could receive may make its completion unreadable. */
const Text = z.string().max(LIMITS.headerBytes);
const Bytes = z.int().min(0);
const HttpCode = z.int().min(0).max(999);
const FailureSchema = z.enum(Object.keys(FAILURES) as [FailureClass, ...FailureClass[]]);
const Truncated = z.enum(["length", "time", "disconnect", "unspecified"]);

/** Segments of letters, digits and `._-+=@:`, none of them dots only. */
const STORAGE_KEY = /^(?!\.+(?:\/|$))[\w.+=@:-]+(?:\/(?!\.+(?:\/|$))[\w.+=@:-]+)*$/;

const RecordSchema = z.object({
  storage_key: z.string().max(512).regex(STORAGE_KEY, "a relative path with / between its segments is wanted"),
  offset: Bytes,
  length: Bytes,
});

const TimingsSchema = z.object({
  started_ago_ms: Ms,
  connect_ms: Ms.optional(),
  first_byte_ms: Ms.optional(),
  total_ms: Ms,
  tcp_ms: Ms.optional(),
});

const CaptureSchema = z.object({
  url: z.string().max(LIMITS.urlBytes * 4).optional(),
  fetched_at: z.number().min(0).max(8.64e15),
  record: RecordSchema,
  content_hash: Sha256,
  payload_digest: z.string().regex(/^sha1:[A-Z2-7]{32}$/, "sha1: and 32 base32 letters are wanted"),
  text_hash: Hex64.optional(),
  simhash: Hex64.optional(),
  length: Bytes,
  wire_length: Bytes,
  content_type: Text,
  charset: Text.optional(),
  etag: Text.optional(),
  last_modified: Text.optional(),
  title: Text.optional(),
  truncated: Truncated.optional(),
  remote_address: z.string().max(64).optional(),
  refers_to: z.object({ url: z.string().max(LIMITS.urlBytes * 4), fetched_at: z.number().min(0).max(8.64e15) })
    .optional(),
});

const HopSchema = z.object({
  url: z.string().max(LIMITS.urlBytes * 4),
  http_code: HttpCode,
  location: z.string().max(LIMITS.headerBytes),
  capture: CaptureSchema,
});

const Base = {
  target_id: z.string().min(1).max(LIMITS.urlBytes + 16),
  timings: TimingsSchema.optional(),
  capture: CaptureSchema.optional(),
  hops: z.array(HopSchema).max(LIMITS.redirectHops + 1).optional(),
  requests: z.int().min(0).max(1000),
};
const AnyCode = { ...Base, http_code: HttpCode.optional() };

const FetchedSchema = z.object({
  ...Base,
  status: z.literal("fetched"),
  http_code: HttpCode,
  capture: CaptureSchema,
  outlinks: z.array(z.string()).max(LIMITS.outlinksPerSitemap),
  outlink_kinds: z.string().max(LIMITS.outlinksPerSitemap).regex(/^[LERSMI]*$/).optional(),
  outlink_priorities: z.array(z.number().min(0).max(100)).max(LIMITS.outlinksPerSitemap).optional(),
  outlink_lastmods: z.array(z.number().min(0)).max(LIMITS.outlinksPerSitemap).optional(),
  noindex: z.boolean().optional(),
  noarchive: z.boolean().optional(),
  nosnippet: z.boolean().optional(),
  canonical: Text.optional(),
  duplicate_of: Text.optional(),
});

const RobotsSchema = z.object({
  ...AnyCode,
  status: z.literal("robots"),
  origin: z.string().max(300),
  class: z.enum(["rules", "allow_all", "unreachable"]),
  body: z.string().max(LIMITS.robotsBytes).optional(),
  digest: Sha256.optional(),
  crawl_delay_ms: Ms.optional(),
  sitemaps: z.array(z.string().max(LIMITS.robotsBytes)).max(LIMITS.outlinksPerPage).optional(),
  failure: FailureSchema.optional(),
  retry_after_ms: Ms.optional(),
});

export const OutcomeSchema = z.discriminatedUnion("status", [
  FetchedSchema,
  z.object({ ...Base, status: z.literal("redirected"), http_code: HttpCode, location: z.string() }),
  z.object({ ...AnyCode, status: z.literal("unchanged") }),
  z.object({
    ...AnyCode,
    status: z.literal("failed"),
    failure: FailureSchema,
    detail: Text.optional(),
    retry_after_ms: Ms.optional(),
  }),
  z.object({ ...AnyCode, status: z.literal("excluded"), reason: Text }),
  z.object({ ...AnyCode, status: z.literal("deferred"), reason: Text }),
  RobotsSchema,
]).openapi("Outcome");
