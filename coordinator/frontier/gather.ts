/**
 * Reads from the store what a round's operations need, before they are applied.
 * Invariant: runs while nothing is uncommitted, so that what is read and what is in RAM are of the same moment.
 */

import type { ShardStore, UrlKey } from "../ports.ts";
import type { BackQueue } from "./queues/back_queue.ts";
import { READY_PER_SLOT } from "./queues/fetch_slots.ts";
import { ANY_DEPTH, type Candidate, classifySpans, type LinkSpan } from "./links.ts";
import { nameOfRow } from "./outbox_index.ts";
import { askArrivals } from "./handover/arrival.ts";
import { raiseFoundOften } from "./order/raise.ts";
import type { Round } from "./round.ts";
import { clusterOf, SeenKeys } from "./seen/seen_keys.ts";
import { VERDICT } from "./seen/seen_runs.ts";
import type { Shard } from "./shard.ts";

/** Queues that are filled in one round. */
const FILLS_PER_ROUND = 512;
const WAITING_PER_FILL = 128;

export async function gather(round: Round, store: ShardStore): Promise<void> {
  const { shard } = round;
  shard.sent.tick(round.now);
  classifySpans(shard, round.spans);
  await askSeen(round, store);
  if (round.receivedRows.length > 0) await askReceived(round, store);
  if (round.arrivals.length > 0) await askArrivals(round, store);
  await fillQueues(round, store);
  await raiseFoundOften(round, store);
  if (round.outboxWanted > 0) {
    const names = shard.outbox.next(round.outboxWanted, round.now);
    if (names.length > 0) round.outboxRows = await store.outboxRows(names);
  }
  if (round.mergedNames.length > 0) round.mergedRows = await store.outboxRows(round.mergedNames);
}

interface Question {
  readonly span: LinkSpan;
  readonly candidate: Candidate;
}

/** The seen-set has the last word on every candidate that the cache doesn't know. */
async function askSeen({ shard, spans }: Round, store: ShardStore): Promise<void> {
  const asked: Question[] = [];
  const withRow: Question[] = [];
  const keys = new SeenKeys();
  for (const span of spans) {
    const { salt } = span.options.crawl;
    for (const candidate of span.candidates) {
      if (candidate.verdict === "shallower") withRow.push({ span, candidate });
      if (candidate.verdict !== "perhaps") continue;
      asked.push({ span, candidate });
      keys.addUrl(clusterOf(candidate.place.domainHash, salt), candidate.fingerprint, salt);
    }
  }
  if (asked.length > 0) {
    const screening = shard.seen.screen(keys);
    await shard.seen.settle(screening, store);
    asked.forEach((question, i) => {
      if (screening.verdicts[i] === VERDICT.new) question.candidate.verdict = "new";
      else if (question.span.options.crawl.row.spec.scope.max_depth !== undefined) withRow.push(question);
      else noteSeen(shard, question);
    });
  }
  if (withRow.length > 0) await askDepths(shard, withRow, store);
}

/** Where depth matters the row says at which the URL is known. */
async function askDepths(shard: Shard, questions: readonly Question[], store: ShardStore): Promise<void> {
  const rows = await store.urls(questions.map(({ span, candidate }): UrlKey => ({
    slot: candidate.place.slot,
    crawlId: span.options.crawl.id,
    fingerprint: candidate.fingerprint,
  })));
  questions.forEach((question, i) => {
    question.candidate.row = rows[i];
    noteSeen(shard, question);
  });
}

function noteSeen(shard: Shard, { span, candidate }: Question): void {
  const { row } = candidate;
  if (row !== undefined && row.depth > span.options.depthAt(candidate.index)) {
    candidate.verdict = "shallower";
    return;
  }
  candidate.verdict = "seen";
  shard.seen.cache.add(candidate.fingerprint, span.options.crawl.salt, row?.depth ?? ANY_DEPTH);
}

async function askReceived(round: Round, store: ShardStore): Promise<void> {
  const answers = await store.receivedBefore(round.receivedRows);
  round.receivedRows.forEach((row, i) => {
    if (answers[i] === 1) round.receivedBefore.add(nameOfRow(row));
  });
}

/** Reads on in the queues that the next leases will take from, and in those that a lease found empty. */
async function fillQueues(round: Round, store: ShardStore): Promise<void> {
  const { shard, now } = round;
  const wanted = shard.parts.settings.limits.targetsPerLease;
  const queues = new Set<BackQueue>();
  for (const queue of shard.hungry) {
    // The rows of a slot that is moving stand still.
    if (shard.marks.has(queue.slot)) shard.hungry.delete(queue);
    else if (queues.size < FILLS_PER_ROUND) queues.add(queue);
  }
  for (const [region, leases] of round.leasesWanted) {
    for (const host of shard.schedule.view(region, now).peek(READY_PER_SLOT * leases)) {
      for (const queue of host.queues) {
        const isRunning = shard.parts.crawls.get(queue.crawlId)?.isRunning === true;
        if (isRunning && queues.size < FILLS_PER_ROUND && queue.needsStore(wanted, now)) queues.add(queue);
      }
    }
  }
  for (const queue of queues) {
    shard.hungry.delete(queue);
    // Heads first: the store doesn't know yet of what is promoted in this round.
    await readHeads(shard, store, queue);
    await promoteWaiting(round, store, queue);
    shard.reschedule(shard.hosts.get(queue.host)!, now);
  }
}

/** URLs whose wait is over become ready, at their old place in the queue. */
async function promoteWaiting(round: Round, store: ShardStore, queue: BackQueue): Promise<void> {
  const { shard, now } = round;
  if (queue.waiting === 0 || queue.nextAvailableAt > now) return;
  const rows = await store.readWaiting(queue, Number.MAX_SAFE_INTEGER, WAITING_PER_FILL);
  const due = rows.filter((row) => row.availableAt <= now);
  const isAll = rows.length < WAITING_PER_FILL;
  const next = rows[due.length]?.availableAt ?? (isAll ? Infinity : now);
  queue.removeWaiting(due.length, next);
  const host = shard.hosts.get(queue.host)!;
  for (const row of due) {
    const ready = { ...row, state: "ready", availableAt: 0, reason: "" } as const;
    shard.batch.changeUrl(ready);
    shard.enqueueReady(host, ready);
  }
}

async function readHeads(shard: Shard, store: ShardStore, queue: BackQueue): Promise<void> {
  const limit = Math.max(shard.mostHeads, shard.parts.settings.headsWhenFull);
  if (queue.beyond === 0 || queue.heads.length >= limit) return;
  const lease = shard.hosts.get(queue.host)?.lease;
  const leased = lease?.crawlId === queue.crawlId ? lease.pages : undefined;
  const size = limit + (leased?.size ?? 0);
  const rows = await store.readReady(queue, queue.edge, size);
  const host = shard.hosts.get(queue.host)!;
  const added = queue.fill(rows, rows.length < size, (fingerprint) => leased?.has(fingerprint) ?? false);
  shard.headsInRam += added;
  for (const row of queue.heads.slice(queue.heads.length - added)) shard.noteOrigin(host, row.url);
}
