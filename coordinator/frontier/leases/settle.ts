/**
 * What the outcome of a page target does to its URL, its host and the counters.
 * Invariant: a target is settled at most once per lease; a settled URL is counted once, in the commit that changes it.
 */

import {
  type CaptureFacts,
  type CaptureRow,
  type Excluded,
  type Failed,
  type FailureClass,
  FAILURES,
  type Fetched,
  type Hop,
  type Outcome,
  type Redirected,
  type TargetKind,
  type Unchanged,
} from "../../../protocol/mod.ts";
import type { Batch, UrlRow } from "../../ports.ts";
import { captureProblem } from "./capture_check.ts";
import { afterVisit } from "../order/change_rate.ts";
import { addTo, type Counts } from "../counters.ts";
import type { LeaseState } from "../host_state.ts";
import { clamp, noteFailure, noteResponseTime, noteSuccess, retryAfter, urlRetryMs } from "../clocks/politeness.ts";
import type { Round } from "../round.ts";
import { isSitemapRow } from "../robots/sitemaps.ts";
import { isPageCode } from "../crawls/recrawl.ts";

/** Letters of a reason that are kept. */
const REASON_CHARS = 512;

/** Settles page targets of one lease. */
export class PageSettler {
  readonly #round: Round;
  readonly #lease: LeaseState;
  readonly #counts: Counts;

  constructor(round: Round, lease: LeaseState) {
    this.#round = round;
    this.#lease = lease;
    this.#counts = round.shard.changeCounts(lease.crawlId);
  }

  /** True when the outcome's discoveries count: it was believed, and it is the first for its target. */
  settle(outcome: Outcome, row: UrlRow): boolean {
    switch (outcome.status) {
      case "fetched":
        return this.#responded(outcome, row, "fetched");
      case "redirected":
        return this.#responded(outcome, row, "redirected");
      case "unchanged":
        return this.#responded(outcome, row, "fetched");
      case "failed":
        this.#failed(outcome, row);
        return false;
      case "excluded":
        this.#excluded(outcome, row);
        return false;
      case "deferred":
        addHops(this.#round, { outcome, row, lease: this.#lease });
        this.#deferred(row);
        return false;
      case "robots":
        return false;
    }
  }

  #responded(outcome: Fetched | Redirected | Unchanged, row: UrlRow, counter: "fetched" | "redirected"): boolean {
    const { parts } = this.#round.shard;
    const isPage = outcome.status === "fetched";
    const isContent = outcome.status !== "redirected";
    const problem = isPage || outcome.capture !== undefined
      ? captureProblem(outcome.capture, this.#lease.workerId, parts.settings)
      : undefined;
    if (problem !== undefined) {
      this.#failed({ ...bare(outcome), status: "failed", failure: "protocol", detail: problem }, row);
      return false;
    }
    const { host } = this.#lease;
    noteSuccess(host, parts.settings.limits);
    noteResponseTime(host, outcome.timings?.total_ms, parts.settings.limits);
    const httpCode = outcome.http_code ?? (outcome.status === "unchanged" ? 304 : 0);
    const visited = this.#visited(outcome, row);
    this.#finish(visited, { state: "done", reason: "", httpCode });
    if (isContent && isSitemapRow(row)) this.#counts.sitemaps++;
    else this.#counts[counter]++;
    if (isContent && isPageCode(httpCode) && !isSitemapRow(row)) this.#countPage();
    if (isPage && httpCode >= 400) addTo(this.#counts.errorsByClass, `http_${Math.floor(httpCode / 100)}xx`);
    addHops(this.#round, { outcome, row, lease: this.#lease });
    if (outcome.capture !== undefined) addCapture(this.#round, { outcome, capture: outcome.capture, row });
    return true;
  }

  /** The row after an answer with content: its own, or the one that still holds. */
  #visited(outcome: Fetched | Redirected | Unchanged, row: UrlRow): UrlRow {
    const { now, shard } = this.#round;
    if (outcome.status === "redirected") return { ...row, captureSeq: 0 };
    const hash = outcome.status === "unchanged" ? row.lastContentHash : outcome.capture.content_hash;
    const after = afterVisit(row, hash, now);
    shard.sitemapTrust.visited(row, after.changes > row.changes);
    if (outcome.status === "unchanged") return { ...row, ...after };
    return {
      ...row,
      ...after,
      // The number that its capture is given below, after those of the redirects on the way.
      captureSeq: shard.nextCaptureSeq + believedHops(this.#round, outcome, this.#lease).length,
    };
  }

  #countPage(): void {
    const { shard } = this.#round;
    this.#counts.pages++;
    const crawl = shard.parts.crawls.get(this.#lease.crawlId);
    if (crawl !== undefined) crawl.pages[shard.index]!++;
  }

  #failed(outcome: Failed, row: UrlRow): void {
    const { shard, now } = this.#round;
    const { limits } = shard.parts.settings;
    const name: FailureClass = Object.hasOwn(FAILURES, outcome.failure) ? outcome.failure : "protocol";
    if (name === "aborted" && !(outcome.requests > 0)) return this.#deferred(row);
    const retryAfterMs = retryAfter(outcome.retry_after_ms, limits);
    noteFailure(this.#lease.host, { class: name, retryAfterMs }, { now, limits });
    addTo(this.#counts.errorsByClass, name);
    const { capture } = outcome;
    addHops(this.#round, { outcome, row, lease: this.#lease });
    if (capture !== undefined && captureProblem(capture, this.#lease.workerId, shard.parts.settings) === undefined) {
      addCapture(this.#round, { outcome, capture, row });
    }
    const reason = `${name}${outcome.detail === undefined ? "" : `: ${outcome.detail}`}`.slice(0, REASON_CHARS);
    const httpCode = outcome.http_code ?? 0;
    const attempts = row.attempts + 1;
    if (!FAILURES[name].retry || attempts >= limits.attempts) {
      this.#finish(row, { state: "dead", reason, httpCode });
      this.#counts.dead++;
      return;
    }
    const availableAt = now + urlRetryMs(attempts, retryAfterMs, limits);
    this.#forget(row);
    const worker = this.#lease.workerId;
    shard.batch.changeUrl({
      ...row,
      worker,
      state: "waiting",
      availableAt,
      attempts,
      reason,
      httpCode,
      lastFetchAt: now,
    });
    shard.queueOf(this.#lease.host, row.crawlId).addWaiting(availableAt);
  }

  #excluded(outcome: Excluded, row: UrlRow): void {
    addHops(this.#round, { outcome, row, lease: this.#lease });
    const httpCode = outcome.http_code ?? 0;
    this.#finish(row, { state: "excluded", reason: outcome.reason.slice(0, REASON_CHARS), httpCode });
    this.#counts.excluded++;
  }

  #deferred(row: UrlRow): void {
    this.#forget(row);
    this.#lease.hasDeferred = true;
    this.#round.shard.enqueueReady(this.#lease.host, row);
  }

  #finish(row: UrlRow, end: Pick<UrlRow, "state" | "reason" | "httpCode">): void {
    this.#forget(row);
    const { now, shard } = this.#round;
    const wasAsked = end.state !== "excluded" || end.httpCode > 0;
    const attempts = row.attempts + (wasAsked ? 1 : 0);
    const lastFetchAt = wasAsked ? now : row.lastFetchAt;
    const { state, reason, httpCode } = end;
    const worker = this.#lease.workerId;
    shard.batch.changeUrl({ ...row, worker, state, reason, httpCode, availableAt: 0, attempts, lastFetchAt });
    this.#counts.settled++;
  }

  #forget(row: UrlRow): void {
    this.#lease.pages.delete(row.fingerprint);
    this.#round.shard.addLeasedPages(this.#lease.crawlId, -1);
  }
}

function bare(outcome: Outcome): Pick<Outcome, "target_id" | "requests"> {
  return { target_id: outcome.target_id, requests: outcome.requests };
}

type BatchCapture = Batch["captures"][number];
type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
type CapturedRow = Pick<UrlRow, "slot" | "fingerprint" | "crawlId" | "url" | "depth" | "discoveredFrom"> & {
  readonly discoveryPath?: string;
};

function believedHops(round: Round, { hops = [] }: Outcome, { workerId }: LeaseState): readonly Hop[] {
  return hops.filter(({ capture }) => captureProblem(capture, workerId, round.shard.parts.settings) === undefined);
}

/** Redirects that were followed on the way are captures of their own, each at the URL that was asked for. */
export function addHops(
  round: Round,
  what: { readonly outcome: Outcome; readonly row: CapturedRow; readonly lease: LeaseState },
): void {
  const { outcome, row, lease } = what;
  for (const { url, http_code, location, capture } of believedHops(round, outcome, lease)) {
    const { target_id } = outcome;
    const hop: Redirected = { target_id, status: "redirected", http_code, location, requests: 1 };
    addCapture(round, { outcome: hop, capture: { ...capture, url }, row, kind: kindOf(outcome, row) });
  }
}

function kindOf(outcome: Outcome, { discoveryPath = "" }: Pick<CapturedRow, "discoveryPath">): TargetKind {
  if (outcome.status === "robots") return "robots";
  return isSitemapRow({ discoveryPath }) ? "sitemap" : "page";
}

function roleOf({ status }: Outcome): CaptureRow["role"] {
  if (status === "redirected") return "redirect";
  return status === "failed" ? "failure" : "answer";
}

/** Puts a believed capture into the batch. */
export function addCapture(
  round: Round,
  what: {
    readonly outcome: Outcome;
    readonly capture: CaptureFacts;
    readonly row: CapturedRow;
    readonly kind?: TargetKind;
  },
): void {
  const { outcome, capture, row } = what;
  const { shard } = round;
  const { limits } = shard.parts.settings;
  shard.changeCounts(row.crawlId).bytes += clamp(capture.wire_length, {
    least: 0,
    most: 2 * limits.wireBytes,
    otherwise: 0,
  });
  const kept: Writable<BatchCapture> = {
    seq: shard.nextCaptureSeq++,
    crawl_id: row.crawlId,
    url: capture.url ?? row.url,
    kind: what.kind ?? kindOf(outcome, row),
    role: roleOf(outcome),
    http_code: outcome.http_code ?? 0,
    depth: row.depth,
    discovered_from: row.discoveredFrom,
    fetched_at: capture.fetched_at,
    record: capture.record,
    content_hash: capture.content_hash,
    payload_digest: capture.payload_digest,
    length: capture.length,
    content_type: capture.content_type,
    slot: row.slot,
    fingerprint: row.fingerprint,
  };
  // One by one: spreading a condition each made this the dearest step of settling.
  if (capture.simhash !== undefined) kept.simhash = capture.simhash;
  if (capture.title !== undefined) kept.title = capture.title;
  if (capture.truncated !== undefined) kept.truncated = capture.truncated;
  if (capture.refers_to !== undefined) kept.refers_to = capture.refers_to;
  if (outcome.status === "redirected") kept.location = outcome.location;
  if (capture.text_hash !== undefined) kept.textHash = capture.text_hash;
  if (capture.etag !== undefined) kept.etag = capture.etag;
  if (capture.last_modified !== undefined) kept.lastModified = capture.last_modified;
  if (outcome.status === "fetched") {
    if (outcome.noindex === true) kept.noindex = true;
    const robots = wishesOf(outcome);
    if (robots !== "") kept.robots = robots;
  }
  if (outcome.status === "fetched" && outcome.canonical !== undefined) kept.canonical = outcome.canonical;
  shard.batch.addCapture(kept);
}

/** Names of what the page asks for, by commas; most pages ask for nothing. */
function wishesOf({ noindex, noarchive, nosnippet }: Fetched): string {
  if (!noindex && !noarchive && !nosnippet) return "";
  return [noindex && "noindex", noarchive && "noarchive", nosnippet && "nosnippet"].filter(Boolean).join(",");
}
