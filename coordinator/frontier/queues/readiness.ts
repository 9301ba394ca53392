/**
 * From when on a host may be leased, and how urgently.
 * Invariant: pure; a host that is leased, paused, blocked or without URLs of a running crawl isn't ready at any time.
 */

import type { BackQueue } from "./back_queue.ts";
import type { CrawlBook } from "../crawls/crawl.ts";
import type { HostState } from "../host_state.ts";

export interface Readiness {
  /** Wall ms. */
  readonly at: number;
  readonly band: number;
}

/** Wall ms from which the queue has something to lease, its host's clock aside; Infinity = never as it is now. */
export function queueReadyAt(queue: BackQueue): number {
  const readyAt = queue.ready > 0 ? queue.blockedUntil : Infinity;
  return Math.min(readyAt, queue.waiting > 0 ? queue.nextAvailableAt : Infinity);
}

export function readinessOf(host: HostState, crawls: CrawlBook, now: number): Readiness | undefined {
  if (host.lease !== undefined || host.paused || host.blockedReason !== "") return undefined;
  let at = Infinity;
  let band = Infinity;
  for (const queue of host.queues) {
    if (crawls.get(queue.crawlId)?.isRunning !== true) continue;
    const queueAt = queueReadyAt(queue);
    at = Math.min(at, queueAt);
    if (queueAt <= now) band = Math.min(band, queue.band);
    else if (queueAt < Infinity && band === Infinity) band = queue.band;
  }
  return at === Infinity
    ? undefined
    : { at: Math.max(at, host.nextStartAt, host.keptFreeUntil, host.visit?.until ?? 0), band };
}
