/**
 * Settles an answered page: scan, dedup, archive, then the outcome. Runs beside the next request of the lease.
 * Invariant: an outcome with a capture is made only after the archive acknowledged it.
 */

import type { Failed, Fetched, Outcome, Target, Timings } from "../protocol/mod.ts";
import { capture } from "./capture.ts";
import type { LeaseHold } from "./lease_hold.ts";
import { captureName, type FinalAnswer } from "./page_target.ts";
import type { EdgeParts } from "./parts.ts";
import type { Draft, Exchange, FetchFailure } from "./ports.ts";
import type { ResponseVerdict } from "./steps/classify_response.ts";
import { type SitemapLinks, sitemapLinks } from "./sitemap_links.ts";
import { type RobotsTag, robotsTag } from "./steps/robots_tag.ts";
import { scan, type Scanned } from "./steps/scan.ts";

const NO_BYTES = new Uint8Array(0);

export interface ToSettle extends FinalAnswer {
  readonly target: Target;
}

/** An outcome, and what is to be done when the coordinator has it. */
export interface Settled {
  readonly outcome: Outcome;
  readonly acknowledged?: () => void;
}

export async function settlePage(what: ToSettle, hold: LeaseHold, parts: EdgeParts): Promise<Settled> {
  const { answered: { answer }, verdict } = what;
  if (!answer.ok || verdict === undefined) return { outcome: notAnswered(what, answer as FetchFailure, parts) };
  const found = { crawl: hold.lease.crawl, depth: what.target.depth, now: parts.clock.monotonicMs() };
  const scanning = verdict.kind === "final"
    ? scan(parts, answer, { crawl: found.crawl, isKnown: parts.links.test(found) })
    : undefined;
  const scanned = scanning instanceof Promise ? await scanning : scanning;
  const outcome = await outcomeOf(what, { answer, verdict, scanned }, hold, parts);
  return scanned === undefined ? { outcome } : { outcome, acknowledged: () => parts.links.add(found, scanned.hashes) };
}

interface Judged {
  readonly answer: Exchange;
  readonly verdict: ResponseVerdict;
  readonly scanned: Scanned | undefined;
}

async function outcomeOf(what: ToSettle, judged: Judged, hold: LeaseHold, parts: EdgeParts): Promise<Outcome> {
  const { answer, verdict, scanned } = judged;
  const contentHash = parts.digest.sha256Hex(answer.decoded);
  const wishes = wishesOf(judged, hold);
  const facts = await capture(parts, {
    exchange: wishes.noarchive && hold.lease.crawl.noarchive === "obey" ? withoutBody(answer) : answer,
    targetUrl: what.target.url,
    fetchedAt: what.answered.fetchedAt,
    captureName: captureName(hold, what.target, what.hops.length),
    contentHash,
    crawlId: hold.lease.crawl.crawl_id,
    history: what.target.history,
    scanned,
  });
  const base = Object.assign(common(what, answer, parts), { http_code: answer.status, capture: facts });
  switch (verdict.kind) {
    case "redirect":
      return { ...base, status: "redirected", location: verdict.location };
    case "unchanged":
      return { ...base, status: "unchanged" };
    case "failed":
      return { ...base, status: "failed", ...failure(verdict) };
    case "final": {
      const failed = scanned?.facts.failed;
      if (failed !== undefined) {
        return { ...base, status: "failed", failure: "scan_failed", detail: unscanned(what, failed) };
      }
      const novelty = parts.content.judge({
        crawlId: hold.lease.crawl.crawl_id,
        url: what.target.url,
        contentHash,
        length: answer.decoded.length,
      }, what.target.history);
      const links = scanned ?? await listedLinks(what, answer, hold, parts);
      const fetched: Draft<Fetched> = Object.assign(base, {
        status: "fetched" as const,
        outlinks: links?.outlinks ?? [],
      });
      if (links?.outlinkKinds !== undefined) fetched.outlink_kinds = links.outlinkKinds;
      if (links !== undefined && "priorities" in links) addHints(fetched, links);
      if (wishes.noindex) fetched.noindex = true;
      if (wishes.noarchive) fetched.noarchive = true;
      if (wishes.nosnippet) fetched.nosnippet = true;
      if (scanned?.facts.canonical !== undefined) fetched.canonical = scanned.facts.canonical;
      if (novelty.kind === "duplicate") fetched.duplicate_of = novelty.of;
      return fetched;
    }
  }
}

function addHints(fetched: Draft<Fetched>, { priorities, lastmods }: SitemapLinks): void {
  if (priorities.some((one) => one > 0)) fetched.outlink_priorities = priorities;
  if (lastmods.some((one) => one > 0)) fetched.outlink_lastmods = lastmods;
}

/** What isn't HTML may be a sitemap or a feed. */
async function listedLinks(what: ToSettle, answer: Exchange, hold: LeaseHold, parts: EdgeParts) {
  const isAsked = hold.lease.crawl.sitemaps && answer.status >= 200 && answer.status < 300;
  if (!isAsked) return undefined;
  try {
    return await sitemapLinks(answer, what.target, parts);
  } catch (error) {
    // A file that no reader is made for must not look like trouble of this machine's: the crawl would stand still.
    parts.log.error("reading a sitemap failed; this is a bug", { url: answer.url, error: String(error) });
    return undefined;
  }
}

/** What the page asks for, by its header or its meta elements. */
function wishesOf({ answer, scanned }: Judged, hold: LeaseHold): Omit<RobotsTag, "nofollow"> {
  const { noindex, noarchive, nosnippet } = robotsTag(answer.headers, hold.lease.crawl.product_token);
  const facts = scanned?.facts;
  return {
    noindex: noindex || facts?.noindex === true,
    noarchive: noarchive || facts?.noarchive === true,
    nosnippet: nosnippet || facts?.nosnippet === true,
  };
}

/** What is kept of a page that mustn't be: its head, and that the rest is missing. */
function withoutBody(answer: Exchange): Exchange {
  return { ...answer, body: NO_BYTES, truncated: "unspecified" };
}

function failure(
  verdict: Extract<ResponseVerdict, { kind: "failed" }>,
): Pick<Failed, "failure" | "detail" | "retry_after_ms"> {
  return {
    failure: verdict.failure,
    detail: verdict.detail,
    ...(verdict.retryAfterMs === undefined ? {} : { retry_after_ms: verdict.retryAfterMs }),
  };
}

function unscanned({ target }: ToSettle, failed: string): string {
  return `Scanning ${target.url} failed: ${failed}; facts within the budget of a page were wanted. It is archived.`;
}

function notAnswered(what: ToSettle, answer: FetchFailure, parts: EdgeParts): Outcome {
  return { ...common(what, answer, parts), status: "failed", failure: answer.failure, detail: answer.detail };
}

function common(what: ToSettle, answer: Exchange | FetchFailure, parts: EdgeParts) {
  const built: Draft<Pick<Outcome, "target_id" | "requests" | "hops">> & { readonly timings: Timings } = {
    target_id: what.target.target_id,
    requests: what.requests,
    timings: timingsOf(answer, parts),
  };
  if (what.hops.length > 0) built.hops = what.hops;
  return built;
}

export function timingsOf(answer: Exchange | FetchFailure, parts: EdgeParts): Timings {
  const { startedAt, connectMs, tcpMs, firstByteMs, totalMs } = answer.timings;
  const timings: Draft<Timings> = {
    started_ago_ms: Math.max(0, parts.clock.monotonicMs() - startedAt),
    total_ms: totalMs,
  };
  if (connectMs !== undefined) timings.connect_ms = connectMs;
  if (tcpMs !== undefined) timings.tcp_ms = tcpMs;
  if (firstByteMs !== undefined) timings.first_byte_ms = firstByteMs;
  return timings;
}
