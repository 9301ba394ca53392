/**
 * How long commits take while someone lists captures: by nobody, in the listing thread, over the connection that commits.
 *
 *   deno run -A bench/listing_bench.ts [--rows=2000000] [--listed=10000000] [--round-ms=5000]      (or: bun bench/listing_bench.ts)
 *
 * Rounds of the ways take turns until the thread has listed so many rows. A commit is timed from when it was due, 25 ms after
 * the one before or when that is done: what keeps the thread that commits from beginning it counts. Told twice: as it was, and
 * without the time for which that thread was ready to run and other work had the cores, by the kernel's count. --ways=2 leaves
 * the last way out.
 */

import { mkdtempSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import process from "node:process";
import { listingThread } from "../cli/listing_thread.ts";
import type { Batch } from "../coordinator/ports.ts";
import { openLibsqlShardStore } from "../coordinator/store/libsql_shard_store.ts";
import { systemClock } from "../runtime/node.ts";
import { CoreCourse } from "./core_wait.ts";
import { batch, captureRow, urlRow } from "../tests/support/shard_rows.ts";

const flag = (name: string, otherwise: number): number => {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? otherwise : Number(given.split("=")[1]);
};
const ROWS = flag("rows", 2_000_000);
const LISTED = flag("listed", 10_000_000);
const ROUND_MS = flag("round-ms", 5000);
const FILL = 2000;
const PAGE = 1000;
const TICK_MS = 25;

const ALL_WAYS = ["nobody lists", "in the thread", "over the same connection"] as const;
type Way = (typeof ALL_WAYS)[number];
const WAYS = ALL_WAYS.slice(0, flag("ways", 3));

interface Commit {
  readonly ms: number;
  /** Less the wait for a core. */
  readonly ownMs: number;
  /** In which the thread computed; the rest of `ownMs` it waited, for the disk. */
  readonly ranMs: number;
}

interface Figures {
  readonly commits: Commit[];
  listed: number;
  cpuMs: number;
  /** Of the write-ahead log, at its longest. */
  logMb: number;
}

const folder = mkdtempSync(`${tmpdir()}/outrider-listing-`);
const location = `${folder}/frontier-0.db`;
const thread = listingThread();
const figures = new Map<Way, Figures>(WAYS.map((way) => [way, { commits: [], listed: 0, cpuMs: 0, logMb: 0 }]));
let batchSeq = 0;
let captureSeq = 0;
let urlSeq = 0;

function captures(count: number): Batch["captures"] {
  return Array.from({ length: count }, () => captureRow(++captureSeq, `tokyo/warc/${captureSeq >> 12}.warc.gz`));
}

async function fill(): Promise<void> {
  const store = openLibsqlShardStore({ location, clock: systemClock });
  await store.open("bench", 1);
  while (captureSeq < ROWS) {
    await store.commit(batch(++batchSeq, { captures: captures(FILL) }));
    await systemClock.sleep(0);
  }
  await store.close();
}

async function round(way: Way): Promise<void> {
  const store = openLibsqlShardStore({
    location,
    clock: systemClock,
    ...(way === "in the thread" ? { reader: thread.reader } : {}),
  });
  await store.open("bench", 1);
  const found = figures.get(way)!;
  const end = systemClock.monotonicMs() + ROUND_MS;
  const cpu = process.cpuUsage();
  let nextDue = systemClock.monotonicMs();
  const course = new CoreCourse();
  const list = async () => {
    for (let after = (found.listed * 7) % ROWS; systemClock.monotonicMs() < end;) {
      const rows = await store.captures("", after, PAGE);
      found.listed += rows.length;
      after = rows.length < PAGE ? 0 : rows.at(-1)!.seq;
      course.look();
      await systemClock.sleep(0);
    }
  };
  const listing = way === "nobody lists" ? Promise.resolve() : list();
  // What is late makes the next one due later: each is told its own delay, not those of all before it.
  for (; nextDue < end; nextDue = Math.max(nextDue + TICK_MS, systemClock.monotonicMs())) {
    course.look();
    await systemClock.sleep(Math.max(0, nextDue - systemClock.monotonicMs()));
    course.look();
    const began = Math.min(nextDue, systemClock.monotonicMs());
    const newUrls = Array.from({ length: 50 }, () => urlRow(++urlSeq));
    await store.commit(batch(++batchSeq, { newUrls, captures: captures(10) }));
    const ms = systemClock.monotonicMs() - began;
    const { ranMs, waitedMs } = course.since(began);
    found.commits.push({ ms, ownMs: Math.max(0, ms - waitedMs), ranMs });
    found.logMb = Math.max(found.logMb, statSync(`${location}-wal`).size / 1e6);
  }
  await listing;
  found.cpuMs += (process.cpuUsage(cpu).user + process.cpuUsage(cpu).system) / 1000;
  await store.close();
}

function report(): void {
  console.log(`${ROWS} captures; commits of 50 URLs and 10 captures, every ${TICK_MS} ms; ms from when they were due`);
  for (const [way, { commits, listed, cpuMs, logMb }] of figures) {
    const cpu = (cpuMs / commits.length).toFixed(2);
    console.log(
      `${way.padEnd(26)} ${commits.length} commits, ${listed} rows listed, ${cpu} ms CPU a commit, ` +
        `log at most ${logMb.toFixed(0)} MB`,
    );
    console.log(`  as they were               ${spread(commits.map(({ ms }) => ms))}`);
    console.log(`  without waits for a core   ${spread(commits.map(({ ownMs }) => ownMs))}`);
    const longest = commits.toSorted((a, b) => b.ownMs - a.ownMs).slice(0, 5);
    const parts = longest.map(({ ownMs, ranMs }) => `${ownMs.toFixed(0)} (${Math.min(ownMs, ranMs).toFixed(0)})`);
    console.log(`  the longest of these, and how much of it the thread computed: ${parts.join(", ")}`);
  }
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1);
  const late = sorted.filter((ms) => ms > 50).length;
  return `median ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, longest ${at(1)}; ${late} over 50 ms`;
}

// Ended early, it tells what it has.
let isEnough = false;
process.once("SIGINT", () => isEnough = true);

try {
  await fill();
  while (!isEnough && figures.get("in the thread")!.listed < LISTED) for (const way of WAYS) await round(way);
  report();
} finally {
  thread.close();
  await rm(folder, { recursive: true, force: true });
}
