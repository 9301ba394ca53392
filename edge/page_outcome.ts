/**
 * Settles an answered page: scan, dedup, archive, then the outcome. Runs beside the next request of the lease.
 * Invariant: an outcome with a capture is made only after the archive acknowledged it.
 */

import type { Failed, Hop, Outcome, Target, Timings } from "../protocol/mod.ts";
import { capture } from "./capture.ts";
import type { Answered } from "./exchange.ts";
import type { LeaseHold } from "./lease_hold.ts";
import { captureName } from "./page_target.ts";
import type { EdgeParts } from "./parts.ts";
import type { Exchange, FetchFailure } from "./ports.ts";
import type { ResponseVerdict } from "./steps/classify_response.ts";
import { robotsTag } from "./steps/robots_tag.ts";
import { scan, type Scanned } from "./steps/scan.ts";

export interface ToSettle {
  readonly target: Target;
  readonly answered: Answered;
  readonly requests: number;
  readonly hops: readonly Hop[];
}

/** An outcome, and what is to be done when the coordinator has it. */
export interface Settled {
  readonly outcome: Outcome;
  readonly acknowledged?: () => void;
}

export async function settlePage(
  what: ToSettle,
  verdict: ResponseVerdict | undefined,
  hold: LeaseHold,
  parts: EdgeParts,
): Promise<Settled> {
  const { answer } = what.answered;
  if (!answer.ok || verdict === undefined) return { outcome: notAnswered(what, answer as FetchFailure, parts) };
  const found = { crawl: hold.lease.crawl, depth: what.target.depth, now: parts.clock.monotonicMs() };
  const scanned = verdict.kind === "final"
    ? scan(parts.core, answer, { crawl: found.crawl, isKnown: parts.links.test(found) })
    : undefined;
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
  const facts = await capture(parts, {
    exchange: answer,
    targetUrl: what.target.url,
    fetchedAt: what.answered.fetchedAt,
    captureName: captureName(hold, what.target, what.hops.length),
    contentHash,
    facts: scanned?.facts,
  });
  const base = { ...common(what, answer, parts), http_code: answer.status, capture: facts };
  switch (verdict.kind) {
    case "redirect":
      return { ...base, status: "redirected", location: verdict.location };
    case "unchanged":
      return { ...base, status: "unchanged" };
    case "failed":
      return { ...base, status: "failed", ...failure(verdict) };
    case "final": {
      const novelty = parts.content.judge({
        crawlId: hold.lease.crawl.crawl_id,
        url: what.target.url,
        contentHash,
        length: answer.decoded.length,
      }, what.target.history);
      return {
        ...base,
        status: "fetched",
        outlinks: scanned?.outlinks ?? [],
        ...(scanned?.outlinkKinds === undefined ? {} : { outlink_kinds: scanned.outlinkKinds }),
        ...(scanned?.facts.noindex || forbidsIndex(answer, hold) ? { noindex: true } : {}),
        ...(scanned?.facts.canonical === undefined ? {} : { canonical: scanned.facts.canonical }),
        ...(novelty.kind === "duplicate" ? { duplicate_of: novelty.of } : {}),
      };
    }
  }
}

function forbidsIndex({ headers }: Exchange, hold: LeaseHold): boolean {
  return robotsTag(headers, hold.lease.crawl.product_token).noindex;
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

function notAnswered(what: ToSettle, answer: FetchFailure, parts: EdgeParts): Outcome {
  return { ...common(what, answer, parts), status: "failed", failure: answer.failure, detail: answer.detail };
}

function common(what: ToSettle, answer: Exchange | FetchFailure, parts: EdgeParts) {
  return {
    target_id: what.target.target_id,
    requests: what.requests,
    timings: timingsOf(answer, parts),
    ...(what.hops.length === 0 ? {} : { hops: what.hops }),
  };
}

export function timingsOf(answer: Exchange | FetchFailure, parts: EdgeParts): Timings {
  const { startedAt, connectMs, firstByteMs, totalMs } = answer.timings;
  return {
    started_ago_ms: Math.max(0, parts.clock.monotonicMs() - startedAt),
    total_ms: totalMs,
    ...(connectMs === undefined ? {} : { connect_ms: connectMs }),
    ...(firstByteMs === undefined ? {} : { first_byte_ms: firstByteMs }),
  };
}
