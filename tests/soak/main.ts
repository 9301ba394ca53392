/**
 * The soak: one crawl, for as long as it is told, of a synthetic web with all its oddities and of a web of faults, at a
 * polite pace; its memory, files and sockets are looked at all along. `--minutes=N` (default 60), `--runtime=deno|bun`.
 * Exits with 1 when memory or files rise, when sockets pass their bound, or when the crawl can't be stopped.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { risePercent } from "../../bench/long_bench.ts";
import { median, table } from "../../bench/report/table.ts";
import { type Sample, watchCrawl, type WatchedCrawl } from "../../bench/watched_crawl.ts";
import { FINISHING } from "../../bench/web/config.ts";
import { RUNTIME_NAME } from "../../bench/runtime_name.ts";
import { spawnWeb } from "../support/web_server.ts";
import { startFaultWeb } from "./fault_server.ts";

function option(name: string): string | undefined {
  return process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
}

const PARTS = 10;
const HOSTS_AT_ONCE = 48;
/** Connections that the fetcher may hold: those in use and those kept for later. */
const MOST_SOCKETS = HOSTS_AT_ONCE * 8 + 512;
/** Rise of a line through the samples from the first tenth to the end that counts as flat, in percent. */
const FLAT_PERCENT = 5;
/** Files beside sockets (archive, databases, the runtime's own): how many more the last part may have than the second. */
const FILES_SLACK = 4;

const minutes = Number(option("minutes") ?? 60);
const runtime = option("runtime") ?? RUNTIME_NAME;
const features = [...FINISHING.filter((name) => name !== "traps"), "failures", "slow", "robots_recovering"] as const;
const web = await spawnWeb({ pages: 1_000_000, hosts: 1_000, hostForm: "address", features });
const faults = await startFaultWeb();
const folder = mkdtempSync(join(tmpdir(), "outrider-soak-"));
let crawl: WatchedCrawl;
try {
  const seeds = join(folder, "seeds.txt");
  writeFileSync(seeds, [web.seed, ...faults.seeds].join("\n"));
  const limits = ["--delay-ms", "200", "--delay-factor", "1", "--domain-delay-ms", "50", "--address-delay-ms", "50"];
  crawl = await watchCrawl({
    runtime,
    args: [
      "--seeds",
      seeds,
      "--scope",
      "any",
      "--contact",
      "soak@example.org",
      ...limits,
      "--hosts",
      String(HOSTS_AT_ONCE),
      "--allow-address",
    ]
      .concat("127.0.0.0/8", "--data", join(folder, "data")),
    stopAfterMs: minutes * 60_000,
  });
} finally {
  await faults.close();
  await web.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = report(crawl) ? 0 : 1;

function report({ samples, summary, ended }: WatchedCrawl): boolean {
  const parts = Array.from({ length: PARTS }, (_, i) => samplesOf(samples, i));
  const rows = parts.filter((part) => part.length > 0).map((part) => ({
    runtime,
    "after min": part.at(-1)!.atSeconds / 60,
    pages: part.at(-1)!.pages,
    "RSS MB": median(part.map((one) => one.rssMb)),
    "most MB": Math.max(...part.map((one) => one.rssMb)),
    "CPU s": part.at(-1)!.cpuSeconds,
    files: median(part.map((one) => one.files - one.sockets)),
    sockets: Math.max(...part.map((one) => one.sockets)),
  }));
  const steady = parts.slice(1).flat();
  const rise = steady.length > 1 ? risePercent(steady) : NaN;
  const [early, late] = [rows[1]?.files ?? NaN, rows.at(-1)?.files ?? NaN];
  const faults = [
    ...(rise < FLAT_PERCENT ? [] : [`memory rose by ${rise.toFixed(1)} %; less than ${FLAT_PERCENT} % is wanted`]),
    ...(late <= early + FILES_SLACK ? [] : [`open files went from ${early} to ${late}`]),
    ...(rows.every((row) => row.sockets <= MOST_SOCKETS) ? [] : [`more than ${MOST_SOCKETS} sockets were open`]),
    ...(ended === 0 || ended === 130 ? [] : [`the crawl ended with ${ended}; 0 or 130 is wanted`]),
  ];
  process.stdout.write(`${table(rows)}\nrise of memory from the first tenth on: ${rise.toFixed(1)} %\n`);
  process.stdout.write(`${JSON.stringify(summary)}\n${faults.length === 0 ? "held" : faults.join("; ")}\n`);
  return faults.length === 0;
}

/** Those of one part of the time. */
function samplesOf(samples: readonly Sample[], part: number): Sample[] {
  const end = samples.at(-1)?.atSeconds ?? 0;
  return samples.filter((one) => Math.min(PARTS - 1, Math.floor((PARTS * one.atSeconds) / end)) === part);
}
