/**
 * What is known of one URL in one crawl, with the reason as a sentence.
 * Invariant: reads only; the answer is about the newest committed row, and about leases that are out.
 */

import type { UrlStatus } from "../../explain_ports.ts";
import type { UrlRow } from "../../ports.ts";
import type { Crawl } from "../crawls/crawl.ts";
import type { Shard } from "../shard.ts";
import { utcTime } from "./utc_time.ts";

export function urlStatusOf(row: UrlRow, key: string, at: { shard: Shard; crawl: Crawl; now: number }): UrlStatus {
  const { shard } = at;
  const host = shard.hosts.get(row.host);
  const isOut = host?.lease?.crawlId === row.crawlId && host.lease.pages.has(row.fingerprint);
  return {
    url: row.url,
    key,
    status: isOut ? "crawling" : statusOf(row),
    ...(row.lastFetchAt > 0 ? { lastCrawledAt: row.lastFetchAt } : {}),
    ...(row.httpCode > 0 ? { httpStatus: row.httpCode } : {}),
    why: isOut ? `leased to ${host!.lease!.workerId}` : why(row, at),
  };
}

function statusOf(row: UrlRow): UrlStatus["status"] {
  if (row.state === "done") return "done";
  return row.state === "excluded" || row.state === "dead" ? "blocked" : "pending";
}

function why(row: UrlRow, { shard, crawl, now }: { shard: Shard; crawl: Crawl; now: number }): string {
  switch (row.state) {
    case "done":
      return row.httpCode > 0 ? `fetched with status ${row.httpCode}` : "fetched";
    case "excluded":
      return `excluded: ${row.reason}`;
    case "dead":
      return `given up${afterTries(row.attempts)}: ${row.reason}`;
    case "waiting":
      return `tried again from ${utcTime(row.availableAt, now)} on: ${row.reason}`;
    case "ready":
      return whyQueued(row, { shard, crawl, now });
  }
}

function afterTries(attempts: number): string {
  if (attempts === 0) return "";
  return attempts === 1 ? " after 1 try" : ` after ${attempts} tries`;
}

function whyQueued(row: UrlRow, { shard, crawl, now }: { shard: Shard; crawl: Crawl; now: number }): string {
  if (!crawl.isRunning) {
    return `not fetched: the crawl is ${crawl.row.state}${crawl.row.reason === "" ? "" : `, ${crawl.row.reason}`}`;
  }
  const host = shard.hosts.get(row.host);
  if (host === undefined) return "queued";
  if (host.blockedReason !== "") return `queued; its host is blocked: ${host.blockedReason}`;
  if (host.paused) return "queued; its host is paused by an operator";
  if (host.lease !== undefined) return "queued; other URLs of its host are being fetched";
  if (host.nextStartAt > now) return `queued; its host waits until ${utcTime(host.nextStartAt, now)}`;
  return "queued";
}
