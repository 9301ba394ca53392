/**
 * The suites of the benchmark and how their rows reach the reader.
 * Invariant: rows go to stdout, progress to stderr; losses are printed like wins.
 */

import { arch, cpus, platform, release, totalmem } from "node:os";
import process from "node:process";
import { benchArchive } from "./archive_bench.ts";
import { coreRows } from "./core_bench.ts";
import { benchCrawl } from "./crawl_bench.ts";
import { benchFrontier } from "./frontier_bench.ts";
import { jsonLines, table } from "./report/table.ts";
import { benchLatency } from "./latency_bench.ts";
import { benchLong } from "./long_bench.ts";
import { benchQueue } from "./queue_bench.ts";
import type { Row } from "./report/table.ts";
import { RUNTIME_NAME } from "./runtime_name.ts";
import { benchSeen } from "./seen_bench.ts";
import { DEFAULT_WEB } from "./web/config.ts";
import type { WebConfig } from "./web/mod.ts";

export type BenchSuite = "core" | "archive" | "crawl" | "frontier" | "latency" | "long" | "all";

export interface BenchOptions {
  readonly web: Partial<WebConfig>;
  readonly rounds: number;
  /** Default: the runtime that runs this. */
  readonly runtimes?: readonly string[];
  readonly pin: boolean;
  readonly json: boolean;
  /** URLs in the seen-set when it is measured, ascending. */
  readonly seenSizes: readonly number[];
  /** URLs in the frontier's queue when it is measured. */
  readonly queued: number;
}

/** URLs that are offered for each row of the seen-set, and pages for each row of the queue: enough to be steady. */
const SEEN_OFFERED = 100_000;
const QUEUE_PAIRS = 10_000;
const QUEUE_URLS_PER_HOST = 200;

/** Runs one suite or all and prints its rows. All but the crawl run in this process, on this runtime. */
export async function runBench(suite: BenchSuite, options: BenchOptions): Promise<void> {
  const wanted = (name: BenchSuite) => suite === name || suite === "all";
  const note = (sentence: string) => void process.stderr.write(`${sentence}\n`);
  const print = (type: string, title: string, rows: readonly Row[]) => {
    const text = options.json ? jsonLines(type, rows) : `\n${title}\n${table(rows)}`;
    if (rows.length > 0) process.stdout.write(`${text}\n`);
  };
  print("machine", "Machine", [machine()]);
  if (wanted("core")) {
    print("core", "The core's hot paths against JS; ratio = time over the best JS", await coreRows());
  }
  if (wanted("archive")) print("archive", "The archive's appends, without the disk", await benchArchive());
  if (wanted("frontier")) {
    print("frontier", "The frontier on libSQL, durable commits", await benchFrontier());
    const { seenSizes: sizes, queued } = options;
    const seen = await benchSeen({ sizes, offered: SEEN_OFFERED, onRow: note });
    print("seen", "The seen-set on libSQL: URLs in, new or seen out, new ones durable", seen);
    const hosts = Math.ceil(queued / QUEUE_URLS_PER_HOST);
    const queue = await benchQueue({ queued, hosts, pairs: QUEUE_PAIRS, workers: 8 });
    print("queue", "A long queue on libSQL, durable commits", queue);
  }
  if (suite === "latency") {
    const rows = await benchLatency({ runtimes: options.runtimes ?? [RUNTIME_NAME], onRun: note });
    print("latency", "Crawls of a slow web; in flight and pages/s in the middle half of the time", rows);
  }
  // Takes as long as its pages: only when it is asked for by name.
  if (suite === "long") {
    const { web, runtimes = [RUNTIME_NAME] } = options;
    const rows = await benchLong({ web: { ...web, pages: web.pages ?? DEFAULT_WEB.pages }, runtimes, onPoint: note });
    print(
      "long",
      "One long crawl of the synthetic web, delay 0; rise: of a line through the samples from 10 % on",
      rows,
    );
  }
  if (wanted("crawl")) {
    const { web, rounds, pin, runtimes = [RUNTIME_NAME] } = options;
    const rows = await benchCrawl({ web, rounds, pin, runtimes, onRun: note });
    print("crawl", `Whole crawl of the synthetic web, delay 0, medians of ${rounds} rounds`, rows);
  }
}

function machine(): Row {
  const processor = cpus()[0]?.model.trim() ?? "unknown";
  return {
    processor,
    cores: cpus().length,
    "memory GB": Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    runtime: `${RUNTIME_NAME} ${process.versions[RUNTIME_NAME] ?? ""}`,
  };
}
