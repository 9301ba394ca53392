/**
 * What must hold when a crawl has ended: every URL that was to be found is settled as the plan of the web says, each
 * answer is captured once, and every capture is where its record says.
 * Invariant: looks at rows and bytes on disks, never at what the frontier says of itself, but for comparing the two.
 */

import type { Coordinator, UrlRow } from "../../../coordinator/ports.ts";
import type { MemoryShardDisk } from "../../../coordinator/store/memory_shard_store.ts";
import type { CrawlId } from "../../../protocol/mod.ts";
import { nativeGunzip } from "../../../runtime/gunzip.ts";
import type { MemoryFiles } from "../../support/memory_files.ts";
import type { End, Expected } from "../expected.ts";
import type { CommitCheck } from "./commit_check.ts";
import type { Verdict } from "./verdict.ts";

export interface Ended {
  readonly verdict: Verdict;
  readonly commits: CommitCheck;
  readonly disks: readonly MemoryShardDisk[];
  /** Edges' files by their name. */
  readonly files: ReadonlyMap<string, MemoryFiles>;
}

/** A crawl without a page limit has found all of `expected`; one with a limit has fetched as many pages as it may. */
export function checkCrawl(ended: Ended, crawlId: CrawlId, expected: Expected, maxPages: number | undefined): void {
  const { verdict, commits } = ended;
  const rows = commits.urlsOf(crawlId);
  for (const [fingerprint, row] of rows) {
    const found = expected.ends.get(fingerprint);
    verdict.expect(found !== undefined, () => `crawl ${crawlId} accepted ${row.url}, which nothing leads to`);
    if (found !== undefined && maxPages === undefined) {
      verdict.expect(
        isEnd(row, found.end),
        () =>
          `${row.url} ended as ${row.state} ${row.httpCode} after ${row.attempts} tries (${row.reason}), not as ${found.end}`,
      );
    }
  }
  if (maxPages === undefined) {
    for (const [fingerprint, { url }] of expected.ends) {
      verdict.expect(rows.has(fingerprint), () => `${url} was never accepted in crawl ${crawlId}`);
    }
  }
  const pages = commits.countersOf(crawlId).reduce((sum, row) => sum + row.pages, 0);
  const wanted = Math.min(expected.pages, maxPages ?? Infinity);
  verdict.expect(pages === wanted, () => `crawl ${crawlId} counts ${pages} pages; ${wanted} were to be found`);
}

function isEnd({ state, httpCode }: UrlRow, end: End): boolean {
  switch (end) {
    case "page":
      return state === "done" && httpCode === 200;
    case "missing":
      return state === "done" && httpCode === 404;
    case "redirected":
      return state === "done" && httpCode === 301;
    default:
      return state === end;
  }
}

/** Nothing is out or under way, and what a coordinator says of its crawls is what lies on the disks. */
export function checkStats(verdict: Verdict, commits: CommitCheck, coordinator: Coordinator): void {
  for (const { crawlId, state } of coordinator.crawls()) {
    if (state !== "finished") continue;
    const stats = coordinator.stats(crawlId)!;
    const settled = settledOf(commits, crawlId);
    verdict.expect(
      stats.settled === settled.length && stats.accepted === commits.urlsOf(crawlId).size,
      () => `stats of ${crawlId} say ${stats.settled} of ${stats.accepted} settled; the rows say ${settled.length}`,
    );
    verdict.expect(
      stats.leased === 0 && stats.queued === stats.accepted - stats.settled,
      () => `stats of the finished crawl ${crawlId} say ${stats.leased} leased, ${stats.queued} queued`,
    );
  }
}

/** Whatever is done has a capture that was acknowledged. */
export function checkCaptures({ verdict, commits, disks }: Ended, crawlId: CrawlId): void {
  const answers = disks.flatMap((disk) =>
    disk.captures.filter((one) => one.crawl_id === crawlId && one.kind === "page" && one.role !== "failure")
  );
  const captured = new Set(answers.map(({ fingerprint }) => fingerprint));
  for (const row of settledOf(commits, crawlId)) {
    if (row.state !== "done") continue;
    verdict.expect(captured.has(row.fingerprint), () => `${row.url} is done, but no capture of it was acknowledged`);
  }
}

function settledOf(commits: CommitCheck, crawlId: CrawlId): UrlRow[] {
  return [...commits.urlsOf(crawlId).values()].filter(({ state }) => state !== "ready" && state !== "waiting");
}

/**
 * Every acknowledged capture is a whole record, durable, of the URL that it is said to be of; a revisit refers to an
 * acknowledged response of the same crawl with the same payload.
 */
export async function checkArchive({ verdict, disks, files }: Ended): Promise<void> {
  const captures = disks.flatMap((disk) => disk.captures);
  const placeOf = (crawl: string, digest: string, at: { readonly url: string; readonly fetched_at: number }) =>
    `${crawl} ${digest} ${at.url} ${at.fetched_at}`;
  const whole = captures.filter(({ refers_to }) => refers_to === undefined);
  const responses = new Set(whole.map((one) => placeOf(one.crawl_id, one.payload_digest, one)));
  for (const { url, record, crawl_id, payload_digest, refers_to } of captures) {
    verdict.expect(
      refers_to === undefined || responses.has(placeOf(crawl_id, payload_digest, refers_to)),
      () => `the capture of ${url} refers to one of ${refers_to?.url} that was never acknowledged`,
    );
    const type = refers_to === undefined ? "response" : "revisit";
    const { storage_key, offset, length } = record;
    const bytes = await files.get(storage_key.split("/", 1)[0]!)?.readRange(`data/${storage_key}`, offset, length);
    const member = bytes === undefined ? undefined : nativeGunzip.member(bytes, 1 << 20);
    const head = member?.state === "whole" ? new TextDecoder().decode(member.data.subarray(0, 1024)) : "";
    verdict.expect(
      head.includes(`WARC-Target-URI: ${url}\r\n`) && head.includes(`WARC-Type: ${type}`),
      () => `the capture of ${url} points at ${storage_key}:${offset}+${length}, where no such record is`,
    );
  }
}
