/**
 * Lets classified links in: new ones become queued URLs, those of other shards go to the outbox, a queued URL that is
 * found again at a smaller depth keeps the smaller.
 * Invariant: each URL of a crawl is accepted once; whatever isn't accepted is counted under its reason.
 */

import type { UrlRow } from "../ports.ts";
import { admissionReason, type Applicant, noteAdmission } from "./door/admission.ts";
import { addTo } from "./counters.ts";
import type { Crawl } from "./crawls/crawl.ts";
import { familyOf } from "./door/family.ts";
import { ANY_DEPTH, type Candidate, type LinkSpan, type Rejection } from "./links.ts";
import { bandFor, formOf, queryParametersOf } from "./order/priority.ts";
import { requeue } from "./order/requeue.ts";
import type { HostPlace } from "./host_directory.ts";
import type { Round } from "./round.ts";
import type { Shard } from "./shard.ts";

/** How a link was found, as its row will say. */
export interface Finding {
  readonly depth: number;
  readonly hop: number;
  readonly path: string;
  readonly from: string;
  /** By operator, depth and in-links; the URL's own form is the row's business. */
  readonly priority: number;
  /** Overrides the band of `priority`. */
  readonly band?: number;
}

export interface AcceptOptions {
  readonly describe: (index: number) => Finding;
  /** Names outbox rows: the lease, or what else brought the links. */
  readonly sender: string;
  /** The family of the page that brought them, see door/family.ts. */
  readonly family?: number | undefined;
}

export interface Accepted {
  accepted: number;
  /** Of these, URLs outside the family of the page that brought them. */
  outside: number;
  /** Known before, or sent to their shard. */
  known: number;
  /** Of these, those that are on their way to another shard now. */
  forwarded: number;
  /** A URL was refused that would be let in once its host's queue is shorter. */
  isFull: boolean;
  readonly rejected: Rejection[];
}

/** What is known of the content of a URL that nobody has asked for. */
export const NEVER_ASKED = {
  httpCode: 0,
  lastFetchAt: 0,
  visits: 0,
  changes: 0,
  watchedMs: 0,
  lastContentHash: "",
  captureSeq: 0,
  worker: "",
} as const satisfies Partial<UrlRow>;

/** Letters of a discovery path that are kept. */
const PATH_LETTERS = 64;

export function longerPath(path: string, letter: string): string {
  return (path + letter).slice(-PATH_LETTERS);
}

/** Seeds, and what seeds redirected to: exempt from include patterns, and their hosts join the scope. */
export function isSeedPath(path: string): boolean {
  return /^IR*$/.test(path);
}

export function acceptSpan(round: Round, span: LinkSpan, options: AcceptOptions): Accepted {
  return new SpanAcceptor(round, span, options).run();
}

class SpanAcceptor {
  readonly #round: Round;
  readonly #shard: Shard;
  readonly #span: LinkSpan;
  readonly #crawl: Crawl;
  readonly #options: AcceptOptions;
  readonly #result: Accepted;

  constructor(round: Round, span: LinkSpan, options: AcceptOptions) {
    this.#round = round;
    this.#shard = round.shard;
    this.#span = span;
    this.#crawl = span.options.crawl;
    this.#options = options;
    this.#result = {
      accepted: 0,
      outside: 0,
      known: span.seen,
      forwarded: 0,
      isFull: false,
      rejected: [...span.rejections],
    };
  }

  run(): Accepted {
    for (const candidate of this.#span.candidates) {
      const reason = this.#letIn(candidate);
      if (reason !== undefined) this.#result.rejected.push({ index: candidate.index, reason, place: candidate.place });
    }
    this.#shard.linkCounter.count(this.#span);
    this.#count();
    return this.#result;
  }

  #count(): void {
    const { accepted, rejected } = this.#result;
    if (accepted === 0 && rejected.length === 0) return;
    const counts = this.#shard.changeCounts(this.#crawl.id);
    counts.accepted += accepted;
    for (const { reason, place } of rejected) {
      addTo(counts.rejectedByReason, reason);
      if (place !== undefined) this.#rejectOf(place, reason);
    }
  }

  #rejectOf({ slot, host }: HostPlace, reason: string): void {
    const crawlId = this.#crawl.id;
    // Of a slot that is moving the rows stand still: all its hosts together.
    if (this.#shard.marks.has(slot)) return this.#shard.tallies.reject({ slot: 0, crawlId, host: "" }, reason, true);
    const queues = this.#shard.hosts.get(host)?.queues;
    const hasQueue = queues?.some((queue) => queue.crawlId === crawlId) === true;
    this.#shard.tallies.reject({ slot, crawlId, host }, reason, hasQueue);
  }

  /** Why it stays out; undefined when it is in, or was. */
  #letIn(candidate: Candidate): string | undefined {
    const finding = this.#options.describe(candidate.index);
    const outside = this.#widenScope(candidate, finding);
    if (outside !== undefined) return outside;
    switch (candidate.verdict) {
      case "new":
        return this.#new(candidate, finding);
      case "foreign":
        this.#send(candidate, finding);
        return undefined;
      case "shallower":
        this.#keepSmallerDepth(candidate, finding);
    }
    this.#result.known++;
    return undefined;
  }

  /** A seed's host joins the scope; discoveries were shown the door before. */
  #widenScope(candidate: Candidate, finding: Finding): string | undefined {
    if (this.#span.options.isSeedLike?.(candidate.index) !== true) return undefined;
    const { rules } = this.#crawl;
    const url = { href: candidate.url, host: candidate.place.host, domain: candidate.place.domain };
    if (rules.reason(url, finding.depth, true) === "scope" && this.#crawl.addExtra(rules.extraOf(url))) {
      this.#shard.grownCrawls.add(this.#crawl);
    }
    return this.#crawl.rules.reason(url, finding.depth, true);
  }

  #new(candidate: Candidate, finding: Finding): string | undefined {
    const shard = this.#shard;
    const { place, fingerprint } = candidate;
    if (shard.batch.newUrl(this.#crawl.id, fingerprint) !== undefined) {
      this.#keepSmallerDepth(candidate, finding);
      this.#result.known++;
      return undefined;
    }
    const host = shard.hostOf(place);
    const queue = shard.queueOf(host, this.#crawl.id);
    const { limits } = shard.parts.settings;
    const family = familyOf(candidate.url);
    const { now } = this.#round;
    const isSeed = isSeedPath(finding.path);
    const applicant: Applicant = { crawl: this.#crawl, host, queue, family, isSeed, now };
    const refusal = admissionReason(shard, applicant);
    if (refusal === "queue_full") this.#result.isFull = true;
    if (refusal !== undefined) return refusal;
    noteAdmission(shard, applicant);
    const { order = "priority" } = this.#crawl.row.spec;
    const isJudged = order === "priority" && finding.band === undefined && !isSeed;
    const priority = isJudged ? finding.priority * formOf(queryParametersOf(candidate.url)) : finding.priority;
    const row: UrlRow = {
      slot: place.slot,
      crawlId: this.#crawl.id,
      fingerprint,
      url: candidate.url,
      host: place.host,
      domain: place.domain,
      state: "ready",
      band: finding.band ?? bandFor(order, { priority, depth: finding.depth }, limits.bands),
      seq: shard.nextUrlSeq++,
      priority,
      depth: finding.depth,
      hop: finding.hop,
      discoveryPath: finding.path,
      discoveredFrom: finding.from,
      enqueuedAt: this.#round.now,
      availableAt: 0,
      attempts: 0,
      reason: "",
      inLinks: 1,
      ...NEVER_ASKED,
    };
    queue.accepted++;
    shard.batch.addUrl(row);
    shard.enqueueReady(host, row);
    shard.reschedule(host, this.#round.now);
    shard.seen.cache.add(fingerprint, this.#crawl.salt, finding.depth);
    this.#result.accepted++;
    if (family === undefined || family.shape !== this.#options.family) this.#result.outside++;
    return undefined;
  }

  /** Once in a while: what is on its way is remembered, also within this round. */
  #send(candidate: Candidate, finding: Finding): void {
    const { salt, id, row } = this.#crawl;
    const { sent } = this.#shard;
    // What comes back to its sender, as one slot of the row has come here, goes on to the others' shards.
    const isReceived = this.#span.options.page === 0n;
    const sentAt = isReceived ? -1 : sent.depthOfKey(candidate.fingerprint, salt);
    this.#result.known++;
    if (sentAt >= 0 && (row.spec.scope.max_depth === undefined || sentAt <= finding.depth)) return;
    sent.add(candidate.fingerprint, salt, finding.depth);
    this.#result.forwarded++;
    this.#shard.changeCounts(id).sent++;
    const to = { slot: candidate.place.slot, crawlId: id, sender: this.#options.sender };
    this.#shard.batch.addForeign(this.#groupOf(candidate.place), to, {
      url: candidate.url,
      depth: finding.depth,
      hop: finding.hop,
      discovery_path: finding.path,
      discovered_from: finding.from,
      priority: finding.priority,
    });
  }

  /** Links that may go into one outbox row: those of one shard, or of one slot that is moving. */
  #groupOf({ shard, slot }: HostPlace): string {
    return shard === this.#shard.index ? `slot ${slot}` : `shard ${shard}`;
  }

  #keepSmallerDepth(candidate: Candidate, finding: Finding): void {
    const shard = this.#shard;
    const { fingerprint } = candidate;
    const row = shard.batch.changedUrl(this.#crawl.id, fingerprint) ?? candidate.row;
    if (row === undefined || row.depth <= finding.depth) return;
    shard.seen.cache.add(fingerprint, this.#crawl.salt, Math.min(finding.depth, ANY_DEPTH));
    if (row.state !== "ready" && row.state !== "waiting") return;
    const { order = "priority" } = this.#crawl.row.spec;
    const { depth, path: discoveryPath, from: discoveredFrom } = finding;
    const priority = Math.max(row.priority, finding.priority * formOf(queryParametersOf(row.url)));
    const band = Math.min(row.band, bandFor(order, { priority, depth }, shard.parts.settings.limits.bands));
    requeue(this.#round, row, { ...row, depth, discoveryPath, discoveredFrom, priority, band });
  }
}
