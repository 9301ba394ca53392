/**
 * A queued URL whose row changed takes the place in its queue that its band gives it now.
 * Invariant: the row is in the batch, and RAM says the same; a URL that is leased keeps its lease. To be called when
 * nothing more is read from the store in this round, which still has the row at its old place.
 */

import type { UrlRow } from "../../ports.ts";
import type { Round } from "../round.ts";

/** `before` is the newest row of the URL, `after` what it becomes: band, priority, depth or path may differ. */
export function requeue(round: Round, before: UrlRow, after: UrlRow): void {
  const { shard } = round;
  shard.batch.changeUrl(after);
  const host = shard.hosts.get(after.host);
  if (host === undefined || after.state !== "ready") return;
  const { lease } = host;
  if (lease?.crawlId === after.crawlId && lease.pages.has(after.fingerprint)) {
    lease.pages.set(after.fingerprint, after);
    return;
  }
  const queue = host.queues.find(({ crawlId }) => crawlId === after.crawlId);
  if (queue === undefined) return;
  shard.headsInRam += queue.move(before, after, shard.mostHeads);
  if (before.band !== after.band) shard.reschedule(host, round.now);
}
