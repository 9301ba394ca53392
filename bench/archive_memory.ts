/**
 * Memory of an archive over many records (E88): `deno run -A --v8-flags=--expose-gc bench/archive_memory.ts [captures]
 * [files|segments]`, the same with `bun`. Prints the resident memory at each tenth; a capture is three records.
 * Invariant: what is written is counted and thrown away, so that neither the disk nor the page cache is measured.
 */

import process from "node:process";
import type { Archive, ArchiveEntry } from "../edge/ports.ts";
import { openArchive } from "../edge/warc/archive.ts";
import { openSegmentArchive } from "../edge/warc/segment_archive.ts";
import { nativeDigest, nativeGzip, systemClock, systemRandom } from "../runtime/node.ts";
import { sampleEntry } from "../tests/support/archives.ts";
import { discardingFiles } from "./discarding_files.ts";

const CAPTURES = Number(process.argv[2] ?? 334_000);
const KIND = process.argv[3] ?? "files";
const OVERLAP = 20;

const info = { software: "bench", userAgent: "bench", robots: "RFC 9309", coreBuildHash: "0", keyVersion: 1 };

async function open(): Promise<Archive> {
  const common = { gzip: nativeGzip, digest: nativeDigest, clock: systemClock, random: systemRandom };
  const settings = { name: "bench", info };
  if (KIND === "files") {
    return await openArchive({ ...common, folder: "bench", storagePrefix: "", files: discardingFiles(), settings });
  }
  const blobs = { put: () => Promise.resolve(), remove: () => Promise.resolve() };
  return openSegmentArchive({ ...common, storagePrefix: "bench/", blobs, settings });
}

const encoder = new TextEncoder();

function entryOf(index: number): ArchiveEntry {
  const body = encoder.encode(`<title>${index}</title>${`<p>paragraph ${index} of a page</p>`.repeat(100)}`);
  return sampleEntry({
    captureName: `0123456789abcdef01234567/1/${index}/0`,
    facts: { charset: "utf-8", simhash: "0123456789abcdef", outlinks: 20 },
    url: `http://h${index % 1000}.example/page/${index}`,
    body,
    decoded: body,
  });
}

const collect = globalThis as { gc?: () => void; Bun?: { gc(force: boolean): void } };

async function settledMb(): Promise<{ rss: number; heap: number }> {
  // So that a segment that is half full isn't taken for growth.
  archive.hurry?.();
  if (archive.hurry) await systemClock.sleep(1_200);
  collect.gc?.();
  collect.Bun?.gc(true);
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: Math.round(rss / 1e6), heap: Math.round(heapUsed / 1e5) / 10 };
}

const archive = await open();
const tenth = Math.ceil(CAPTURES / 10 / OVERLAP) * OVERLAP;
for (let done = 0; done < CAPTURES;) {
  // Segments resolve when they are sent: nobody waits for one of them here.
  const batch = Array.from({ length: OVERLAP }, (_, i) => archive.append(entryOf(done + i)));
  await Promise.all(batch);
  done += OVERLAP;
  if (done % tenth === 0) {
    const { rss, heap } = await settledMb();
    console.log(`${KIND}: ${done * 3} records, ${rss} MB resident, ${heap} MB of heap`);
  }
}
await archive.close();
