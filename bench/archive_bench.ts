/**
 * The archive alone: what one append costs and how many bytes it leaves, for pages of the synthetic web as a fetcher
 * hands them over. Invariant: the records are made, digested and compressed as in a crawl; only the disk is left out.
 */

import { gzipSync } from "node:zlib";
import type { ArchiveEntry } from "../edge/ports.ts";
import { openArchive } from "../edge/warc/archive.ts";
import { nativeDigest, nativeGzip, systemClock, systemRandom } from "../runtime/node.ts";
import { discardingFiles } from "./discarding_files.ts";
import { processUsage } from "./process_usage.ts";
import { median, type Row } from "./report/table.ts";
import { pageBytes } from "./web/html.ts";
import { createWorld, webConfig } from "./web/mod.ts";
import { resourceAt } from "./web/resources.ts";
import { pagePath } from "./web/world.ts";

const PAGES = 200;
const ROUNDS = 15;
/** Appends that wait at the same time, as those of as many hosts do. */
const OVERLAP = 20;

interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  readonly decoded: Uint8Array;
}

const encoder = new TextEncoder();

function entryOf(url: URL, reply: Reply, index: number): ArchiveEntry {
  return {
    captureName: `0123456789abcdef01234567/1/${index}/0`,
    fetchedAt: 1_796_056_313_123 + index,
    payloadDigest: "",
    contentHash: "0".repeat(64),
    facts: { charset: "utf-8", simhash: "0123456789abcdef", outlinks: 20 },
    exchange: {
      ok: true,
      url: url.href,
      reason: reply.status === 200 ? "OK" : "Moved Permanently",
      httpVersion: "1.1",
      requestHead: encoder.encode(
        `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n` +
          "User-Agent: Outrider/0.1.0 (+mailto:bench@example.org)\r\n" +
          "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n" +
          "Accept-Encoding: gzip, deflate, br, zstd\r\nConnection: keep-alive\r\n\r\n",
      ),
      remoteAddress: "127.0.0.1",
      timings: { startedAt: 0, totalMs: 5 },
      ...reply,
    },
  };
}

/** With the payload's digest, as the edge hands it over. */
function digested(entry: ArchiveEntry): ArchiveEntry {
  return { ...entry, payloadDigest: `sha1:${nativeDigest.sha1Base32(entry.exchange.body)}` };
}

function replyOf(kind: string, page: Uint8Array): Reply {
  if (kind === "redirect") {
    const empty = new Uint8Array(0);
    return { status: 301, headers: [["Location", "/a/b/c"], ["Content-Length", "0"]], body: empty, decoded: empty };
  }
  const coded = kind === "page, gzip-coded";
  const body = coded ? new Uint8Array(gzipSync(page, { level: 1 })) : page;
  const headers: [string, string][] = [
    ["Content-Type", "text/html; charset=utf-8"],
    ["ETag", '"7d0e3b1-gzip"'],
    ["Last-Modified", "Tue, 03 Feb 2026 10:00:00 GMT"],
    ["Vary", "Accept-Encoding"],
    ["Content-Length", String(body.length)],
  ];
  if (coded) headers.push(["Content-Encoding", "gzip"]);
  return { status: 200, headers, body, decoded: page };
}

function entries(kind: string): ArchiveEntry[] {
  const world = createWorld(webConfig({ pages: PAGES, hosts: 10 }));
  return Array.from({ length: PAGES }, (_, i) => {
    const [host, local] = [i % 10, Math.floor(i / 10)];
    const path = pagePath(world, host, local);
    const page = pageBytes(world, resourceAt(world, host, path));
    return entryOf(new URL(path, world.origin(host)), replyOf(kind, page), i);
  });
}

async function run(kind: string): Promise<Row> {
  const list = entries(kind);
  const files = discardingFiles();
  const archive = await openArchive({
    folder: "bench",
    storagePrefix: "",
    files,
    gzip: nativeGzip,
    digest: nativeDigest,
    clock: systemClock,
    random: systemRandom,
    settings: {
      name: "bench",
      info: { software: "bench", userAgent: "bench", robots: "RFC 9309", coreBuildHash: "0", keyVersion: 1 },
    },
  });
  const cpuUs: number[] = [];
  let before = 0;
  for (let round = 0; round < ROUNDS; round++) {
    before = files.bytes;
    const startedAt = processUsage()!.cpuSeconds;
    for (let i = 0; i < list.length; i += OVERLAP) {
      await Promise.all(list.slice(i, i + OVERLAP).map((entry) => archive.append(digested(entry))));
    }
    cpuUs.push((processUsage()!.cpuSeconds - startedAt) * 1e6 / list.length);
  }
  const bytes = (files.bytes - before) / list.length;
  await archive.close();
  const body = list.reduce((sum, { exchange }) => sum + exchange.body.length, 0) / list.length;
  return { kind, "CPU µs per append": median(cpuUs), "body bytes": body, "bytes on disk": bytes };
}

/** One row for each kind of reply; CPU time of all threads, median of the rounds. */
export async function benchArchive(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of ["page, gzip-coded", "page, plain", "redirect"]) rows.push(await run(kind));
  return rows;
}
