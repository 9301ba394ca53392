/**
 * A robots target: fetches an origin's robots.txt, follows up to five redirects (RFC 9309 2.3.1.2), and gives the class
 * of the answer. Invariants: the rules bind the origin that was asked for, wherever the redirects led; every hop keeps
 * the pace of the host it goes to, by the lease or by a permit.
 */

import type { FailureClass, Hop, RobotsFetched, Target } from "../protocol/mod.ts";
import { LIMITS } from "../protocol/mod.ts";
import { capture, captureHop } from "./capture.ts";
import { type Answered, ask, send } from "./exchange.ts";
import type { LeaseHold } from "./lease_hold.ts";
import { type LeaseRobots, originOf } from "./lease_robots.ts";
import { timingsOf } from "./page_outcome.ts";
import { captureName } from "./page_target.ts";
import type { EdgeParts } from "./parts.ts";
import { decodeRobotsBody, robotsClass } from "./robots/mod.ts";
import { classifyResponse } from "./steps/classify_response.ts";

/** How long a hop waits for another host's permit before the target is handed back. */
const PERMIT_PATIENCE_MS = 10_000;

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
    const answered = await askHop(hold, parts, url, target);
    if (!answered) return undefined;
    const { answer } = answered;
    requests += !answer.ok && !answer.sent ? 0 : 1;
    const verdict = answer.ok ? classifyResponse(answer, parts) : undefined;
    if (answer.ok && verdict?.kind === "redirect" && hops.length < LIMITS.robotsRedirectHops) {
      const { location } = verdict;
      hops.push(
        await captureHop(
          parts,
          { ...place(target, hold, hops), exchange: answer, fetchedAt: answered.fetchedAt },
          location,
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
    if (failed !== undefined) hold.failed(failed);
    const retryAfterMs = verdict?.kind === "failed" ? verdict.retryAfterMs : undefined;
    return await settle({ target, origin, hold, robots, parts, answered, requests, hops, failed, retryAfterMs });
  }
}

function place(target: Target, hold: LeaseHold, hops: readonly Hop[]) {
  return { targetUrl: target.url, captureName: captureName(hold, target, hops.length) };
}

/** One hop: under the lease on its own host, by permit on another. */
async function askHop(hold: LeaseHold, parts: EdgeParts, url: string, target: Target): Promise<Answered | undefined> {
  const facts = parts.core.url(url);
  if ("error" in facts || facts.host === hold.lease.host) return await ask(hold, parts, url, target);
  for (let waitedMs = 0; waitedMs <= PERMIT_PATIENCE_MS && !hold.over;) {
    const reply = await parts.frontier.permit({
      worker_id: parts.settings.workerId,
      host: facts.host,
      domain: facts.domain,
    });
    await parts.clock.sleep(reply.wait_ms);
    if (reply.granted) return await send(hold, parts, url, target);
    waitedMs += Math.max(1, reply.wait_ms);
  }
  return undefined;
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
  const facts = await capture(what.parts, {
    ...place(what.target, what.hold, what.hops),
    exchange: answer,
    fetchedAt: what.answered.fetchedAt,
    contentHash,
  });
  const answeredBase = { ...base, http_code: answer.status, capture: facts };
  // A body that broke off may lack the rule that forbids: only one cut at our own bound counts (RFC 9309 2.5).
  const brokeOff = answer.truncated !== undefined && answer.truncated !== "length";
  const kind = brokeOff ? "unreachable" : robotsClass(answer.status);
  if (kind !== "rules") {
    what.robots.learned(what.origin, { class: kind });
    return { ...answeredBase, class: kind };
  }
  return { ...answeredBase, class: "rules", ...learnRules(what, answer.decoded) };
}

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
