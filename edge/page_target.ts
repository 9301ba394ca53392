/**
 * A page target from admission to its final answer: robots first, then one request, and redirects to the same key
 * inside the lease. Settling what was answered is page_outcome.ts.
 */

import type { Outcome, Target } from "../protocol/mod.ts";
import { LIMITS } from "../protocol/mod.ts";
import { capture } from "./capture.ts";
import { type Answered, ask } from "./exchange.ts";
import type { LeaseHold } from "./lease_hold.ts";
import type { LeaseRobots } from "./lease_robots.ts";
import type { EdgeParts } from "./parts.ts";
import type { Exchange } from "./ports.ts";
import { classifyResponse } from "./steps/classify_response.ts";

/** What a target came to: a verdict without an answer, or an answer that is to be settled. */
export type PageAnswer =
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  | { readonly kind: "answer"; readonly answered: Answered; readonly requests: number; readonly hop: number }
  /** The lease ended before the target was asked for: it goes back untouched. */
  | { readonly kind: "untouched" };

export async function crawlPage(
  target: Target,
  hold: LeaseHold,
  robots: LeaseRobots,
  parts: EdgeParts,
): Promise<PageAnswer> {
  let url = target.url;
  let requests = 0;
  const visited = new Set<string>();
  for (let hop = 0;; hop++) {
    const refused = await robots.refusal(url, target.target_id, requests);
    if (refused) return { kind: "outcome", outcome: refused };
    const answered = await ask(hold, parts, url, target);
    if (!answered) {
      return requests === 0 ? { kind: "untouched" } : { kind: "outcome", outcome: interrupted(target, requests) };
    }
    if (!answered.answer.ok) {
      requests += answered.answer.sent ? 1 : 0;
      return { kind: "answer", answered, requests, hop };
    }
    requests++;
    const next = sameKeyRedirect(answered.answer, target, parts);
    if (next === undefined) return { kind: "answer", answered, requests, hop };
    visited.add(url);
    if (visited.has(next) || hop >= LIMITS.redirectHops) {
      return { kind: "outcome", outcome: await loops({ target, hold, parts, answered, requests, hop, next }) };
    }
    await parts.archive.append({
      exchange: answered.answer,
      fetchedAt: answered.fetchedAt,
      captureName: captureName(hold, target, hop),
    });
    url = next;
  }
}

function interrupted(target: Target, requests: number): Outcome {
  return { target_id: target.target_id, status: "deferred", reason: "the lease ended between two redirects", requests };
}

/** The href of a redirect's target when it has the key of the page itself. */
function sameKeyRedirect(exchange: Exchange, target: Target, parts: EdgeParts): string | undefined {
  const verdict = classifyResponse(exchange, parts);
  if (verdict.kind !== "redirect" || target.key === undefined) return undefined;
  const facts = parts.core.url(verdict.location);
  if ("error" in facts || facts.key !== target.key) return undefined;
  return facts.url.split("#", 1)[0]!;
}

interface Loop {
  readonly target: Target;
  readonly hold: LeaseHold;
  readonly parts: EdgeParts;
  readonly answered: Answered;
  readonly requests: number;
  readonly hop: number;
  readonly next: string;
}

async function loops({ target, hold, parts, answered, requests, hop, next }: Loop): Promise<Outcome> {
  const exchange = answered.answer as Exchange;
  const contentHash = parts.digest.sha256Hex(exchange.decoded);
  return {
    target_id: target.target_id,
    status: "failed",
    failure: "redirect_loop",
    detail:
      `Followed redirects of ${target.url}, came back to ${next} after ${requests} requests; a page or at most ${LIMITS.redirectHops} hops was wanted.`,
    http_code: exchange.status,
    requests,
    capture: await capture(parts, {
      exchange,
      fetchedAt: answered.fetchedAt,
      captureName: captureName(hold, target, hop),
      contentHash,
    }),
  };
}

/** The same capture reported twice has the same name, and so the same WARC-Record-ID. */
export function captureName(hold: LeaseHold, target: Target, hop: number): string {
  const { lease_id, epoch } = hold.lease;
  return `${lease_id}/${epoch}/${target.target_id}/${hop}`;
}
