/**
 * Takes back what a worker reported, as far as it is known to be its report: its leases end, URLs that it settled (or whose
 * newest capture is its) are offered again, its captures are listed no more, robots.txt that it brought is asked for anew.
 * Invariant: counters equal rows at every commit; each step may be repeated, so that a reversal that was cut short is
 * finished by the next.
 *
 * It doesn't take back: links that came in (they are in scope, and others may have found them too), tries of URLs that
 * wait, what a host's clock and a crawl's counts of requests, bytes and errors learned, and what readers were told.
 */

import { type CrawlId, isWorkerOf } from "../../../protocol/mod.ts";
import type { Reversal } from "../../operator_ports.ts";
import type { OriginRow, UrlRow } from "../../ports.ts";
import type { HostState } from "../host_state.ts";
import { NEVER_ASKED } from "../accept.ts";
import { expire } from "../leases/sweep.ts";
import { ROBOTS_BLOCK } from "../robots/settle_robots.ts";
import type { Operation, Round } from "../round.ts";
import type { FrontierParts } from "../shard.ts";
import type { ShardWriter } from "../writer.ts";
import type { Crawl } from "./crawl.ts";
import { requeueSettled } from "./recrawl.ts";

/** Rows that one read, and one commit, is of. */
const AT_ONCE = 500;

interface QuarantineParts {
  readonly parts: Pick<FrontierParts, "crawls" | "clock">;
  readonly writers: readonly ShardWriter[];
  /** A finished crawl runs again. Durable when it resolves. */
  readonly reopen: (crawl: Crawl) => Promise<void>;
}

/** Over all shards that this process owns, one name at a time. */
export class QuarantineDesk {
  readonly #parts: FrontierParts;
  readonly #reopen: QuarantineParts["reopen"];
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: FrontierParts, reopen: QuarantineParts["reopen"]) {
    this.#parts = parts;
    this.#reopen = reopen;
  }

  reverse(name: string): Promise<{ readonly reversal: Reversal; readonly shards: readonly number[] }> {
    const turn = this.#last.then(async () => {
      const writers = this.#parts.book.own;
      const reversal = await reverseWorker(name, { parts: this.#parts, writers, reopen: this.#reopen });
      return { reversal, shards: writers.map(({ shard }) => shard.index) };
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/** `name`: of an edge's token, which speaks for the worker of this name and those that begin with it and a dot. */
async function reverseWorker(name: string, what: QuarantineParts): Promise<Reversal> {
  const total = { leasesEnded: 0, urlsOfferedAgain: 0, capturesWithdrawn: 0, originsForgotten: 0 };
  for (const writer of what.writers) {
    total.leasesEnded += await writer.submit(endLeasesOperation(name));
    total.originsForgotten += await writer.submit(forgetOriginsOperation(name));
    const captures = await capturesOf(name, writer);
    for (const crawl of what.parts.crawls.all()) {
      if (crawl.row.state === "cancelled") continue;
      total.urlsOfferedAgain += await offerAgain(name, { ...what, writer, crawl, captures });
    }
    const seqs = [...captures];
    for (let from = 0; from < seqs.length; from += AT_ONCE) {
      await writer.submit(withdrawOperation(seqs.slice(from, from + AT_ONCE)));
    }
    total.capturesWithdrawn += seqs.length;
  }
  return total;
}

/** Numbers of the captures below its workers' folders. */
async function capturesOf(name: string, { store }: ShardWriter): Promise<Set<number>> {
  const found = new Set<number>();
  for (const prefix of [`${name}/`, `${name}.`]) {
    for (let after = 0;;) {
      const rows = await store.captures(prefix, after, AT_ONCE);
      for (const { seq, record } of rows) if (isWorkerOf(name, record.storage_key.split("/")[0]!)) found.add(seq);
      if (rows.length < AT_ONCE) break;
      after = rows.at(-1)!.seq;
    }
  }
  return found;
}

async function offerAgain(
  name: string,
  what: QuarantineParts & {
    readonly writer: ShardWriter;
    readonly crawl: Crawl;
    readonly captures: ReadonlySet<number>;
  },
): Promise<number> {
  const { writer, crawl, captures, parts } = what;
  let offered = 0;
  for (let cursor = 0;;) {
    const step = await writer.store.readSettled(crawl.id, { cursor, before: Number.MAX_SAFE_INTEGER }, AT_ONCE);
    const rows = step.rows.filter((row) => isWorkerOf(name, row.worker) || captures.has(row.captureSeq));
    if (rows.length > 0) {
      // First: a crawl that has URLs queued isn't finished.
      if (crawl.row.state === "finished") await what.reopen(crawl);
      await writer.submit(offerOperation(crawl.id, rows));
      offered += rows.length;
    }
    if (step.rows.length < AT_ONCE) return offered;
    cursor = step.cursor;
    await parts.clock.sleep(0);
  }
}

function offerOperation(crawlId: CrawlId, rows: readonly UrlRow[]): Operation<void> {
  return {
    apply(round) {
      // What is known of its content came from the worker, or can't be told from what did.
      for (const row of rows) requeueSettled(round, crawlId, row, NEVER_ASKED);
    },
  };
}

/** As leases that expire: what the edge may still have under way counts on its host's clock. */
function endLeasesOperation(name: string): Operation<number> {
  return {
    apply(round) {
      const leases = [...round.shard.leases.values()].filter((lease) => isWorkerOf(name, lease.workerId));
      for (const lease of leases) expire(round, lease);
      return leases.length;
    },
  };
}

function withdrawOperation(seqs: readonly number[]): Operation<void> {
  return { apply: ({ shard }) => shard.batch.withdrawCaptures(seqs) };
}

/** Nothing may be fetched before the file is asked for again; a host that the file made us skip isn't skipped any more. */
function forgetOriginsOperation(name: string): Operation<number> {
  return {
    apply(round) {
      const { shard } = round;
      let forgotten = 0;
      for (const row of [...shard.origins.values()]) {
        if (row.worker === undefined || !isWorkerOf(name, row.worker)) continue;
        const nothing = nothingKnown(row);
        shard.origins.set(row.origin, nothing);
        shard.batch.changeOrigin(nothing);
        const host = shard.hosts.get(row.host);
        if (host !== undefined) forgetRobots(round, host);
        forgotten++;
      }
      return forgotten;
    },
  };
}

function nothingKnown({ slot, origin, host, epoch }: OriginRow): OriginRow {
  return {
    slot,
    origin,
    host,
    epoch,
    class: "allow_all",
    digest: "",
    lastGoodDigest: "",
    fetchedAt: 0,
    expiresAt: 0,
    failingSince: 0,
    retryAt: 0,
    retryMs: 0,
    sitemaps: [],
  };
}

function forgetRobots({ shard, now }: Round, host: HostState): void {
  host.crawlDelayMs = 0;
  if (host.blockedReason.startsWith(ROBOTS_BLOCK)) host.blockedReason = "";
  shard.skippedHosts.delete(host);
  for (const queue of host.queues) queue.blockedUntil = 0;
  shard.batch.changeHost(host);
  if (host.lease === undefined) shard.reschedule(host, now);
}
