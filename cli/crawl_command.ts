/**
 * `outrider crawl URL...`: coordinator and edge in one process, durable in a data folder. The same command after a
 * stop, a crash or a power cut goes on where it was.
 */

import { readFileSync } from "node:fs";
import process from "node:process";
import type { Command } from "commander";
import type { Coordinator } from "../coordinator/ports.ts";
import { loadCore } from "../core-wasm/mod.ts";
import type { CrawlStats } from "../protocol/mod.ts";
import { LIMITS } from "../protocol/mod.ts";
import { nativeDigest, systemClock } from "../runtime/node.ts";
import { checkAddressFlags } from "./address_flags.ts";
import { addSegmentFlags, openBlobs, type SegmentFlags, segmentPlace, tryBlobs } from "./blob_flags.ts";
import { openCoordinatorNode } from "./coordinator_node.ts";
import { checkSeeds, type CrawlFlags, type CrawlPlan, planCrawl, seedsFrom } from "./crawl_plan.ts";
import { lockFolder } from "./data_lock.ts";
import type { EdgeNode, EdgeNodeSettings } from "./edge_node.ts";
import { openEdgeThread } from "./edge_thread.ts";
import { Fault, USAGE } from "./fault.ts";
import { addFetchFlags } from "./fetch_flags.ts";
import { folder, many, name, number, oneOf } from "./flags.ts";
import { addLimitFlags, type LimitFlags, limitSettings } from "./limit_flags.ts";
import { countTroubles, DISK_PATIENCE_MS, tellingTrouble } from "./local_trouble.ts";
import { openLog } from "./logging.ts";
import type { Moment } from "./progress.ts";
import { openPublishing, type Publishing } from "./publishing.ts";
import { addScanFlag, type ScanFlag } from "./scan_flag.ts";
import { openScreen, type Screen } from "./screen.ts";
import { listenForStop, type StopSignal } from "./stop_signal.ts";

interface Flags extends CrawlFlags, LimitFlags, ScanFlag, SegmentFlags {
  readonly data: string;
  readonly region: string;
  readonly seeds?: string;
  readonly hosts: number;
  readonly diskPatienceMs: number;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** The one worker of a one-process crawl. Leases of it that are found open belong to a dead run. */
const WORKER = "local";
/** How often the end of the crawl is looked for, ms. */
const WATCH_MS = 100;
/** What is shown as pages per second is the mean over this long, ms. */
const RATE_MS = 5_000;

export function registerCrawl(program: Command): void {
  const command = program.command("crawl [urls...]")
    .description("crawl sites from these URLs in one process; writes WARC, CDXJ and JSON lines into the data folder")
    .option("--contact <who>", "mail or web address for the owners of the sites; needed for anything but loopback")
    .option(
      "--scope <kind>",
      "which links are followed: host, domain, prefix or any",
      oneOf(["host", "domain", "prefix", "any"]),
      "host",
    )
    .option("--domain <name>", "a further domain that is in scope, with its subdomains (repeatable)", many, [])
    .option("--include <regex>", "follow only URLs that match one of these (repeatable)", many, [])
    .option("--exclude <regex>", "never follow URLs that match (repeatable)", many, [])
    .option(
      "--order <name>",
      "which URL of a host comes first: priority (depth, in-links and more) or breadth_first",
      oneOf(["priority", "breadth_first"]),
      "priority",
    )
    .option(
      "--sitemaps <use>",
      "which sitemaps are read: none, those that robots.txt names (robots), or also /sitemap.xml where it names none (all)",
      oneOf(["none", "robots", "all"]),
      "robots",
    )
    .option("--max-pages <n>", "stop after this many pages with status 2xx", number({ least: 1 }))
    .option(
      "--max-depth <n>",
      "follow links up to this many steps from the seeds",
      number({ least: 0, most: 1_000_000 }),
    )
    .option(
      "--delay-ms <ms>",
      "least time between two requests to one host; 0 only with --allow-address",
      number({ least: 0, most: LIMITS.delayMaxMs }),
      LIMITS.delayMs,
    )
    .option(
      "--delay-factor <x>",
      "... and at least this multiple of the response time",
      number({ least: 0, most: 1000, whole: false }),
      LIMITS.delayFactor,
    )
    .option(
      "--max-parallel <n>",
      "requests to one host at the same time",
      number({ least: 1, most: LIMITS.hostInFlightMax }),
      1,
    )
    .option("--hosts <n>", "hosts crawled at the same time", number({ least: 1, most: 10_000 }), 64)
    .option(
      "--disk-patience-ms <ms>",
      "how long a full or failing disk is waited for before the crawl ends",
      number({ least: 0 }),
      DISK_PATIENCE_MS,
    )
    .option("--region <name>", "where this runs, for the record", name, "local")
    .option("--data <folder>", "the data folder", folder, "outrider-data")
    .option("--seeds <file>", "read further seeds from a file, one URL a line; - is stdin")
    .option("--user-agent <text>", "send this User-Agent; it must contain the product token")
    .option("--json", "progress and summary as JSON lines")
    .option("--verbose", "log more, to stderr");
  addScanFlag(addSegmentFlags(addFetchFlags(addLimitFlags(command)))).action(crawl);
}

async function crawl(urls: readonly string[], flags: Flags): Promise<void> {
  const screen = openScreen(flags.json ?? false);
  // From the first moment to the last: opening and closing a large folder take a while too.
  const stop = listenForStop(() =>
    screen.say("Stopping: requests in flight are settled; a second Ctrl-C ends at once.")
  );
  try {
    await crawlUntil(stop, screen, urls, flags);
  } finally {
    stop.dispose();
  }
}

async function crawlUntil(stop: StopSignal, screen: Screen, urls: readonly string[], flags: Flags): Promise<void> {
  const log = openLog({
    level: flags.verbose ? "debug" : "error",
    json: flags.json ?? false,
    beforeLine: screen.clear,
  });
  const seeds = [...urls, ...(flags.seeds === undefined ? [] : readSeeds(flags.seeds))];
  checkAddressFlags(flags);
  const core = await loadCore();
  checkSeeds(seeds, core);
  const plan = planCrawl(seeds, flags, nativeDigest);
  const segments = segmentPlace(flags);
  const unlock = await lockFolder(flags.data);
  try {
    const { coordinator } = await openCoordinatorNode({
      core,
      log,
      folder: flags.data,
      shards: 1,
      settings: { ...limitSettings(flags), deadWorker: WORKER },
    });
    const troubles = countTroubles({
      clock: systemClock,
      diskPatienceMs: flags.diskPatienceMs,
      say: screen.say,
      giveUp: (sentence) => stop.stop(`gave up: ${sentence}`),
    });
    try {
      const publishing = await openPublishing({
        folder: flags.data,
        storagePrefix: "",
        frontier: coordinator,
        core,
        shards: () => [0],
        onLocalTrouble: troubles.ofMachine,
        blobs: segments && openBlobs(segments.place),
      });
      if (segments !== undefined) await tryBlobs(segments.place, "crawl.json");
      const frontier = tellingTrouble(coordinator, troubles.ofMachine);
      const parts = { frontier, log, onLocalTrouble: troubles.ofEdge };
      const edge = await openEdgeThread({ ...edgeSettings(plan, flags), segments }, parts);
      const { data: folder, recrawl = false } = flags;
      const archive = segments?.place.url;
      await work({ plan, coordinator, edge, publishing, stop, screen, folder, archive, recrawl });
    } finally {
      await coordinator.close();
    }
  } finally {
    await unlock();
  }
}

function edgeSettings(plan: CrawlPlan, flags: Flags): EdgeNodeSettings {
  return {
    folder: flags.data,
    storagePrefix: "",
    archiveName: plan.crawlId,
    workerId: WORKER,
    region: flags.region,
    userAgent: plan.spec.user_agent,
    contact: flags.contact,
    maxHosts: flags.hosts,
    scanThreads: flags.scanThreads,
    openedCidrs: plan.openedCidrs,
    resolve: flags.resolve,
    resolvers: flags.resolver,
    timeoutMs: flags.timeoutMs,
    bodyBytes: Math.round(flags.maxBodyMb * 1e6),
  };
}

function readSeeds(path: string): string[] {
  try {
    return seedsFrom(readFileSync(path === "-" ? 0 : path));
  } catch (error) {
    const found = error instanceof TypeError ? "it isn't UTF-8" : (error as Error).message;
    const name = path === "-" ? "stdin" : path;
    throw new Fault(`Reading seeds from ${name} failed: ${found}; a text file with one URL a line is wanted.`, USAGE);
  }
}

interface Work {
  readonly plan: CrawlPlan;
  readonly coordinator: Coordinator;
  readonly edge: EdgeNode;
  readonly publishing: Publishing;
  readonly stop: StopSignal;
  readonly screen: Screen;
  readonly folder: string;
  readonly archive: string | undefined;
  readonly recrawl: boolean;
}

async function work(parts: Work): Promise<void> {
  const { plan, coordinator, edge, publishing, stop, screen, folder } = parts;
  const startedAt = systemClock.monotonicMs();
  let unclosed: string | undefined;
  try {
    await begin(parts);
    const watching = watch(parts).finally(() => stop.stop("finished"));
    await Promise.all([edge.run(stop.signal), publishing.run(stop.signal)]);
    await watching;
  } finally {
    for (const part of [edge, publishing]) await part.close().catch((error: Error) => unclosed ??= error.message);
  }
  const finished = coordinator.stats(plan.crawlId)!.state === "finished";
  // Where that can't be saved, the crawl is taken up as after a crash.
  if (!finished) await coordinator.setCrawlState(plan.crawlId, "paused").catch(() => {});
  const ended = coordinator.stats(plan.crawlId)!;
  // That it was paused is this process's own doing: `how` says why.
  const isPaused = !finished && ended.state !== "cancelled";
  const stats: CrawlStats = isPaused ? { ...ended, state: "paused", reason: "" } : ended;
  const how = finished ? "finished" : stop.reason();
  const tookMs = systemClock.monotonicMs() - startedAt;
  screen.end({ stats, tookMs, folder, archive: parts.archive, how, resumable: !finished });
  if (stats.fetched === 0 && finished) screen.say(await nothingFetched(plan, coordinator));
  if (unclosed !== undefined) screen.say(unclosed);
  process.exitCode = unclosed === undefined ? exitCode(stats, how) : 1;
}

/** Makes the crawl or takes it up again; every other crawl of the folder rests meanwhile. */
async function begin({ plan, coordinator, screen, recrawl }: Work): Promise<void> {
  for (const other of coordinator.crawls()) {
    if (other.crawlId !== plan.crawlId && other.state === "running") {
      await coordinator.setCrawlState(other.crawlId, "paused");
    }
  }
  await coordinator.retuneCrawl(plan.crawlId, plan.spec);
  const { seeds, resumed, crawl } = await coordinator.createCrawl(plan.crawlId, plan.spec);
  if (crawl.state === "paused") await coordinator.setCrawlState(plan.crawlId, "running");
  for (const { url, reason } of seeds.rejected) screen.say(`Seed ${url} isn't taken: ${reason}.`);
  if (recrawl && crawl.state === "finished") {
    const queued = await coordinator.recrawl(plan.crawlId);
    screen.say(`Recrawling ${plan.crawlId}: ${queued === 1 ? "1 URL is" : `${queued} URLs are`} asked for again.`);
  } else if (resumed) {
    const { fetched } = coordinator.stats(plan.crawlId)!;
    screen.say(`Going on with ${plan.crawlId}: ${fetched === 1 ? "1 page is" : `${fetched} pages are`} there already.`);
  }
}

/** Reports progress until the crawl is finished or stopped. */
async function watch({ plan, coordinator, stop, screen }: Work): Promise<void> {
  const now = (): Moment => ({ stats: coordinator.stats(plan.crawlId)!, atMs: systemClock.monotonicMs() });
  const isRunning = () => coordinator.crawls().some((row) => row.crawlId === plan.crawlId && row.state === "running");
  const moments = [now()];
  while (!stop.signal.aborted) {
    await systemClock.sleep(WATCH_MS, stop.signal);
    if (!isRunning()) return;
    // Stats look at every host: not more often than they are shown.
    if (systemClock.monotonicMs() - moments.at(-1)!.atMs < screen.everyMs) continue;
    const moment = now();
    while (moments.length > 1 && moment.atMs - moments[1]!.atMs >= RATE_MS) moments.shift();
    screen.progress(moments[0]!, moment);
    moments.push(moment);
  }
}

async function nothingFetched(plan: CrawlPlan, coordinator: Coordinator): Promise<string> {
  const reasons: string[] = [];
  for (const seed of plan.spec.seeds.slice(0, 3)) {
    const status = await coordinator.urlStatus(plan.crawlId, seed);
    if (status) reasons.push(`${status.url}: ${status.why}`);
  }
  return ["No page was fetched.", ...reasons].join("\n");
}

function exitCode(stats: CrawlStats, how: string): number {
  if (stats.state === "finished") return stats.fetched > 0 ? 0 : 1;
  return how.startsWith("stopped") ? 130 : 1;
}
