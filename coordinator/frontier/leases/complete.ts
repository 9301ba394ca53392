/**
 * The verb `complete`: settles targets of a lease and lets their links in.
 * Invariant: without the lease of that id and epoch nothing changes (promise 3); an outcome for a target that is settled
 * already is ignored, so a repeated completion does nothing.
 */

import {
  type Completion,
  type CompletionReply,
  type Fetched,
  type Fingerprint,
  fingerprintFromHex,
  LIMITS,
  type Outcome,
  type Redirected,
} from "../../../protocol/mod.ts";
import type { UrlRow } from "../../ports.ts";
import { acceptSpan, type Finding, isSeedPath, longerPath } from "../accept.ts";
import { addTo } from "../counters.ts";
import type { Crawl } from "../crawls/crawl.ts";
import type { HostState, LeaseState } from "../host_state.ts";
import { learnRegion } from "../regions/learn_region.ts";
import type { LinkSpan } from "../links.ts";
import { familyOf } from "../door/family.ts";
import { noteEvidence } from "../door/page_evidence.ts";
import { clamp, closingGapMs, nextStartAt } from "../clocks/politeness.ts";
import { priorityOf } from "../order/priority.ts";
import { sitemapFactors } from "../order/sitemap_hints.ts";
import type { Operation, Round } from "../round.ts";
import { PageSettler } from "./settle.ts";
import { settleRobots } from "../robots/settle_robots.ts";
import { sitemapDepth } from "../robots/sitemaps.ts";
import type { Shard } from "../shard.ts";
import type { Ending } from "../clocks/start_groups.ts";

/** A host whose targets came back without a request rests this long, so that nothing spins. */
const DEFERRED_REST_MS = 1_000;
/** The same, doubling each time, while the address that it goes to is full and another coordinator's. */
const TURNED_AWAY_REST_MS = 16_000;
/** Requests that one target can have cost: its own and its redirects' within the lease, each lost once (ADR 30). */
const REQUESTS_PER_TARGET = 2 * (1 + Math.max(LIMITS.redirectHops, LIMITS.robotsRedirectHops));

const STALE: CompletionReply = { status: "stale", accepted: 0 };

export class CompleteOperation implements Operation<CompletionReply> {
  /** A lease that goes on fetches while its report waits; the host of one that ends stands still. */
  readonly isPatient: boolean;
  readonly #completion: Completion;
  /** Which page each outcome is of. */
  readonly #fingerprints: readonly (Fingerprint | undefined)[];
  readonly #spans = new Map<Outcome, LinkSpan>();
  /** Links were refused that would be taken once a queue is shorter. */
  #isFull = false;

  constructor(completion: Completion) {
    this.isPatient = !completion.done;
    this.#completion = completion;
    this.#fingerprints = completion.outcomes.map((outcome) => fingerprintFromHex(outcome.target_id));
  }

  plan(round: Round): void {
    const lease = round.shard.fenced(this.#completion);
    const crawl = lease && round.shard.parts.crawls.get(lease.crawlId);
    if (lease === undefined || crawl === undefined) return;
    for (const [index, outcome] of this.#completion.outcomes.entries()) {
      const row = this.#targetRow(lease, index);
      if (row === undefined) continue;
      const span = planLinks(round, { crawl, row, outcome });
      if (span !== undefined) this.#spans.set(outcome, span);
    }
  }

  apply(round: Round): CompletionReply {
    const { shard, now } = round;
    const lease = shard.fenced(this.#completion);
    const crawl = lease && shard.parts.crawls.get(lease.crawlId);
    if (lease === undefined || crawl === undefined) return STALE;
    let accepted = 0;
    const settler = new PageSettler(round, lease);
    for (const [index, outcome] of this.#completion.outcomes.entries()) {
      accepted += this.#settle(round, { lease, crawl, outcome, index, settler });
    }
    this.#pace(shard, lease, now);
    // The lease's own row stays as granted: which of its targets are settled is told by their rows.
    if (this.#completion.done) shard.endLease(lease, now, this.#ending(lease, now));
    else shard.batch.changeHost(lease.host);
    return { status: "ok", accepted, ...(this.#isFull ? { queue_full: true } : {}) };
  }

  /** The unsettled page target that an outcome names. */
  #targetRow(lease: LeaseState, index: number): UrlRow | undefined {
    const fingerprint = this.#fingerprints[index];
    return fingerprint === undefined ? undefined : lease.pages.get(fingerprint);
  }

  #settle(
    round: Round,
    what: { lease: LeaseState; crawl: Crawl; outcome: Outcome; index: number; settler: PageSettler },
  ): number {
    const { lease, crawl, outcome, index, settler } = what;
    if (outcome.status === "robots") {
      if (lease.robotsOrigins.has(outcome.origin)) {
        noteRequests(round, lease, outcome);
        learnRegion(round, lease, outcome);
      }
      settleRobots(round, lease, outcome);
      return 0;
    }
    const row = this.#targetRow(lease, index);
    if (row === undefined) return 0;
    noteRequests(round, lease, outcome);
    learnRegion(round, lease, outcome);
    if (!settler.settle(outcome, row)) return 0;
    const span = this.#spans.get(outcome);
    if (outcome.status === "redirected" && span === undefined) {
      addTo(round.shard.changeCounts(crawl.id).rejectedByReason, "redirect_hops");
      round.shard.tallies.reject(row, "redirect_hops", true);
    }
    if (outcome.status === "fetched") return this.#takeIn(round, { lease, crawl, outcome, row });
    if (span === undefined) return 0;
    return acceptSpan(round, span, { describe: () => redirectFinding(row), sender: lease.leaseId }).accepted;
  }

  /** The links of a page, and what they and its content say about its kind. */
  #takeIn(round: Round, page: { lease: LeaseState; crawl: Crawl; outcome: Fetched; row: UrlRow }): number {
    const { lease, crawl, outcome, row } = page;
    const span = this.#spans.get(outcome);
    const describe = sitemapFindings(round, {
      lease,
      outcome,
      span,
      found: linkFindings(row, crawl, outcome.outlink_kinds),
    });
    const family = familyOf(row.url)?.shape;
    const links = span && acceptSpan(round, span, { describe, sender: lease.leaseId, family });
    this.#isFull ||= links?.isFull === true;
    noteEvidence(round, { crawl, row, outcome, brought: links?.outside ?? 0 });
    return links?.accepted ?? 0;
  }

  /** When the last request under the lease can have started: as it is said, but not before the lease, and not if none was made. */
  #ending(lease: LeaseState, now: number): Ending {
    const { last_start_ago_ms } = this.#completion;
    const made = lease.requests > 0 || last_start_ago_ms !== undefined;
    const age = Math.max(0, now - lease.firstStartAt);
    const ago = clamp(last_start_ago_ms, { least: 0, most: age, otherwise: 0 });
    return { startAt: made ? now - ago : -Infinity, parallelUntil: -Infinity };
  }

  /** The host's clock after what was reported: never earlier than our own count says. */
  #pace(shard: Shard, lease: LeaseState, now: number): void {
    const { host } = lease;
    const { last_start_ago_ms, gap_ms, done } = this.#completion;
    const reported = { lastStartAgoMs: last_start_ago_ms, gapMs: gap_ms };
    const pace = { ...lease, closingGapMs: closingGapMs(lease, shard.parts.settings.limits) };
    host.nextStartAt = Math.max(host.nextStartAt, nextStartAt(pace, reported, now));
    const didNothing = lease.requests === 0 && lease.pages.size > 0;
    if (lease.requests > 0) host.turnedAway = 0;
    else if (done && lease.isReferred) host.turnedAway++;
    if (done && (lease.hasDeferred || didNothing || host.turnedAway > 0)) {
      host.nextStartAt = Math.max(host.nextStartAt, now + restMs(host, shard.parts.random.next()));
    }
  }
}

/** Nobody tells when an address of another coordinator has room, so its hosts try again ever more rarely, and not together. */
function restMs({ turnedAway }: HostState, chance: number): number {
  if (turnedAway === 0) return DEFERRED_REST_MS;
  const most = Math.min(TURNED_AWAY_REST_MS, DEFERRED_REST_MS * 2 ** turnedAway);
  return DEFERRED_REST_MS + (most - DEFERRED_REST_MS) * chance;
}

/** Every request counts: page, redirect hop, robots.txt. A response can't have come without one. */
function noteRequests(round: Round, lease: LeaseState, outcome: Outcome): void {
  const hadResponse = outcome.status === "fetched" || outcome.status === "redirected" || outcome.status === "unchanged";
  const least = hadResponse ? 1 : 0;
  const requests = Math.round(clamp(outcome.requests, { least, most: REQUESTS_PER_TARGET, otherwise: least }));
  if (requests === 0) return;
  lease.requests += requests;
  round.shard.changeCounts(lease.crawlId).requests += requests;
}

function planLinks(round: Round, what: { crawl: Crawl; row: UrlRow; outcome: Outcome }): LinkSpan | undefined {
  const { crawl, row, outcome } = what;
  const { limits } = round.shard.parts.settings;
  if (outcome.status === "fetched") {
    return planPageLinks(round, { crawl, row, outcome });
  }
  if (outcome.status !== "redirected" || row.hop + 1 > limits.redirectHops) return undefined;
  return round.links({
    crawl,
    urls: [(outcome satisfies Redirected).location],
    depthAt: () => row.depth,
    isSeedLike: () => isSeedPath(row.discoveryPath),
  });
}

/** The links of a page, or what a sitemap names: pages are one step further, sitemaps as far as the one that names them. */
function planPageLinks(round: Round, what: { crawl: Crawl; row: UrlRow; outcome: Fetched }): LinkSpan | undefined {
  const { crawl, row, outcome } = what;
  const { limits } = round.shard.parts.settings;
  const kinds = outcome.outlink_kinds ?? "";
  const isSitemap = /^[SM]/.test(kinds);
  const urls = outcome.outlinks.slice(0, isSitemap ? limits.outlinksPerSitemap : limits.outlinksPerPage);
  if (urls.length === 0) return undefined;
  const page = row.fingerprint;
  if (!isSitemap) return round.links({ crawl, urls, depthAt: () => row.depth + 1, page });
  const isTooDeep = sitemapDepth(row) >= limits.sitemapDepth;
  return round.links({
    crawl,
    urls,
    page,
    depthAt: (index) => kinds[index] === "M" ? row.depth : row.depth + 1,
    refuses: (index) => isTooDeep && kinds[index] === "M" ? "sitemap_depth" : undefined,
  });
}

function redirectFinding(row: UrlRow): Finding {
  return {
    depth: row.depth,
    hop: row.hop + 1,
    path: longerPath(row.discoveryPath, "R"),
    from: row.url,
    priority: row.priority,
    band: 0,
  };
}

/** A sitemap says which of its pages are urgent, and when they changed: that is believed as far as its host is. */
function sitemapFindings(
  { shard, now }: Round,
  what: {
    readonly lease: LeaseState;
    readonly outcome: Fetched;
    readonly span: LinkSpan | undefined;
    readonly found: (index: number) => Finding;
  },
): (index: number) => Finding {
  const { outcome, found } = what;
  const trust = shard.sitemapTrust.of(what.lease.host.host);
  const factor = sitemapFactors(outcome, { count: outcome.outlinks.length, now, trust });
  if (factor === undefined) return found;
  noteDates(shard, what.span, outcome);
  return (index) => {
    const finding = found(index);
    return { ...finding, priority: Math.min(1, finding.priority * factor(index)) };
  };
}

function noteDates({ sitemapTrust }: Shard, span: LinkSpan | undefined, { outlink_lastmods = [] }: Fetched): void {
  if (span === undefined) return;
  for (const [index, lastmodS] of outlink_lastmods.entries()) {
    const at = 2 * (span.first + index);
    if (lastmodS <= 0 || at + 1 >= span.words.length) continue;
    sitemapTrust.dated((BigInt(span.words[at + 1]!) << 32n) | BigInt(span.words[at]!), lastmodS * 1000);
  }
}

function linkFindings(row: UrlRow, crawl: Crawl, kinds: string | undefined): (index: number) => Finding {
  const depth = row.depth + 1;
  const priority = priorityOf({ operator: crawl.row.spec.priority, depth });
  const link: Finding = { depth, hop: 0, path: longerPath(row.discoveryPath, "L"), from: row.url, priority };
  if (kinds === undefined) return () => link;
  const found: Readonly<Record<string, Finding>> = {
    E: { ...link, path: longerPath(row.discoveryPath, "E") },
    S: { ...link, path: longerPath(row.discoveryPath, "S") },
    M: { ...link, depth: row.depth, path: longerPath(row.discoveryPath, "M") },
  };
  return (index) => found[kinds[index] ?? ""] ?? link;
}
