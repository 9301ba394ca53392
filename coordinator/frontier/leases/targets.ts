/**
 * Which URLs of a back queue go into a lease: in queue order, each only if its origin's robots.txt is known or can be
 * asked for now.
 * Invariant: URLs of an origin whose robots.txt can't be had stay queued (promise 7) and never block other origins for
 * good; only where nobody ever answered are they given up.
 */

import type { OriginRow, UrlRow } from "../../ports.ts";
import { type Origin, originOf } from "../../../protocol/mod.ts";
import type { BackQueue } from "../queues/back_queue.ts";
import { type OriginVerdict, originVerdict } from "../robots/robots_ladder.ts";
import type { Round } from "../round.ts";

export interface Chosen {
  readonly rows: readonly UrlRow[];
  /** Origins whose robots.txt is to be fetched first. */
  readonly robots: readonly Origin[];
  /** What is known of the other origins. */
  readonly fresh: readonly OriginRow[];
}

/** `starts` bounds pages and robots.txt together, `pages` the pages alone. With room for one start, robots.txt goes alone. */
export function chooseTargets(
  round: Round,
  queue: BackQueue,
  most: { readonly starts: number; readonly pages: number },
): Chosen {
  const { shard, now } = round;
  const verdicts = new Map<Origin, OriginVerdict>();
  const robots = new Set<Origin>();
  const fresh = new Map<Origin, OriginRow>();
  const dead: UrlRow[] = [];
  let blockedUntil = Infinity;
  let pages = 0;
  const taken = queue.take((row) => {
    const origin = originOf(row.url);
    let verdict = verdicts.get(origin);
    if (verdict === undefined) verdicts.set(origin, verdict = originVerdict(shard.origins.get(origin), now));
    if (verdict.kind === "blocked") {
      if (shard.deadOrigins.reason(origin) !== undefined) {
        dead.push(row);
        return true;
      }
      blockedUntil = Math.min(blockedUntil, verdict.until);
      return false;
    }
    const addsRobots = verdict.kind === "needed" && !robots.has(origin) ? 1 : 0;
    if (pages >= most.pages) return false;
    if (pages + robots.size + addsRobots >= most.starts) {
      if (addsRobots === 1 && pages === 0 && robots.size === 0) robots.add(origin);
      return false;
    }
    if (verdict.kind === "fresh") fresh.set(origin, verdict.row);
    else robots.add(origin);
    pages++;
    return true;
  });
  shard.headsInRam -= taken.length;
  const rows = dead.length === 0 ? taken : taken.filter((row) => !dead.includes(row));
  if (dead.length > 0) giveUp(round, queue, dead);
  if (rows.length === 0 && robots.size === 0 && blockedUntil < Infinity) waitForRobots(round, queue, blockedUntil);
  return { rows, robots: [...robots], fresh: [...fresh.values()] };
}

/** Nobody answers at their origin: they are dead as if each had been tried. */
function giveUp(round: Round, queue: BackQueue, rows: readonly UrlRow[]): void {
  const { shard, now } = round;
  const counts = shard.changeCounts(queue.crawlId);
  for (const row of rows) {
    const reason = shard.deadOrigins.reason(originOf(row.url))!;
    shard.batch.changeUrl({ ...row, state: "dead", reason });
  }
  counts.dead += rows.length;
  counts.settled += rows.length;
  if (queue.needsStore(1, now)) shard.hungry.add(queue);
}

/**
 * All heads belong to origins that can't be reached. When the host has another origin further back in its queue, the
 * heads make way for it by waiting; otherwise the queue as a whole sleeps, which costs no write.
 */
function waitForRobots(round: Round, queue: BackQueue, until: number): void {
  const { shard, now } = round;
  const host = shard.hosts.get(queue.host)!;
  queue.blockedUntil = until;
  if (queue.beyond === 0 || host.origins.size < 2) return;
  const rows = queue.take(() => true);
  shard.headsInRam -= rows.length;
  for (const row of rows) {
    const origin = originOf(row.url);
    const verdict = originVerdict(shard.origins.get(origin), now);
    const availableAt = verdict.kind === "blocked" ? verdict.until : until;
    const reason = `robots.txt of ${origin} can't be had`;
    shard.batch.changeUrl({ ...row, state: "waiting", availableAt, reason });
    queue.addWaiting(availableAt);
  }
  queue.blockedUntil = 0;
  shard.hungry.add(queue);
}
