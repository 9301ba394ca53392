/**
 * What a person sees of a crawl while it runs and when it ends. Pure: stats in, text out.
 */

import type { CrawlStats } from "../protocol/mod.ts";
import { errorWords } from "./error_words.ts";

/** A crawl's stats at one moment, with what only the process knows. */
export interface Moment {
  readonly stats: CrawlStats;
  /** Monotonic ms. */
  readonly atMs: number;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** 1234567 -> "1.2 MB" (decimal units). */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** 3725000 -> "1h 2m 5s". */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts = [[Math.floor(seconds / 3600), "h"], [Math.floor(seconds / 60) % 60, "m"], [seconds % 60, "s"]] as const;
  const first = parts.findIndex(([value]) => value > 0);
  return first < 0
    ? `${(ms / 1000).toFixed(1)}s`
    : parts.slice(first).map(([value, unit]) => `${value}${unit}`).join(" ");
}

/** (1, "page") -> "1 page", (2, "page") -> "2 pages". */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Those that aren't 0, the most frequent first. */
function sorted(table: Readonly<Record<string, number>>): [name: string, count: number][] {
  return Object.entries(table).filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);
}

function counts(table: Readonly<Record<string, number>>): string {
  return sorted(table).map(([name, count]) => `${name} ${count}`).join(", ");
}

const LABEL_CHARS = 10;

/** A line for each class. */
function errorLines(table: Readonly<Record<string, number>>): string {
  const lines = sorted(table).map(([name, count]) => `${count} x ${errorWords(name)}`);
  return lines.join(`\n${" ".repeat(LABEL_CHARS)}`) || "none";
}

/** Pages per second between two moments; 0 while too little time has passed. */
export function pagesPerSecond(before: Moment, now: Moment): number {
  const seconds = (now.atMs - before.atMs) / 1000;
  return seconds < 0.05 ? 0 : Math.max(0, now.stats.fetched - before.stats.fetched) / seconds;
}

/** One line: pages, pages/s, queued, hosts active, errors by class, bytes, and what is waited for. */
export function progressLine(before: Moment, now: Moment): string {
  const { stats } = now;
  const errors = counts(stats.errors_by_class);
  return [
    plural(stats.fetched, "page"),
    `${pagesPerSecond(before, now).toFixed(1)}/s`,
    `${stats.queued} queued`,
    `${plural(stats.hosts_active, "host")} active`,
    bytesText(stats.bytes),
    ...(errors === "" ? [] : [`errors: ${errors}`]),
    ...(stats.hosts_active === 0 && stats.reason !== "" ? [stats.reason] : []),
  ].join(" | ");
}

/** The same for a terminal: where it is too narrow for all, what is waited for goes before rate, bytes and errors. */
export function narrowLine(before: Moment, now: Moment, chars: number): string {
  const whole = progressLine(before, now);
  const { stats } = now;
  const waits = stats.hosts_active === 0 && stats.reason !== "";
  const line = whole.length <= chars || !waits
    ? whole
    : [plural(stats.fetched, "page"), `${stats.queued} queued`, stats.reason].join(" | ");
  return line.length <= chars ? line : `${line.slice(0, chars - 1)}…`;
}

export interface Ending {
  readonly stats: CrawlStats;
  readonly tookMs: number;
  readonly folder: string;
  /** Where the WARC files are; absent = in the folder. */
  readonly archive?: string | undefined;
  /** How it ended, in words: "finished", "stopped by Ctrl-C", ... */
  readonly how: string;
  /** The command goes on where this run stopped. */
  readonly resumable: boolean;
}

/** The closing summary, several lines. */
export function summary({ stats, tookMs, folder, archive = folder, how, resumable }: Ending): string {
  const rows: [string, string][] = [
    ["Crawl", `${stats.crawl_id}: ${how}${stats.reason === "" || stats.reason === how ? "" : ` (${stats.reason})`}`],
    [
      "Pages",
      `${stats.fetched} fetched (${stats.pages} with status 2xx), ${
        stats.sitemaps > 0 ? `${plural(stats.sitemaps, "sitemap")}, ` : ""
      }${
        plural(stats.redirected, "redirect")
      }, ${stats.excluded} excluded by robots.txt or rules, ${stats.dead} failed for good`,
    ],
    ["Left", `${stats.queued} queued`],
    ["Requests", `${stats.requests}, ${bytesText(stats.bytes)} received`],
    ["Time", `${durationText(tookMs)} in this run`],
    ["Errors", errorLines(stats.errors_by_class)],
    ["Not taken", counts(stats.rejected_by_reason) || "none"],
    ["Archive", stats.bytes > 0 ? `${archive}/warc/*.warc.gz (WARC 1.1)` : "empty, as nothing was received"],
    ["Index", `${folder}/index.cdxj, ${folder}/pages.jsonl`],
  ];
  const text = rows.map(([name, value]) => `${name.padEnd(LABEL_CHARS)}${value}`).join("\n");
  return resumable ? `${text}\nThe same command goes on where this run stopped.` : text;
}
