/** Entries and archives for tests of what writes or reads WARC files. */

import { openArchive } from "../../edge/warc/archive.ts";
import type { Archive, ArchiveEntry, Exchange } from "../../edge/ports.ts";
import { nativeDigest, nativeGzip } from "../../runtime/node.ts";
import type { Clock, Files, Random } from "../../runtime/ports.ts";

const encoder = new TextEncoder();

/** 2026-11-30T16:31:53.123Z. */
export const FETCHED_AT = 1_796_056_313_123;

type EntryChanges = Partial<Exchange> & Partial<Pick<ArchiveEntry, "captureName" | "facts" | "refersTo">>;

export function sampleEntry({ captureName, facts, refersTo, ...changes }: EntryChanges = {}): ArchiveEntry {
  const url = changes.url ?? "http://a.example/page";
  const { host, pathname } = new URL(url);
  const body = changes.body ?? encoder.encode("<title>A</title>");
  return {
    captureName: captureName ?? `lease/1/${url}/0`,
    fetchedAt: FETCHED_AT,
    payloadDigest: `sha1:${nativeDigest.sha1Base32(body)}`,
    contentHash: nativeDigest.sha256Hex(changes.decoded ?? body),
    ...(facts === undefined ? {} : { facts }),
    ...(refersTo === undefined ? {} : { refersTo }),
    exchange: {
      ok: true,
      url,
      status: 200,
      reason: "OK",
      httpVersion: "1.1",
      headers: [["Content-Type", "text/html"], ["Content-Length", String(body.length)]],
      requestHead: encoder.encode(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
      body,
      decoded: body,
      remoteAddress: "192.0.2.7",
      timings: { startedAt: 0, totalMs: 5 },
      ...changes,
    },
  };
}

/** A clock that stands at FETCHED_AT unless it is set. */
export function fixedClock(wall = { ms: FETCHED_AT }): Clock {
  return { wallMs: () => wall.ms, monotonicMs: () => wall.ms, sleep: () => Promise.resolve() };
}

/** Draws a new value each time, the same sequence in each run. */
export function countingRandom(): Random {
  let drawn = 0;
  return { next: () => 0.5, hex: (bytes) => (++drawn).toString(16).padStart(2 * bytes, "0") };
}

export const archiveInfo = {
  software: "outrider/0.0.0",
  userAgent: "Outrider/0.0.0 (+mailto:a@example.org)",
  contact: "mailto:a@example.org",
  robots: "RFC 9309",
  coreBuildHash: "0123456789abcdef",
  keyVersion: 1,
};

export interface SampleArchive {
  readonly files: Files;
  readonly folder?: string;
  readonly storagePrefix?: string;
  readonly rotateBytes?: number;
  readonly checkpointBytes?: number;
  readonly random?: Random;
}

export function sampleArchive(options: SampleArchive): Promise<Archive> {
  return openArchive({
    folder: options.folder ?? "data",
    storagePrefix: options.storagePrefix ?? "",
    files: options.files,
    gzip: nativeGzip,
    digest: nativeDigest,
    clock: fixedClock(),
    random: options.random ?? countingRandom(),
    settings: {
      name: "crawl",
      info: archiveInfo,
      rotateBytes: options.rotateBytes,
      checkpointBytes: options.checkpointBytes,
    },
  });
}
