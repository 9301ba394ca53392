/**
 * What the answer to a robots target does to its origin and host.
 * Invariant: a body is stored under the digest that we compute; an older lease's answer never overwrites a newer one's.
 */

import { type FailureClass, FAILURES, type RobotsClass, type RobotsFetched } from "../../../protocol/mod.ts";
import { captureProblem } from "../leases/capture_check.ts";
import { addTo } from "../counters.ts";
import type { OriginRow } from "../../ports.ts";
import type { HostState, LeaseState } from "../host_state.ts";
import { clamp, noteFailure, noteResponseTime, noteSuccess, retryAfter } from "../clocks/politeness.ts";
import { originAfter } from "./robots_ladder.ts";
import type { Round } from "../round.ts";
import { addCapture, addHops } from "../leases/settle.ts";
import { announceSitemaps, keptSitemaps } from "./sitemaps.ts";

/** Begins the reason of hosts that robots.txt makes us skip; their queued URLs are settled as excluded. */
export const ROBOTS_BLOCK = "robots.txt ";

/** Longest Crawl-delay that is kept: ten days. */
const CRAWL_DELAY_KEPT_MS = 864_000_000;

/** Settles a robots target; ignored unless the lease asked for that origin and hasn't been answered yet. */
export function settleRobots(round: Round, lease: LeaseState, outcome: RobotsFetched): void {
  if (!lease.robotsOrigins.delete(outcome.origin)) return;
  const { shard, now } = round;
  const { settings, digest: hasher } = shard.parts;
  const { host } = lease;
  const { answer, body } = believed(outcome, settings.limits.robotsBytes);
  const digest = body === undefined ? "" : hasher.sha256Hex(body);
  if (body !== undefined) shard.batch.addBody(digest, outcome.body!);
  const after = originAfter(
    shard.origins.get(outcome.origin),
    {
      class: answer,
      digest,
      sitemaps: answer === "rules" ? keptSitemaps(outcome.sitemaps ?? [], outcome.origin, shard.parts.core) : [],
      retryAfterMs: retryAfter(outcome.retry_after_ms, settings.limits),
      isUnmet: shard.deadOrigins.isUnmet(outcome.origin, connectionFailure(outcome)),
      isOurs: outcome.failure === "aborted",
    },
    { slot: host.slot, origin: outcome.origin, host: host.host, epoch: lease.epoch, now, limits: settings.limits },
  );
  const row: OriginRow = { ...after, worker: lease.workerId };
  shard.origins.set(row.origin, row);
  shard.batch.changeOrigin(row);
  const crawl = shard.parts.crawls.get(lease.crawlId);
  if (crawl !== undefined) announceSitemaps(shard, crawl, row);
  for (const queue of host.queues) queue.blockedUntil = 0;
  noteHost(round, lease, { outcome, class: answer });
  archiveRobots(round, lease, outcome);
}

/** `rules` without a body, or with too large a one, can't be what a correct edge saw: as unreachable. */
function believed(
  outcome: RobotsFetched,
  mostBytes: number,
): { readonly answer: RobotsClass; readonly body?: Uint8Array } {
  if (outcome.class === "allow_all") return { answer: "allow_all" };
  if (outcome.class !== "rules" || outcome.body === undefined) return { answer: "unreachable" };
  const body = new TextEncoder().encode(outcome.body);
  // A lone invalid byte becomes three bytes of U+FFFD.
  return body.length > 3 * mostBytes ? { answer: "unreachable" } : { answer: "rules", body };
}

function noteHost(
  round: Round,
  lease: LeaseState,
  what: { readonly outcome: RobotsFetched; readonly class: RobotsClass },
): void {
  const { shard, now } = round;
  const { limits } = shard.parts.settings;
  const { host } = lease;
  const { outcome } = what;
  noteResponseTime(host, outcome.timings?.total_ms, limits);
  if (what.class === "unreachable") {
    shard.deadOrigins.failed(outcome.origin, connectionFailure(outcome));
    addTo(shard.changeCounts(lease.crawlId).errorsByClass, robotsErrorClass(outcome));
    const retryAfterMs = retryAfter(outcome.retry_after_ms, limits);
    if (outcome.failure !== undefined && outcome.failure !== "aborted") {
      noteFailure(host, { class: outcome.failure, retryAfterMs }, { now, limits });
    }
    return;
  }
  shard.deadOrigins.answered(outcome.origin);
  noteSuccess(host, limits);
  setCrawlDelay(host, outcome.crawl_delay_ms, limits.crawlDelayMaxMs);
  if (host.blockedReason.startsWith(ROBOTS_BLOCK)) shard.skippedHosts.add(host);
}

/** Whoever mistyped a name or a port is told so: all that is tried of a dead host is its robots.txt. */
function robotsErrorClass({ failure }: RobotsFetched): string {
  return `robots_${failure !== undefined && Object.hasOwn(FAILURES, failure) ? failure : "unreachable"}`;
}

/** Why there was no answer; undefined when there was one. A redirect is an answer too, wherever it leads. */
function connectionFailure(outcome: RobotsFetched): FailureClass | undefined {
  const hasAnswered = outcome.http_code !== undefined || (outcome.hops ?? []).length > 0;
  return hasAnswered ? undefined : outcome.failure;
}

/** Up to 300 s a Crawl-delay is honoured; a host that asks for more is skipped, with the reason (E33). */
function setCrawlDelay(host: HostState, asked: number | undefined, mostMs: number): void {
  const delay = clamp(asked, { least: 0, most: CRAWL_DELAY_KEPT_MS, otherwise: 0 });
  host.crawlDelayMs = host.origins.size > 1 ? Math.max(host.crawlDelayMs, delay) : delay;
  if (host.crawlDelayMs > mostMs && host.blockedReason === "") {
    host.blockedReason = `${ROBOTS_BLOCK}asks for a Crawl-delay of ${host.crawlDelayMs / 1000} s; ` +
      `at most ${mostMs / 1000} s are honoured`;
  }
}

function archiveRobots(round: Round, lease: LeaseState, outcome: RobotsFetched): void {
  const { capture } = outcome;
  const { shard } = round;
  const url = `${outcome.origin}/robots.txt`;
  const facts = shard.parts.core.url(url);
  if ("error" in facts) return;
  const { slot } = lease.host;
  const row = { slot, fingerprint: facts.fingerprint, crawlId: lease.crawlId, url, depth: 0, discoveredFrom: "" };
  addHops(round, { outcome, row, lease });
  if (capture === undefined || captureProblem(capture, lease.workerId, shard.parts.settings) !== undefined) return;
  addCapture(round, { outcome, capture, row });
}
