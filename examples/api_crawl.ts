/**
 * Creates a crawl over the API and watches it until it is finished.
 *
 *   outrider coordinator &
 *   outrider edge --coordinator http://127.0.0.1:8600 --region here &
 *   deno run -A examples/api_crawl.ts https://example.org/ you@example.org      (or: bun examples/api_crawl.ts …)
 *
 * Environment: OUTRIDER_URL (default http://127.0.0.1:8600), OUTRIDER_TOKEN (of role operator, where tokens are set).
 */

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const BASE = process.env.OUTRIDER_URL ?? "http://127.0.0.1:8600";
const POLL_MS = 1000;

interface Stats {
  readonly state: string;
  readonly reason: string;
  readonly pages: number;
  readonly queued: number;
  readonly errors_by_class: Readonly<Record<string, number>>;
}

/** One request; a problem's `detail` becomes the error. */
async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const token = process.env.OUTRIDER_TOKEN;
  const response = await fetch(new URL(path, BASE), {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${answer.title}: ${answer.detail}`);
  return answer;
}

async function main([seed, contact]: readonly string[]): Promise<void> {
  if (seed === undefined) throw new Error("Usage: api_crawl.ts SEED-URL [CONTACT]");
  const { crawl_id: crawlId, enqueued } = await ask<{ crawl_id: string; enqueued: number }>("POST", "/v1/crawls", {
    seeds: [seed],
    scope: { kind: "host", max_depth: 3 },
    max_pages: 100,
    ...(contact === undefined ? {} : { contact }),
  });
  console.log(`crawl ${crawlId}: ${enqueued} seed(s)`);
  for (;;) {
    const stats = await ask<Stats>("GET", `/v1/crawls/${crawlId}/stats`);
    const errors = Object.values(stats.errors_by_class).reduce((sum, count) => sum + count, 0);
    console.log(`${stats.state}: ${stats.pages} pages, ${stats.queued} queued, ${errors} errors. ${stats.reason}`);
    if (stats.state !== "running") return;
    await sleep(POLL_MS);
  }
}

await main(process.argv.slice(2));
