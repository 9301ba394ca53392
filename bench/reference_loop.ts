/**
 * The smallest loop that visits every page: the runtime's own fetch, 64 at once, links by regex, a Set of URLs,
 * nothing kept. A floor that crawlers are measured against, not a crawler: no politeness, no robots, no archive.
 *
 * `deno run -A bench/reference_loop.ts http://127.0.1.1:PORT/ [--max-pages N] [--parallel 64]` on an address-form
 * synthetic web; prints one JSON line {runtime, pages, failed, seconds, cpuSeconds, peakRssMb}.
 */

import process from "node:process";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { processUsage } from "./process_usage.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "max-pages": { type: "string" }, parallel: { type: "string" } },
});
const maxPages = Number(values["max-pages"] ?? Infinity);
const parallel = Number(values.parallel ?? 64);

const HREF = /<a\s[^>]*?href\s*=\s*["']?([^"'\s>]+)/gi;

const seen = new Set<string>(positionals);
const queue = [...positionals];
let at = 0;
let pages = 0;
let failed = 0;

async function visit(url: string): Promise<void> {
  const response = await fetch(url);
  const text = await response.text();
  if (response.status !== 200) return void failed++;
  pages++;
  for (const match of text.matchAll(HREF)) {
    const link = new URL(match[1]!.replaceAll("&amp;", "&"), response.url);
    link.hash = "";
    if (link.protocol !== "http:" || !link.hostname.startsWith("127.") || seen.has(link.href)) continue;
    seen.add(link.href);
    queue.push(link.href);
  }
}

const startedMs = performance.now();
await new Promise<void>((resolve) => {
  let running = 0;
  const pump = () => {
    while (running < parallel && at < queue.length && at < maxPages) {
      running++;
      visit(queue[at++]!).catch(() => failed++).finally(() => {
        running--;
        pump();
      });
    }
    if (running === 0) resolve();
  };
  pump();
});
const seconds = (performance.now() - startedMs) / 1000;
const usage = processUsage();
const runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node";
process.stdout.write(`${JSON.stringify({ runtime, pages, failed, seconds: Number(seconds.toFixed(3)), ...usage })}\n`);
