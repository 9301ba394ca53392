/**
 * A page target from admission to its final answer: robots first, then one request, and redirects to the same key, or
 * after a cookie was set, inside the lease. Settling what was answered is page_outcome.ts.
 */

import type { Hop, Outcome, Target } from "../protocol/mod.ts";
import { hostKeyOf, LIMITS } from "../protocol/mod.ts";
import { captureHop } from "./capture.ts";
import { type Answered, ask, requestsOf } from "./exchange.ts";
import type { LeaseHold } from "./lease_hold.ts";
import type { LeaseRobots } from "./lease_robots.ts";
import type { EdgeParts } from "./parts.ts";
import type { Exchange, FetchFailure } from "./ports.ts";
import { classifyResponse, type ResponseVerdict } from "./steps/classify_response.ts";

export interface FinalAnswer {
  readonly answered: Answered;
  /** What the response means; absent when there was none. */
  readonly verdict?: ResponseVerdict;
  readonly requests: number;
  readonly hops: readonly Hop[];
}

/** What a target came to: a verdict without an answer, or an answer that is to be settled. */
export type PageAnswer =
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  | ({ readonly kind: "answer" } & FinalAnswer)
  /** The lease ended before the target was asked for: it goes back untouched. */
  | { readonly kind: "untouched" };

export async function crawlPage(
  target: Target,
  hold: LeaseHold,
  robots: LeaseRobots,
  parts: EdgeParts,
): Promise<PageAnswer> {
  let url = target.url;
  const hops: Hop[] = [];
  let requests = 0;
  /** A redirect on the way set cookies: what comes of them shows within this lease only. */
  let dances = false;
  for (;;) {
    const refused = await robots.refusal(url, target.target_id, requests);
    if (refused) return { kind: "outcome", outcome: { ...refused, hops } };
    const answered = await ask(hold, parts, { url, target, isHop: hops.length > 0 });
    if (!answered) return hops.length === 0 ? { kind: "untouched" } : interrupted(target, { requests, hops });
    const { answer } = answered;
    requests += requestsOf(answered);
    const reason = putOffReason(answer);
    if (reason !== undefined) {
      hold.endEarly();
      return putOff(target, { requests, hops }, reason);
    }
    if (!answer.ok) return { kind: "answer", answered, requests, hops };
    if (answer.stopped !== undefined) return unwanted(target, answer, answer.stopped, { requests, hops });
    const verdict = classifyResponse(answer, parts);
    dances ||= answered.hasNewCookies === true;
    const next = sameKeyRedirect(verdict, target, parts) ??
      (dances ? sameHostRedirect(verdict, hold, parts) : undefined);
    if (next === undefined) return { kind: "answer", answered, verdict, requests, hops };
    const how = { location: next, undurable: hold.undurable };
    hops.push(await captureHop(parts, toCapture(answered, target, hold, hops), how));
    const isLoop = hops.some((hop) => hop.url === next) && !dances;
    if (isLoop || hops.length > LIMITS.redirectHops) return loops(target, { requests, hops }, next);
    url = next;
  }
}

/** Why nothing was sent, when that is no fault of the host's. */
export function putOffReason(answer: Exchange | FetchFailure): string | undefined {
  return !answer.ok && answer.failure === "aborted" && !answer.sent ? answer.detail : undefined;
}

/** What a target cost so far. */
type Spent = Pick<FinalAnswer, "requests" | "hops">;

function putOff({ target_id }: Target, spent: Spent, reason: string): PageAnswer {
  return { kind: "outcome", outcome: { target_id, status: "deferred", reason, ...spent } };
}

function toCapture(answered: Answered, target: Target, hold: LeaseHold, hops: readonly Hop[]) {
  return {
    exchange: answered.answer as Exchange,
    targetUrl: target.url,
    fetchedAt: answered.fetchedAt,
    captureName: captureName(hold, target, hops.length),
    crawlId: hold.lease.crawl.crawl_id,
  };
}

function interrupted(target: Target, spent: Spent): PageAnswer {
  return putOff(target, spent, "the lease ended between two redirects");
}

/** The href of a redirect's target when it has the key of the page itself. */
function sameKeyRedirect(verdict: ResponseVerdict, target: Target, parts: EdgeParts): string | undefined {
  if (verdict.kind !== "redirect" || target.key === undefined) return undefined;
  const facts = parts.core.url(verdict.location);
  if ("error" in facts || facts.key !== target.key) return undefined;
  return facts.url.split("#", 1)[0]!;
}

/** With cookies that a redirect set, another URL of the same host is asked for at once: a later lease wouldn't have them. */
function sameHostRedirect(verdict: ResponseVerdict, hold: LeaseHold, parts: EdgeParts): string | undefined {
  if (verdict.kind !== "redirect") return undefined;
  const facts = parts.core.url(verdict.location);
  if ("error" in facts || hostKeyOf(facts.host) !== hold.lease.host) return undefined;
  return facts.url.split("#", 1)[0]!;
}

function unwanted({ target_id }: Target, { status }: Exchange, reason: string, spent: Spent): PageAnswer {
  return { kind: "outcome", outcome: { target_id, status: "excluded", http_code: status, reason, ...spent } };
}

function loops({ target_id, url }: Target, spent: Spent, next: string): PageAnswer {
  const { hops } = spent;
  const detail =
    `Followed redirects of ${url}, came to ${next} after ${hops.length} requests; a page within ${LIMITS.redirectHops} hops was wanted.`;
  const http_code = hops.at(-1)!.http_code;
  const outcome = {
    target_id,
    status: "failed",
    failure: "redirect_loop",
    detail,
    http_code,
    ...spent,
  } as const;
  return { kind: "outcome", outcome };
}

/** The same capture reported twice has the same name, and so the same WARC-Record-ID. */
export function captureName(hold: LeaseHold, target: Target, hop: number): string {
  const { lease_id, epoch } = hold.lease;
  return `${lease_id}/${epoch}/${target.target_id}/${hop}`;
}
