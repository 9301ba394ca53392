import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import type { CrawlStats } from "../protocol/mod.ts";
import { bytesText, durationText, narrowLine, progressLine, summary } from "./progress.ts";

const stats: CrawlStats = {
  crawl_id: "c",
  state: "running",
  reason: "waiting until 12:04:31 UTC: 3 hosts backing off",
  accepted: 30,
  queued: 5,
  leased: 0,
  settled: 25,
  fetched: 20,
  pages: 18,
  sitemaps: 2,
  redirected: 1,
  excluded: 3,
  dead: 1,
  rejected_by_reason: { scope: 7 },
  errors_by_class: { dns: 1, http_503: 4, tls: 0 },
  leases_by_region: { local: 9 },
  leases_placed: 0,
  leases_home: 0,
  bytes: 1_234_567,
  requests: 31,
  hosts_active: 0,
  hosts_waiting: 3,
  outbox_rows: 0,
};

test("progress: one line with rate, errors by class, and what is waited for", () => {
  const line = progressLine({ stats: { ...stats, fetched: 10 }, atMs: 1000 }, { stats, atMs: 3000 });
  assert.equal(
    line,
    "20 pages | 5.0/s | 5 queued | 0 hosts active | 1.2 MB | errors: http_503 4, dns 1 | waiting until 12:04:31 UTC: 3 hosts backing off",
  );
});

test("progress: in a narrow terminal what is waited for goes before rate and errors, and what is cut off is marked", () => {
  const now = { stats, atMs: 3000 };
  const busy = { stats: { ...stats, hosts_active: 2 }, atMs: 3000 };
  assert.equal(narrowLine(now, now, 200), progressLine(now, now));
  assert.equal(narrowLine(now, now, 79), `20 pages | 5 queued | ${stats.reason}`);
  assert.equal(narrowLine(now, now, 30), "20 pages | 5 queued | waiting…");
  assert.equal(narrowLine(busy, busy, 40), "20 pages | 0.0/s | 5 queued | 2 hosts a…");
});

test("progress: one of a thing is told in the singular", () => {
  const one = { ...stats, fetched: 1, sitemaps: 1, hosts_active: 1 };
  assert.match(progressLine({ stats: one, atMs: 0 }, { stats: one, atMs: 1 }), /^1 page \| .*\| 1 host active \|/);
  assert.match(
    summary({ stats: one, tookMs: 1, folder: "out", how: "stopped", resumable: true }),
    /1 sitemap, 1 redirect,/,
  );
});

test("progress: units of bytes and time", () => {
  assert.deepEqual([0, 999, 1000, 123_456, 9_900_000_000].map(bytesText), [
    "0 B",
    "999 B",
    "1.0 kB",
    "123 kB",
    "9.9 GB",
  ]);
  assert.deepEqual([500, 5000, 65_000, 3_725_000].map(durationText), ["0.5s", "5s", "1m 5s", "1h 2m 5s"]);
});

test("progress: the summary has errors in words, a line for each, the most frequent first (E70, E76)", () => {
  const errors_by_class = {
    robots_dns: 3,
    robots_connect_refused: 9,
    tls: 1,
    robots_unreachable: 2,
    http_4xx: 5,
    new: 1,
  };
  const text = summary({ stats: { ...stats, errors_by_class }, tookMs: 1, folder: "out", how: "", resumable: false });
  assert.deepEqual(text.slice(text.indexOf("Errors"), text.indexOf("\nNot taken")).split("\n"), [
    "Errors    9 x robots.txt can't be had: nobody listens there, or there is no way there (robots_connect_refused)",
    "          5 x pages with a status 4xx (http_4xx)",
    "          3 x robots.txt can't be had: no address for the name (robots_dns)",
    "          2 x robots.txt can't be read (robots_unreachable)",
    "          1 x no valid TLS (tls)",
    "          1 x new",
  ]);
});

test("progress: the summary says where the output lies and that the crawl can go on", () => {
  const text = summary({ stats, tookMs: 5000, folder: "out", how: "stopped", resumable: true });
  for (const part of ["out/warc/*.warc.gz", "out/index.cdxj", "20 fetched", "scope 7", "The same command goes on"]) {
    assert.ok(text.includes(part), part);
  }
});

test("summary: an archive is named where something was received", () => {
  const archiveOf = (bytes: number) => /Archive.*/.exec(summary({ stats: { ...stats, bytes }, ...ENDING }))![0];
  assert.match(archiveOf(1), /out\/warc\/\*\.warc\.gz/);
  assert.match(archiveOf(0), /empty, as nothing was received$/);
});

const ENDING = { tookMs: 1, folder: "out", how: "finished", resumable: false };
