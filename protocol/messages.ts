/**
 * The frontier verbs: what an edge asks a coordinator and what it is told.
 * Invariant: durations on the wire are relative (`*_in_ms`, `*_ago_ms`), so clocks of different machines are never
 * compared; field names are snake_case; absent optional fields mean "unknown", never zero.
 */

import type { FetchRules } from "./crawl.ts";
import type { CrawlId, HostKey, LeaseId, Origin, WorkerId } from "./ids.ts";
import type { Outcome, RecordRef, RefersTo } from "./outcomes.ts";
import type { SlotMap } from "./slot.ts";

/**
 * Version of these messages. Coordinators serve this one and the one before. 2: slot maps with owners, referrals;
 * an edge of version 1 can work only for a coordinator that owns all shards.
 */
export const PROTOCOL_VERSION = 2;

export type TargetKind = "page" | "robots" | "sitemap";

/** What the page table knows of an earlier capture of the same URL. */
export interface History {
  readonly content_hash: string;
  readonly text_hash?: string;
  readonly simhash?: string;
  readonly record: RecordRef;
  readonly fetched_at: number;
  readonly payload_digest: string;
  /** That capture was a revisit: what it refers to, and so what another one must refer to. */
  readonly refers_to?: RefersTo;
}

export interface Target {
  /** Unique within the lease: the fingerprint's hex for pages, `robots:<origin>` for robots. */
  readonly target_id: string;
  /** What is requested: the WHATWG href as it was found, without fragment. */
  readonly url: string;
  /** The normalised URL (pages only): tells whether a redirect leads to the same key. */
  readonly key?: string;
  readonly kind: TargetKind;
  readonly depth: number;
  /** Redirects already followed to get here. */
  readonly hop: number;
  readonly not_before_in_ms: number;
  readonly etag?: string;
  readonly last_modified?: string;
  readonly history?: History;
}

/** What the coordinator holds for an origin. A body is fetched by digest where the edge hasn't got it. */
export interface RobotsRef {
  readonly origin: Origin;
  readonly class: "rules" | "allow_all";
  readonly digest?: string;
  readonly expires_in_ms: number;
}

/** The settings of a crawl that the edge needs. */
export interface CrawlSettings extends FetchRules {
  readonly crawl_id: CrawlId;
  readonly user_agent: string;
  /** RFC 9309 2.2.1: what robots groups are matched by. */
  readonly product_token: string;
  readonly contact?: string;
  /** False only for crawls of opened addresses with delay 0: then every connection must go to an opened address. */
  readonly polite: boolean;
  readonly embeds: boolean;
  readonly respect_rel_nofollow: boolean;
  /** Links are taken from sitemaps and feeds. */
  readonly sitemaps: boolean;
  /** Grows when the scope does: links that were refused before may be taken now, so all are reported anew. */
  readonly scope_version: number;
}

export interface Lease {
  readonly lease_id: LeaseId;
  /** Per host, only ever grows, survives restarts: the fence. */
  readonly epoch: number;
  readonly slot: number;
  readonly crawl: CrawlSettings;
  readonly host: HostKey;
  readonly domain: string;
  /** Counted by the edge from when it *sent* the request. */
  readonly expires_in_ms: number;
  /** Never on the wire: the lease was asked for so long before the call that brings it, by an edge's own adapter. */
  readonly asked_ago_ms?: number;
  /** The first request may start this long after the reply was sent; 0 = at once. */
  readonly first_start_in_ms: number;
  /** Least gap between two request starts. */
  readonly gap_ms: number;
  /** The gap grows to this multiple of the last response time, up to delay_cap_ms. 0 = off. */
  readonly delay_factor: number;
  readonly delay_cap_ms: number;
  readonly max_parallel: number;
  readonly robots: readonly RobotsRef[];
  /** Robots targets stand before the pages that need them. */
  readonly targets: readonly Target[];
}

/** Links of one completion whose slots another shard owns, on their way there. Idempotent by (lease_id, seq). */
export interface OutboxRow {
  /** Of its first link: tells where it goes. */
  readonly slot: number;
  /** The shard that wrote it, to which its acknowledgement goes. */
  readonly from_shard?: number;
  readonly crawl_id: CrawlId;
  readonly lease_id: LeaseId;
  readonly seq: number;
  readonly links: readonly OutboxLink[];
  /** Of the coordinator that handed it out: comes back with the row, which it makes unchangeable on its way. */
  readonly seal?: string;
}

export interface OutboxLink {
  readonly url: string;
  readonly depth: number;
  readonly hop: number;
  readonly discovery_path: string;
  readonly discovered_from: string;
  readonly priority: number;
}

export interface LeaseRequest {
  readonly worker_id: WorkerId;
  readonly region: string;
  /** Most targets wanted, over all leases of the reply. */
  readonly max: number;
  /** Most leases (hosts) wanted. */
  readonly max_leases: number;
  /** Leases that the worker holds now: back-pressure, see LIMITS. */
  readonly holding: number;
  /** `edge_unhealthy`: why the worker takes no leases now, as a sentence; it asks for none. Absent = it is well. */
  readonly unhealthy?: string;
}

export interface LeaseReply {
  readonly leases: readonly Lease[];
  /** When there is nothing (more): ask again after this, and why there is nothing. */
  readonly retry_after_ms: number;
  readonly reason: string;
  /** Rows to deliver to their owners and then acknowledge. */
  readonly outbox: readonly OutboxRow[];
  readonly slot_map: SlotMap;
}

export interface Completion {
  readonly worker_id: WorkerId;
  readonly lease_id: LeaseId;
  readonly epoch: number;
  /** The slot of the lease: routes to its shard. */
  readonly slot: number;
  readonly outcomes: readonly Outcome[];
  /** The lease ends: targets without an outcome go back to their queue untouched. */
  readonly done: boolean;
  /** Request start nearest to now on this host, ms ago; absent if none was made under this lease. */
  readonly last_start_ago_ms?: number;
  /** The gap that the edge keeps now (grown by response times). */
  readonly gap_ms?: number;
}

/** `stale`: the fence refused it and nothing changed. Not an error: the edge drops what it holds of this lease. */
export interface CompletionReply {
  readonly status: "ok" | "stale";
  /** What became of visits by permit, to be told to the owners of the hosts (verb `visited`). */
  readonly referrals?: readonly Referral[];
  /** New URLs that the outlinks brought. */
  readonly accepted: number;
  /** True: outlinks were refused since their host's queue is full, and would be taken later: report them whenever found. */
  readonly queue_full?: boolean;
}

/** Confirms that the lease still stands and starts its time anew. */
export interface ExtendRequest {
  readonly worker_id: WorkerId;
  readonly lease_id: LeaseId;
  readonly epoch: number;
  readonly slot: number;
}

export interface ExtendReply {
  readonly status: "ok" | "stale";
  readonly expires_in_ms: number;
  /** The host was paused or its crawl cancelled: start nothing more, complete with done. */
  readonly stop: boolean;
}

/** Hands back whole leases, e.g. when an edge stops or is unhealthy. */
export interface ReleaseRequest {
  readonly worker_id: WorkerId;
  readonly leases: readonly { readonly lease_id: LeaseId; readonly epoch: number; readonly slot: number }[];
  readonly reason: string;
}

/** The host's clock is freed before the archive acknowledged: the last request under this lease has ended. */
export interface SettledRequest {
  readonly worker_id: WorkerId;
  readonly lease_id: LeaseId;
  readonly epoch: number;
  readonly slot: number;
  readonly last_start_ago_ms: number;
  readonly gap_ms: number;
}

export interface OutboxDelivery {
  readonly worker_id: WorkerId;
  readonly rows: readonly OutboxRow[];
}

/** Rows now durable at their owner; the sender deletes them. */
export interface OutboxAck {
  readonly worker_id: WorkerId;
  /** Without `from_shard` every shard of the coordinator that is asked looks for the row. */
  readonly rows: readonly { readonly lease_id: LeaseId; readonly seq: number; readonly from_shard?: number }[];
}

/** An acknowledged capture, in the order of acknowledgement: what pages.jsonl and the CDXJ index are made from. */
export interface CaptureRow {
  /** Ascending within a shard, without repeats; gaps are allowed. */
  readonly seq: number;
  readonly crawl_id: CrawlId;
  readonly url: string;
  readonly kind: TargetKind;
  /** The final answer of its target, a redirect, or an answer that counts as failed (and may be tried again). */
  readonly role: "answer" | "redirect" | "failure";
  readonly http_code: number;
  readonly depth: number;
  readonly discovered_from: string;
  readonly fetched_at: number;
  readonly record: RecordRef;
  readonly content_hash: string;
  readonly payload_digest: string;
  readonly simhash?: string;
  readonly length: number;
  readonly content_type: string;
  readonly title?: string;
  readonly truncated?: string;
  /** The redirect's target, when http_code is a redirect. */
  readonly location?: string;
  /** What the page asks of who shows it, by commas: noindex, noarchive, nosnippet; absent = nothing. */
  readonly robots?: string;
  /** The record is a revisit of this capture, which has the payload. */
  readonly refers_to?: RefersTo;
}

export interface CapturesRequest {
  /** Only captures whose storage_key begins with this. */
  readonly storage_prefix: string;
  readonly shard: number;
  readonly after_seq: number;
  readonly limit: number;
}

export interface CapturesReply {
  readonly rows: readonly CaptureRow[];
  /** True when rows beyond the limit wait. */
  readonly more: boolean;
}

/**
 * What one coordinator has to say to another, which the edge carries: the word is signed and means nothing to the edge.
 * It stands for `LIMITS.referralMs`.
 */
export interface Referral {
  /** Whose owner is to be told. */
  readonly slot: number;
  readonly ticket: string;
}

/** Carries a referral of a completion. */
export interface VisitedRequest {
  readonly worker_id: WorkerId;
  readonly slot: number;
  readonly ticket: string;
}

/**
 * One request start on a host that the worker holds no lease of: a robots.txt redirect hop to another host
 * (RFC 9309 2.3.1.2). Names the lease whose robots.txt led there, which must stand. Granting it moves the host's clock as a request of a lease would; the lease's own pace counts it too.
 */
export interface PermitRequest {
  readonly worker_id: WorkerId;
  /** Under a lease of the same domain the request is one of its own. */
  readonly lease_id: LeaseId;
  readonly epoch: number;
  /** Of the lease; with a ticket, the slot that the referral named. */
  readonly slot: number;
  readonly ticket?: string;
  readonly host: HostKey;
  readonly domain: string;
}

export interface PermitReply {
  /** False: the host is leased, paused or blocked, or the lease is over; ask again after `wait_ms`. */
  readonly granted: boolean;
  /** Granted: the request may start this long after the reply was sent. Refused: when to ask again. */
  readonly wait_ms: number;
  /** Not refused: another coordinator owns the host, and the same request goes to it, with slot and ticket of this. */
  readonly referral?: Referral;
}

/**
 * Requests of a lease to one address (or IPv6 network): asked of the address' owner once per lease and address, after
 * name resolution and before the connection. Names the lease, which must stand.
 */
export interface AddressPermitRequest {
  readonly worker_id: WorkerId;
  readonly lease_id: LeaseId;
  readonly epoch: number;
  /** Of the lease; with a ticket, the slot that the referral named. */
  readonly slot: number;
  readonly ticket?: string;
  /** As it is connected to. */
  readonly address: string;
  /** The gap that the edge keeps, and the requests at once that it may make. */
  readonly gap_ms: number;
  readonly max_parallel: number;
}

export interface AddressPermitReply {
  /** False: the address is busy, or the lease is over. What is left of the lease goes back. */
  readonly granted: boolean;
  /** What the edge keeps from now on: at least this gap, at most so many at once. */
  readonly gap_ms: number;
  readonly max_parallel: number;
  /** To be asked for again after this, counted from when the request was sent. */
  readonly expires_in_ms: number;
  /** Not refused: another coordinator owns the address, and the same request goes to it, with slot and ticket of this. */
  readonly referral?: Referral;
}

/** The last request under these permits has ended. */
export interface PermitReturn {
  readonly worker_id: WorkerId;
  readonly lease_id: LeaseId;
  /** Whose owner granted them: the lease's, or that of the referral; absent where one coordinator has all shards. */
  readonly slot?: number;
  readonly addresses: readonly string[];
  /** Absent: no request was made. */
  readonly last_start_ago_ms?: number;
}

export interface RobotsBodyRequest {
  /** SHA-256 hex of its UTF-8. */
  readonly digest: string;
  /** Of the lease that names it: routes to its shard. Absent = every shard of the coordinator that is asked. */
  readonly slot?: number;
}

/** The frontier as a worker sees it. Every verb is idempotent; a rejected promise means that the answer is unknown. */
export interface FrontierVerbs {
  lease(request: LeaseRequest): Promise<LeaseReply>;
  complete(completion: Completion): Promise<CompletionReply>;
  extend(request: ExtendRequest): Promise<ExtendReply>;
  release(request: ReleaseRequest): Promise<void>;
  settled(request: SettledRequest): Promise<void>;
  deliverOutbox(delivery: OutboxDelivery): Promise<void>;
  ackOutbox(ack: OutboxAck): Promise<void>;
  permitAddress(request: AddressPermitRequest): Promise<AddressPermitReply>;
  returnPermits(request: PermitReturn): Promise<void>;
  /** A robots.txt body, or undefined when the coordinator no longer has it. */
  robotsBody(request: RobotsBodyRequest): Promise<string | undefined>;
  captures(request: CapturesRequest): Promise<CapturesReply>;
  permit(request: PermitRequest): Promise<PermitReply>;
  /** A word that is not believed changes nothing and is no error: the edge could do nothing about it. */
  visited(request: VisitedRequest): Promise<void>;
}
