/**
 * Where a crawl stands: which of its hosts are active, which wait, why, and until when, as a sentence for people.
 * Invariant: reads only; a crawl that can't proceed always has a reason (promise 6).
 */

import type { CrawlId } from "../../../protocol/mod.ts";
import type { BackQueue } from "../queues/back_queue.ts";
import type { HostState } from "../host_state.ts";
import { queueReadyAt } from "../queues/readiness.ts";
import type { Shard } from "../shard.ts";
import { utcTime } from "./utc_time.ts";

type Cause =
  | "moving to another shard"
  | "paused by an operator"
  | "blocked"
  | "busy with another crawl"
  | "waiting for other hosts of their domain"
  | "waiting for other hosts at their address"
  | "pinned to a region that asks for nothing"
  | "backing off"
  | "waiting for robots.txt"
  | "waiting to try URLs again"
  | "keeping their delay";

export class Standing {
  /** Hosts with a lease of the crawl. */
  active = 0;
  /** Hosts that could be leased now. */
  ready = 0;
  /** Hosts that have URLs queued but can't be leased now. */
  waiting = 0;
  /** Wall ms at which the first of these can; Infinity = no time is known. */
  nextAt = Infinity;
  readonly causes = new Map<Cause, number>();
  #now = 0;

  /** Adds what one shard knows of one crawl. */
  add(shard: Shard, crawlId: CrawlId, now: number): void {
    this.#now = now;
    for (const queue of shard.queuesOfCrawl.get(crawlId) ?? []) {
      const host = shard.hosts.get(queue.host)!;
      if (host.lease?.crawlId === crawlId) this.active++;
      else if (queue.ready + queue.waiting > 0) this.#addQueued(shard, host, { queue, now });
    }
  }

  #addQueued(shard: Shard, host: HostState, { queue, now }: { queue: BackQueue; now: number }): void {
    const at = Math.max(queueReadyAt(queue), host.nextStartAt);
    const cause = causeOf(shard, host, { queue, now, at });
    if (cause === undefined) {
      this.ready++;
      return;
    }
    this.waiting++;
    this.causes.set(cause, (this.causes.get(cause) ?? 0) + 1);
    const hasTime = !shard.marks.has(host.slot) && host.lease === undefined && !host.paused &&
      host.blockedReason === "" && at > now;
    if (hasTime) this.nextAt = Math.min(this.nextAt, at);
  }

  /** "waiting until 12:04:31 UTC: 3 hosts backing off"; "" when nothing is queued or out. */
  sentence(): string {
    if (this.active > 0) return `fetching from ${hosts(this.active)}`;
    if (this.ready > 0) return `${hosts(this.ready)} ready to be leased`;
    if (this.waiting === 0) return "";
    const causes = Array.from(this.causes, ([cause, count]) => {
      return `${hosts(count)} ${count === 1 ? cause.replace("their", "its") : cause}`;
    }).join(", ");
    return this.nextAt === Infinity
      ? `waiting: ${causes}`
      : `waiting until ${utcTime(this.nextAt, this.#now)}: ${causes}`;
  }
}

function causeOf(
  shard: Shard,
  host: HostState,
  { queue, now, at }: { queue: BackQueue; now: number; at: number },
): Cause | undefined {
  if (shard.marks.has(host.slot)) return "moving to another shard";
  if (host.paused) return "paused by an operator";
  if (host.blockedReason !== "") return "blocked";
  if (host.lease !== undefined) return "busy with another crawl";
  const stop = shard.domains.stopReason(host.domain);
  if (stop !== "") return stop === "paused by an operator" ? stop : "blocked";
  if (shard.parkedAtDomain.isParked(host.domain, host)) return "waiting for other hosts of their domain";
  if (shard.parkedAtAddress.isParked(host.address, host)) return "waiting for other hosts at their address";
  if (host.policyRegion !== "" && shard.regions.isSilent(host.policyRegion, now)) {
    return "pinned to a region that asks for nothing";
  }
  if (at <= now) return undefined;
  if (host.nextStartAt > now && host.backoffMs > 0) return "backing off";
  if (queue.ready > 0 && queue.blockedUntil > now) return "waiting for robots.txt";
  if (queue.ready === 0) return "waiting to try URLs again";
  return "keeping their delay";
}

function hosts(count: number): string {
  return count === 1 ? "1 host" : `${count} hosts`;
}
