/**
 * One long crawl of the synthetic web, delay 0, everything on: does its memory stay flat?
 * Invariant: the figures are the process's own, read while it runs; nothing is left out between the first tenth and the
 * end. What is past a tenth is told as the median of the samples in it, so that one collection doesn't decide.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnWeb } from "../tests/support/web_server.ts";
import { median } from "./report/table.ts";
import type { Row } from "./report/table.ts";
import { type Sample, watchCrawl } from "./watched_crawl.ts";
import type { WebConfig } from "./web/mod.ts";

export interface LongBenchOptions {
  readonly web: Partial<WebConfig> & Pick<WebConfig, "pages">;
  readonly runtimes: readonly string[];
  readonly onPoint: (sentence: string) => void;
}

/** How many parts a run is told in. */
const PARTS = 10;

/** A row for each tenth of the pages, then one for the whole: how far a line through the samples rises. */
export async function benchLong(options: LongBenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const runtime of options.runtimes) {
    const web = await spawnWeb({ ...options.web, hostForm: "address" });
    const folder = mkdtempSync(join(tmpdir(), "outrider-long-"));
    try {
      const args = [web.seed, "--scope", "any", "--delay-ms", "0", "--allow-address", "127.0.0.0/8", "--data", folder];
      let told = 0;
      const { samples, ended } = await watchCrawl({
        runtime,
        args,
        onSample: (sample) => {
          const part = Math.floor((sample.pages * PARTS) / options.web.pages);
          if (part <= told) return;
          told = part;
          options.onPoint(`${runtime}: ${sample.pages} pages after ${sample.atSeconds.toFixed(0)} s`);
        },
      });
      if (ended !== 0) options.onPoint(`${runtime}: the crawl ended with ${ended}, not 0`);
      rows.push(...partRows(runtime, samples, options.web.pages));
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await web.stop();
    }
  }
  return rows;
}

function partRows(runtime: string, samples: readonly Sample[], pages: number): Row[] {
  const rows: Row[] = [];
  let before: Sample | undefined;
  for (let part = 1; part <= PARTS; part++) {
    const inside = samples.filter((one) => Math.ceil((one.pages * PARTS) / pages) === part);
    const last = inside.at(-1);
    if (last === undefined) continue;
    const from = before ?? { pages: 0, cpuSeconds: 0, atSeconds: 0 };
    rows.push({
      runtime,
      "up to": `${part * PARTS} %`,
      pages: last.pages,
      "RSS MB": median(inside.map((one) => one.rssMb)),
      "most MB": Math.max(...inside.map((one) => one.rssMb)),
      "CPU s/1000": (1000 * (last.cpuSeconds - from.cpuSeconds)) / (last.pages - from.pages),
      "pages/s": (last.pages - from.pages) / (last.atSeconds - from.atSeconds),
      files: last.files,
      sockets: last.sockets,
    });
    before = last;
  }
  const steady = samples.filter((one) => one.pages >= pages / PARTS);
  if (steady.length > 1) rows.push({ runtime, "up to": "rise, %", "RSS MB": risePercent(steady) });
  return rows;
}

/** How much a straight line through the samples' memory (least squares over pages) rises from the first to the last, in percent. */
export function risePercent(samples: readonly Pick<Sample, "pages" | "rssMb">[]): number {
  const mean = (of: (one: Pick<Sample, "pages" | "rssMb">) => number) =>
    samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  const x = mean((one) => one.pages);
  const y = mean((one) => one.rssMb);
  const slope = mean((one) => (one.pages - x) * (one.rssMb - y)) / mean((one) => (one.pages - x) ** 2);
  const at = (pages: number) => y + slope * (pages - x);
  const first = at(samples[0]!.pages);
  return (100 * (at(samples.at(-1)!.pages) - first)) / first;
}
