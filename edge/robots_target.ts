/**
 * A robots target: fetches an origin's robots.txt, follows up to five redirects (RFC 9309 2.3.1.2), and gives the class
 * of the answer. Invariants: the rules bind the origin that was asked for, wherever the redirects led; every hop keeps
 * the pace of the host it goes to, by the lease or by a permit.
 */

import type { FailureClass, Hop, RobotsFetched, Target } from "../protocol/mod.ts";
import { hostOfHref, LIMITS, originOf } from "../protocol/mod.ts";
import { captureHop, captureSoon } from "./capture.ts";
import { type Answered, requestsOf } from "./exchange.ts";
import type { LeaseHold } from "./lease_hold.ts";
import type { LeaseRobots } from "./lease_robots.ts";
import { timingsOf } from "./page_outcome.ts";
import { captureName, putOffReason } from "./page_target.ts";
import type { EdgeParts } from "./parts.ts";
import type { Exchange } from "./ports.ts";
import { askHop } from "./robots_hop.ts";
import { decodeRobotsBody, robotsClass } from "./robots/mod.ts";
import { classifyResponse } from "./steps/classify_response.ts";

/** The outcome, or undefined when the lease ended before an answer: the target goes back untouched. */
export async function crawlRobots(
  target: Target,
  hold: LeaseHold,
  robots: LeaseRobots,
  parts: EdgeParts,
): Promise<RobotsFetched | undefined> {
  const origin = originOf(target.url);
  let url = target.url;
  let requests = 0;
  const hops: Hop[] = [];
  for (;;) {
    const answered = await askHop(hold, parts, { url, target, isHop: hops.length > 0 });
    if (!answered) return undefined;
    if (answered === "refused") return refused(target, origin, robots, { requests, hops });
    const { answer } = answered;
    requests += requestsOf(answered);
    if (putOffReason(answer) !== undefined) {
      hold.endEarly();
      // Begun anew at once, the hosts that redirect here would be asked again and again.
      return hops.length === 0 ? undefined : refused(target, origin, robots, { requests, hops });
    }
    const isOurs = parts.health.judge(hostOfHref(url), answer);
    if (isOurs !== false && await isOurs) {
      // Whatever was asked for on the way is asked for again: the origin gains no wait by it.
      hold.endEarly();
      hold.pace.forgetAnswer();
      return undefined;
    }
    const verdict = answer.ok ? classifyResponse(answer, parts) : undefined;
    if (answer.ok && verdict?.kind === "redirect" && hops.length < LIMITS.robotsRedirectHops) {
      const { location } = verdict;
      hops.push(
        await captureHop(
          parts,
          { ...place(target, hold, hops), exchange: answer, fetchedAt: answered.fetchedAt },
          { location, undurable: hold.undurable },
        ),
      );
      url = location.split("#", 1)[0]!;
      continue;
    }
    const failed: FailureClass | undefined = !answer.ok
      ? answer.failure
      : verdict?.kind === "failed"
      ? verdict.failure
      : undefined;
    const retryAfterMs = verdict?.kind === "failed" ? verdict.retryAfterMs : undefined;
    if (failed !== undefined) hold.failed(failed, retryAfterMs);
    return await settle({ target, origin, hold, robots, parts, answered, requests, hops, failed, retryAfterMs });
  }
}

/** What its file says can't be known by this program: nothing of the origin is asked for before it is read anew. */
export function unreadable(target: Target, robots: LeaseRobots): RobotsFetched {
  return refused(target, originOf(target.url), robots, { requests: 1, hops: [] });
}

/** Another host that has to be asked can't be now: the question stays open, as with any redirect that isn't followed. */
function refused(
  { target_id }: Target,
  origin: string,
  robots: LeaseRobots,
  so: { readonly requests: number; readonly hops: readonly Hop[] },
): RobotsFetched {
  robots.learned(origin, { class: "unreachable" });
  return { target_id, status: "robots", origin, class: "unreachable", failure: "aborted", ...so };
}

function place(target: Target, hold: LeaseHold, hops: readonly Hop[]) {
  return {
    targetUrl: target.url,
    captureName: captureName(hold, target, hops.length),
    crawlId: hold.lease.crawl.crawl_id,
  };
}

interface Settle {
  readonly target: Target;
  readonly origin: string;
  readonly hold: LeaseHold;
  readonly robots: LeaseRobots;
  readonly parts: EdgeParts;
  readonly answered: Answered;
  readonly requests: number;
  readonly hops: readonly Hop[];
  readonly failed: FailureClass | undefined;
  readonly retryAfterMs: number | undefined;
}

async function settle(what: Settle): Promise<RobotsFetched> {
  const { answer } = what.answered;
  const base = {
    target_id: what.target.target_id,
    status: "robots",
    origin: what.origin,
    requests: what.requests,
    timings: timingsOf(answer, what.parts),
    ...(what.hops.length === 0 ? {} : { hops: what.hops }),
    ...(what.failed === undefined ? {} : { failure: what.failed }),
    ...(what.retryAfterMs === undefined ? {} : { retry_after_ms: what.retryAfterMs }),
  } as const;
  if (!answer.ok) {
    what.robots.learned(what.origin, { class: "unreachable" });
    return { ...base, class: "unreachable" };
  }
  const contentHash = what.parts.digest.sha256Hex(answer.decoded);
  // The rules count from now on; the outcome waits until they are durable.
  const { facts, durable } = await captureSoon(what.parts, {
    ...place(what.target, what.hold, what.hops),
    exchange: answer,
    fetchedAt: what.answered.fetchedAt,
    contentHash,
  });
  what.hold.undurable.add(durable);
  const answeredBase = { ...base, http_code: answer.status, capture: facts };
  const kind = robotsClass(answer.status) === "rules" && !isReadable(answer)
    ? "unreachable"
    : robotsClass(answer.status);
  if (kind !== "rules") {
    what.robots.learned(what.origin, { class: kind });
    return { ...answeredBase, class: kind };
  }
  return { ...answeredBase, class: "rules", ...learnRules(what, answer.decoded) };
}

/**
 * A body that broke off, is a part (206, which nobody asked for), or couldn't be decoded, may lack the rule that forbids. What is longer than what is read is
 * enough (RFC 9309 2.5), and so is plain text under a Content-Encoding that it hasn't got.
 */
function isReadable({ status, truncated, decodeProblem, decoded, body }: Exchange): boolean {
  if (status === 206) return false;
  if (decoded.length >= LIMITS.robotsBytes) return true;
  if (truncated !== undefined) return false;
  return decodeProblem === undefined || (decoded === body && !decoded.some(isControl));
}

const isControl = (byte: number) => byte < 9 || (byte > 13 && byte < 32);

function learnRules(
  what: Settle,
  bytes: Uint8Array,
): Pick<RobotsFetched, "body" | "digest" | "crawl_delay_ms" | "sitemaps"> {
  const body = decodeRobotsBody(bytes);
  const digest = what.parts.digest.sha256Hex(new TextEncoder().encode(body));
  const rules = what.parts.rules.put(digest, what.hold.lease.crawl.product_token, body);
  what.robots.learned(what.origin, { class: "rules", rules });
  const delayMs = rules.crawlDelayMs;
  if (delayMs !== undefined && what.hold.lease.crawl.polite) {
    if (delayMs > LIMITS.crawlDelayMaxMs) what.hold.endEarly();
    else what.hold.pace.atLeast(delayMs);
  }
  return { body, digest, sitemaps: rules.sitemaps, ...(delayMs === undefined ? {} : { crawl_delay_ms: delayMs }) };
}
